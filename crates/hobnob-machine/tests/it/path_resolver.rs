//! The property of every path that a caller can type: it leads to a file inside, or nowhere.
//!
//! The fuzz target `path_resolver` includes this file, and `fuzzed_paths` runs it over seeds.

use std::fs;
use std::os::unix::fs::symlink;

use hobnob_machine::files::{
    FileBody, FileOutcome, GrantedFolders, HiddenFolders, RootIdentity, SearchControl,
};
use hobnob_policy::{
    CallerPlace, FileGrantSource, FileOperation, FileWish, FolderSource, GrantSet, GrantSources,
    GrantSubject, HardLinks, ReadWindow,
};
use tempfile::TempDir;

const SECRET: &str = "a secret outside of the grant";
const LOCAL: GrantSubject<'static> = GrantSubject { principal: None, place: CallerPlace::Local };

/// A granted folder with links of all kinds in it, and secrets around it.
pub(crate) struct PathResolver {
    _folder: TempDir,
    inside: String,
    grants: GrantSet,
    folders: GrantedFolders,
}

impl PathResolver {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let above = folder.path().canonicalize().expect("it exists");
        let inside = above.join("granted");
        for name in ["granted/a/b", "granted/own", "outside", "granted-sibling"] {
            fs::create_dir_all(above.join(name)).expect("folders");
        }
        for name in ["f", "outside/f", "granted-sibling/f", "granted/own/f"] {
            fs::write(above.join(name), SECRET).expect("a file");
        }
        for name in ["f", "a/f", "a/b/f"] {
            fs::write(inside.join(name), format!("inside {name}")).expect("a file");
        }
        let links = [
            ("in", "a/b"),
            ("a/up", ".."),
            ("a/out", "../../outside"),
            ("out", "../outside/f"),
            ("loop", "loop"),
            ("own-link", "own"),
            ("root", "/"),
            ("proc", "/proc/self/root"),
        ];
        for (name, target) in links {
            symlink(target, inside.join(name)).expect("link");
        }
        symlink(above.join("outside"), inside.join("absolute")).expect("link");
        let identity = RootIdentity::of_path(&inside).expect("an identity").to_string();
        let source = FolderSource {
            path: inside.clone(),
            access: "read".into(),
            identity,
            hard_links: HardLinks::Refused,
        };
        let sources = GrantSources {
            services: vec![("files".into(), "read-only".into())],
            files: vec![FileGrantSource { folder: source, principal: None }],
            ..GrantSources::default()
        };
        Self {
            grants: GrantSet::parse(&sources).expect("grants"),
            folders: GrantedFolders::new(HiddenFolders::new([inside.join("own")])),
            inside: inside.to_str().expect("text").to_owned(),
            _folder: folder,
        }
    }

    /// Reads the path in each form in which a caller may type it.
    pub(crate) fn check(&self, data: &[u8]) {
        let Ok(text) = std::str::from_utf8(data) else { return };
        let Self { inside, .. } = self;
        let forms = [
            text.to_owned(),
            format!("granted/{text}"),
            format!("{inside}/{text}"),
            format!("file://{inside}/{text}"),
            format!("file://{text}"),
        ];
        for path in forms {
            if let Some(body) = self.read(&path) {
                let text = match body {
                    FileBody::Text(text) => text,
                    FileBody::Binary(bytes) => panic!("{path}: {} bytes", bytes.len()),
                };
                assert!(text.starts_with("inside "), "{path}: {text}");
            }
        }
    }

    fn read(&self, path: &str) -> Option<FileBody> {
        let operation = FileOperation::Read { window: ReadWindow::Whole, limit: 1000 };
        let wish = FileWish { path: path.to_owned(), operation };
        let permit = self.grants.permit_file(LOCAL, wish).ok()?;
        let below = permit.request().path().below();
        assert!(below.names().all(|name| name != ".." && name != "."), "{path}: {below}");
        match self.folders.perform(&permit, &SearchControl::default()).ok()? {
            FileOutcome::Read(part) => Some(part.body),
            other => panic!("{path}: {other:?}"),
        }
    }
}

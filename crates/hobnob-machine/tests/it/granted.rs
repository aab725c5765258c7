//! A granted folder in a temporary folder, with a secret outside of it.

use std::fs;
use std::path::{Path, PathBuf};

use hobnob_machine::files::{FileBody, RootIdentity};
use hobnob_policy::{HardLinks, ReadWindow, RelativePath};
use tempfile::TempDir;

use crate::permitted::{Refused, TestRoot, read};

/// Text that no caller may ever read through a granted folder.
pub(crate) const SECRET: &str = "a secret outside of the grant";

/// `granted/` with a root on it, and beside it `outside/secret.txt` and `hidden/own.db`.
pub(crate) struct Granted {
    _folder: TempDir,
    pub(crate) above: PathBuf,
    pub(crate) inside: PathBuf,
    pub(crate) root: TestRoot,
}

impl Granted {
    pub(crate) fn new() -> Self {
        Self::with(HardLinks::Refused, |above| vec![above.join("granted/hidden")])
    }

    pub(crate) fn with(links: HardLinks, hidden: impl Fn(&Path) -> Vec<PathBuf>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let above = folder.path().canonicalize().expect("it exists");
        let inside = above.join("granted");
        for name in ["granted", "granted/hidden", "outside", "granted-sibling"] {
            fs::create_dir(above.join(name)).expect("a folder");
        }
        for name in ["outside/secret.txt", "granted-sibling/secret.txt", "granted/hidden/own.db"] {
            fs::write(above.join(name), SECRET).expect("a file");
        }
        fs::write(inside.join("open.txt"), "anybody may read this\n").expect("a file");
        let root = open(&inside, links, hidden(&above)).expect("a root");
        Self { _folder: folder, above, inside, root }
    }

    pub(crate) fn text(&self, path: &str) -> Result<String, Refused> {
        match read(&self.root, &relative(path), ReadWindow::Whole, 1 << 20)?.body {
            FileBody::Text(text) => Ok(text),
            FileBody::Binary(bytes) => Ok(format!("{} bytes", bytes.len())),
        }
    }
}

pub(crate) fn open(
    path: &Path,
    links: HardLinks,
    hidden: Vec<PathBuf>,
) -> Result<TestRoot, Refused> {
    let identity = RootIdentity::of_path(path).expect("an identity");
    TestRoot::open(path, &identity, links, hidden)
}

pub(crate) fn relative(path: &str) -> RelativePath {
    RelativePath::parse(path).expect("a path below the root")
}

/// How many rounds a race runs: enough to see the usual mistakes, or many with `SLOW_TESTS=1`.
pub(crate) fn rounds(usual: usize, slow: usize) -> usize {
    match std::env::var("SLOW_TESTS").is_ok_and(|value| value == "1") {
        true => slow,
        false => usual,
    }
}

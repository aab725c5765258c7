//! The actions of the crate as functions, each with its own permit: tests act as a service does.

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hobnob_machine::files::{
    Deleted, EditedFile, FileError, FileOutcome, FilePart, FileRefusal, FileStat, FolderMade,
    FolderPage, FolderTree, GrantedFolders, HiddenFolders, RootIdentity, SearchControl,
    SearchCursor, SearchError, SearchPage, TrashLimits, WrittenFile,
};
use hobnob_policy::{
    CallerPlace, Deletion, EditRun, FileAction, FileGrantSource, FileOperation, FileSearch,
    FileWish, FolderSource, GrantSet, GrantSources, GrantSubject, HardLinks, MissingParents,
    MoveMode, NotGranted, Permit, ReadWindow, RelativePath, TextEdit, TreeWish, WriteMode,
};
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

const LOCAL: GrantSubject<'static> = GrantSubject { principal: None, place: CallerPlace::Local };

/// One granted folder, and the means to act in it.
pub(crate) struct TestRoot {
    path: PathBuf,
    grants: GrantSet,
    pub(crate) folders: GrantedFolders,
}

/// Why an action was not done.
#[derive(Debug)]
pub(crate) enum Refused {
    /// No grant permits it.
    NotGranted(NotGranted),
    /// It was permitted, but failed.
    Failed(FileError),
}

impl Refused {
    pub(crate) fn refusal(&self) -> &FileRefusal {
        match self {
            Self::NotGranted(denied) => panic!("{denied}"),
            Self::Failed(error) => error.refusal(),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotGranted(denied) => denied.fmt(out),
            Self::Failed(error) => error.fmt(out),
        }
    }
}

impl TestRoot {
    /// Grants the folder for writing. Fails if its identity has changed.
    pub(crate) fn open(
        path: &Path,
        identity: &RootIdentity,
        links: HardLinks,
        hidden: Vec<PathBuf>,
    ) -> Result<Self, Refused> {
        let folder = FolderSource {
            path: path.to_owned(),
            access: "write".into(),
            identity: identity.to_string(),
            hard_links: links,
        };
        let sources = GrantSources {
            services: vec![("files".into(), "read-write".into())],
            files: vec![FileGrantSource { folder, principal: None }],
            ..GrantSources::default()
        };
        let grants = GrantSet::parse(&sources).expect("grants");
        let folders = GrantedFolders::new(HiddenFolders::new(hidden));
        let root = Self { path: path.to_owned(), grants, folders };
        stat(&root, &RelativePath::root())?;
        Ok(root)
    }

    pub(crate) fn permit(
        &self,
        path: &RelativePath,
        operation: FileOperation<String>,
    ) -> Result<Permit<FileAction>, NotGranted> {
        let path = self.address(path);
        self.grants.permit_file(LOCAL, FileWish { path, operation })
    }

    fn address(&self, path: &RelativePath) -> String {
        let path = self.path.join(path.to_path());
        format!("file:///{}", percent_encode(path.as_os_str().as_bytes(), NON_ALPHANUMERIC))
    }

    fn act(
        &self,
        path: &RelativePath,
        operation: FileOperation<String>,
    ) -> Result<FileOutcome, Refused> {
        let permit = self.permit(path, operation).map_err(Refused::NotGranted)?;
        self.folders.perform(&permit, &SearchControl::default()).map_err(|error| match error {
            SearchError::File(error) => Refused::Failed(error),
            other => panic!("{other}"),
        })
    }
}

/// Performs an action by a permit, and returns its one possible outcome.
macro_rules! outcome {
    ($root:expr, $path:expr, $operation:expr, $variant:path) => {
        match $root.act($path, $operation)? {
            $variant(found) => Ok(found),
            other => panic!("{other:?}"),
        }
    };
}

pub(crate) fn stat(root: &TestRoot, path: &RelativePath) -> Result<FileStat, Refused> {
    outcome!(root, path, FileOperation::Stat, FileOutcome::Stat)
}

pub(crate) fn read(
    root: &TestRoot,
    path: &RelativePath,
    window: ReadWindow,
    limit: u64,
) -> Result<FilePart, Refused> {
    outcome!(root, path, FileOperation::Read { window, limit }, FileOutcome::Read)
}

pub(crate) fn list(
    root: &TestRoot,
    path: &RelativePath,
    after: Option<&str>,
    limit: usize,
) -> Result<FolderPage, Refused> {
    let after = after.map(str::to_owned);
    outcome!(root, path, FileOperation::List { after, limit }, FileOutcome::List)
}

pub(crate) fn tree(
    root: &TestRoot,
    path: &RelativePath,
    wish: &TreeWish,
) -> Result<FolderTree, Refused> {
    outcome!(root, path, FileOperation::Tree(*wish), FileOutcome::Tree)
}

pub(crate) fn search(
    root: &TestRoot,
    path: &RelativePath,
    wish: &FileSearch,
    after: Option<&SearchCursor>,
    limit: usize,
    control: &SearchControl,
) -> Result<SearchPage, SearchError> {
    let after = after.map(SearchCursor::to_string);
    let operation = FileOperation::Search { wish: Box::new(wish.clone()), after, limit };
    let permit = root.permit(path, operation).expect("searching is granted");
    match root.folders.perform(&permit, control)? {
        FileOutcome::Search(page) => Ok(page),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn write(
    root: &TestRoot,
    path: &RelativePath,
    bytes: &[u8],
    mode: WriteMode,
) -> Result<WrittenFile, Refused> {
    let bytes = bytes.to_vec();
    outcome!(root, path, FileOperation::Write { bytes, mode }, FileOutcome::Written)
}

pub(crate) fn edit(
    root: &TestRoot,
    path: &RelativePath,
    edits: &[TextEdit],
    run: EditRun,
) -> Result<EditedFile, Refused> {
    let edits = edits.to_vec();
    outcome!(root, path, FileOperation::Edit { edits, run }, FileOutcome::Edited)
}

pub(crate) fn rename(
    root: &TestRoot,
    from: &RelativePath,
    to: &RelativePath,
    mode: MoveMode,
) -> Result<(), Refused> {
    let to = root.address(to);
    match root.act(from, FileOperation::Move { to, mode })? {
        FileOutcome::Moved => Ok(()),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn make_folder(
    root: &TestRoot,
    path: &RelativePath,
    parents: MissingParents,
) -> Result<FolderMade, Refused> {
    outcome!(root, path, FileOperation::MakeFolder(parents), FileOutcome::FolderMade)
}

pub(crate) fn delete(
    root: &TestRoot,
    path: &RelativePath,
    deletion: Deletion,
) -> Result<Deleted, Refused> {
    outcome!(root, path, FileOperation::Delete(deletion), FileOutcome::Deleted)
}

pub(crate) fn clean_trash(
    root: &TestRoot,
    limits: TrashLimits,
    now: std::time::SystemTime,
) -> usize {
    root.folders.clean_trash(limits, now)
}

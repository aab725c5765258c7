//! Opens the folder that a permit for a command names, and checks all folders that it will see.
//!
//! The services `shell` and `agents` call it before every start and pass the open folder on, so
//! that no path is looked up twice. A folder that was replaced since it was granted is refused.

use std::fmt;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use hobnob_policy::{
    FileRoot, Permit, RootAccess, RunCommand, SandboxFolder, SandboxRule, WorkingFolder,
};
use rustix::fs::fstat;

use super::descend::LastLink;
use super::hidden::HiddenFolders;
use super::kind::FolderId;
use super::open::reopen_folder;
use super::problem::{FileError, FileRefusal};
use super::root::ConfinedRoot;

/// Opens working folders. Refuses a hidden folder as working folder, and a sandbox that would show
/// one to its command.
pub struct CommandFolders {
    hidden: Arc<HiddenFolders>,
}

/// Where a command starts; a granted folder is open, so that no path is looked up again.
#[derive(Debug)]
pub enum OpenedFolder {
    /// A place in a granted folder.
    Granted(OwnedFd),
    /// The grant names no folder: the caller gives the command an empty one.
    Scratch,
}

/// A granted folder that a confined command sees, as it was when it was checked.
#[derive(Debug)]
pub struct VisibleFolder {
    /// The path that was granted.
    pub path: PathBuf,
    /// What the command may do in it.
    pub access: RootAccess,
    /// The number of its device.
    pub device: u64,
    /// Its inode on that device.
    pub inode: u64,
}

/// The granted folders that a command gets.
#[derive(Debug)]
pub struct CommandPlaces {
    /// The working folder of its first process.
    pub start: OpenedFolder,
    /// The folders that it sees if it is confined. The code that confines it must check that these
    /// folders are still at their paths by then.
    pub visible: Vec<VisibleFolder>,
}

impl CommandFolders {
    /// Opens nothing yet. No confined command may see these folders.
    pub fn new(hidden: HiddenFolders) -> Self {
        Self { hidden: Arc::new(hidden) }
    }

    /// Opens the folder that the permit names.
    ///
    /// # Errors
    /// When the folder does not exist, is no longer the granted one, or the command would see a
    /// folder with Hobnob's own files in it.
    pub fn open(&self, permit: &Permit<RunCommand>) -> Result<CommandPlaces, FileError> {
        let command = permit.request();
        let visible = match command.sandbox() {
            SandboxRule::Off => Vec::new(),
            SandboxRule::Full | SandboxRule::Partial | SandboxRule::Any => {
                let folders = command.folders().iter().map(|it| self.check_visible(it));
                folders.collect::<Result<_, _>>()?
            }
        };
        let start = match command.working_folder() {
            WorkingFolder::Scratch => OpenedFolder::Scratch,
            WorkingFolder::Granted(place) => {
                let root = self.root(place.root())?;
                let fail = |refusal| FileError::new(place.below(), refusal);
                let found = root.resolve(place.below(), LastLink::Follow).map_err(fail)?;
                let folder = found.folder().and_then(|it| reopen_folder(it.as_fd()));
                OpenedFolder::Granted(folder.map_err(fail)?)
            }
        };
        Ok(CommandPlaces { start, visible })
    }

    /// Refuses a folder with Hobnob's own files in it: a sandbox can only add folders, and cannot
    /// remove a part of one.
    fn check_visible(&self, folder: &SandboxFolder) -> Result<VisibleFolder, FileError> {
        let path = folder.root().path();
        let fail = |refusal| FileError::of_root(path, refusal);
        let root = self.root(folder.root())?;
        let stat = fstat(root.folder()).map_err(|errno| fail(errno.into()))?;
        root.refuse_hidden_inside(FolderId::of(&stat)).map_err(fail)?;
        let (device, inode) = (stat.st_dev, stat.st_ino);
        Ok(VisibleFolder { path: path.to_owned(), access: folder.access(), device, inode })
    }

    /// The granted folder, if it is still the one that was granted. It is opened each time:
    /// commands are few, and an unused folder should not be held open.
    fn root(&self, granted: &FileRoot) -> Result<ConfinedRoot, FileError> {
        // An identity that cannot be parsed is not the identity of this folder.
        let replaced = |_| FileError::of_root(granted.path(), FileRefusal::RootReplaced);
        let identity = granted.identity().parse().map_err(replaced)?;
        let hidden = Arc::clone(&self.hidden);
        ConfinedRoot::open(granted.path(), &identity, hidden, granted.hard_links())
    }
}

impl fmt::Debug for CommandFolders {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("CommandFolders").finish_non_exhaustive()
    }
}

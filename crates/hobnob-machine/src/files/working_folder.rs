//! Opens the folder that a permit for a command names, and checks all folders that it will see.
//!
//! The service `shell` calls it before every start and hands the open folder over, so that no path is
//! looked up twice. A folder that was replaced since it was granted is refused.

use std::fmt;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use hobnob_policy::{FileRoot, Permit, RunCommand, SandboxRule, WorkingFolder};
use rustix::fs::fstat;

use super::descend::LastLink;
use super::hidden::HiddenFolders;
use super::kind::FolderId;
use super::open::reopen_folder;
use super::problem::{FileError, FileRefusal};
use super::root::ConfinedRoot;

/// Opens working folders. What is hidden stays out of all of them.
pub struct CommandFolders {
    hidden: Arc<HiddenFolders>,
}

/// Where a command starts; a granted folder is open, so that no path is looked up again.
#[derive(Debug)]
pub enum OpenedFolder {
    /// At this place in a granted folder.
    Granted(OwnedFd),
    /// The grant names no folder: whoever starts the command gives it an empty one.
    Scratch,
}

impl CommandFolders {
    /// Opens nothing yet. No confined command may see these folders.
    pub fn new(hidden: HiddenFolders) -> Self {
        Self { hidden: Arc::new(hidden) }
    }

    /// Opens the folder that the permit names.
    ///
    /// # Errors
    /// When it is not there, is not the granted one any more, or a folder that the command would see
    /// has Hobnob's own files in it.
    pub fn open(&self, permit: &Permit<RunCommand>) -> Result<OpenedFolder, FileError> {
        let command = permit.request();
        match command.sandbox() {
            SandboxRule::Off => {}
            SandboxRule::Required | SandboxRule::WhereAvailable => {
                command.folders().iter().try_for_each(|it| self.check_visible(it.root()))?;
            }
        }
        match command.working_folder() {
            WorkingFolder::Scratch => Ok(OpenedFolder::Scratch),
            WorkingFolder::Granted(place) => {
                let root = self.root(place.root())?;
                let fail = |refusal| FileError::new(place.below(), refusal);
                let found = root.resolve(place.below(), LastLink::Follow).map_err(fail)?;
                let folder = found.folder().and_then(|it| reopen_folder(it.as_fd()));
                folder.map(OpenedFolder::Granted).map_err(fail)
            }
        }
    }

    /// Refuses a folder with Hobnob's own files in it: a sandbox can only add folders, and what lies
    /// inside of one cannot be taken out.
    fn check_visible(&self, granted: &FileRoot) -> Result<(), FileError> {
        let fail = |refusal| FileError::of_root(granted.path(), refusal);
        let root = self.root(granted)?;
        let stat = fstat(root.folder()).map_err(|errno| fail(errno.into()))?;
        root.refuse_hidden_inside(FolderId::of(&stat)).map_err(fail)
    }

    /// The granted folder, if it is still the one that was granted. Opened anew each time: commands
    /// are few, and a folder that nobody uses should not be held.
    fn root(&self, granted: &FileRoot) -> Result<ConfinedRoot, FileError> {
        // An identity that cannot be read is not the one of this folder.
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

//! Which folder has to be watched to notice changes at a path.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};

use hobnob_policy::EntryKind;

use super::descend::{Leaf, Resolved};
use super::problem::FileRefusal;

/// A folder by its handle, and the name in it to watch; without one, all names.
#[derive(Debug)]
pub(crate) struct WatchPlace {
    pub(crate) folder: OwnedFd,
    pub(crate) entry: Option<OsString>,
}

impl WatchPlace {
    /// A folder is watched itself, a file through its folder, since the file may be replaced.
    pub(crate) fn of(found: &Resolved<'_>) -> Result<Self, FileRefusal> {
        let (folder, entry) = match &found.leaf {
            Leaf::Root => (found.parent(), None),
            Leaf::Absent(name) => (found.parent(), Some(name.clone())),
            Leaf::Present(opened) => match opened.kind() {
                EntryKind::Folder => (opened.handle.as_fd(), None),
                EntryKind::File | EntryKind::Link => (found.parent(), Some(opened.name.clone())),
                EntryKind::Special => return Err(FileRefusal::Special),
            },
        };
        Ok(Self { folder: folder.try_clone_to_owned()?, entry })
    }
}

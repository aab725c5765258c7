//! Which folder has to be watched to hear of changes at a path.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};

use hobnob_policy::EntryKind;

use super::descend::{Leaf, Resolved};
use super::problem::FileRefusal;

/// A folder by its handle, and the entry in it that matters; without one, all of them do.
#[derive(Debug)]
pub(crate) struct WatchPlace {
    pub(crate) folder: OwnedFd,
    pub(crate) entry: Option<OsString>,
}

impl WatchPlace {
    /// A folder is watched itself, a file through its folder: it may be replaced by another of its name.
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

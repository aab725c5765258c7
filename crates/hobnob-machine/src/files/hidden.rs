//! Folders that no caller ever sees, by their inodes: no other name, mount or rename reveals them.
//!
//! A [`ConfinedRoot`](super::root::ConfinedRoot) looks them up before every action, because one may
//! have been created since.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, Stat, fstat, openat};

use super::kind::FolderId;
use super::problem::FileRefusal;

/// Hobnob's own folders. Those that exist at the start stay hidden wherever they are moved.
#[derive(Debug)]
pub struct HiddenFolders {
    paths: Vec<PathBuf>,
    /// Held open, so that no other folder can get their inode.
    opened: Vec<(FolderId, OwnedFd)>,
}

impl HiddenFolders {
    /// Hides these folders, even if they do not exist yet.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let paths: Vec<_> = paths.into_iter().collect();
        let opened = paths.iter().filter_map(|path| open_hidden(path)).collect();
        Self { paths, opened }
    }

    /// The folders that are hidden at this moment.
    pub(crate) fn now(&self) -> HiddenNow {
        let known = self.opened.iter().map(|(id, _)| *id);
        let found = self.paths.iter().filter_map(|path| open_hidden(path)).map(|(id, _)| id);
        HiddenNow { ids: known.chain(found).collect() }
    }

    /// Whether a hidden folder is this folder, or is inside of it at any depth.
    pub(crate) fn lie_in(&self, folder: FolderId) -> Result<bool, FileRefusal> {
        let now: Vec<_> = self.paths.iter().filter_map(|path| open_hidden(path)).collect();
        for (_, handle) in self.opened.iter().chain(&now) {
            if is_or_lies_in(handle, |it| it == folder)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The hidden folders as they were found at the beginning of one action.
#[derive(Debug)]
pub(crate) struct HiddenNow {
    ids: Vec<FolderId>,
}

impl HiddenNow {
    pub(crate) fn add(&mut self, id: FolderId) {
        self.ids.push(id);
    }

    pub(crate) fn has(&self, stat: &Stat) -> bool {
        self.ids.contains(&FolderId::of(stat))
    }

    /// Whether the folder is hidden or inside of a hidden one.
    pub(crate) fn covers(&self, folder: &OwnedFd) -> Result<bool, FileRefusal> {
        is_or_lies_in(folder, |it| self.ids.contains(&it))
    }
}

fn open_hidden(path: &Path) -> Option<(FolderId, OwnedFd)> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // A folder that cannot be opened cannot be shown either.
    let handle = openat(CWD, path, flags, Mode::empty()).ok()?;
    let stat = fstat(&handle).ok()?;
    Some((FolderId::of(&stat), handle))
}

/// Walks from a folder up to the root of the file system, and tests each folder on the way.
fn is_or_lies_in(folder: &OwnedFd, wanted: impl Fn(FolderId) -> bool) -> Result<bool, FileRefusal> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut here = folder.as_fd().try_clone_to_owned()?;
    let mut id = FolderId::of(&fstat(&here)?);
    loop {
        if wanted(id) {
            return Ok(true);
        }
        let above = openat(&here, "..", flags, Mode::empty())?;
        let above_id = FolderId::of(&fstat(&above)?);
        if above_id == id {
            return Ok(false);
        }
        (here, id) = (above, above_id);
    }
}

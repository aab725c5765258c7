//! Folders that no caller ever sees, by what they are: another name, a mount or a rename finds them too.
//!
//! A [`ConfinedRoot`](super::root::ConfinedRoot) looks them up before every action, because one may
//! have been made since.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, Stat, fstat, openat};

use super::kind::FolderId;
use super::problem::FileRefusal;

/// Hobnob's own folders. Those that exist at the start stay hidden wherever they are moved.
#[derive(Debug)]
pub struct HiddenFolders {
    paths: Vec<PathBuf>,
    /// Held open, so that no other folder gets their number.
    opened: Vec<(FolderId, OwnedFd)>,
}

impl HiddenFolders {
    /// Hides these folders, whether they exist yet or not.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let paths: Vec<_> = paths.into_iter().collect();
        let opened = paths.iter().filter_map(|path| open_hidden(path)).collect();
        Self { paths, opened }
    }

    /// What is hidden at this moment.
    pub(crate) fn now(&self) -> HiddenNow {
        let known = self.opened.iter().map(|(id, _)| *id);
        let found = self.paths.iter().filter_map(|path| open_hidden(path)).map(|(id, _)| id);
        HiddenNow { ids: known.chain(found).collect() }
    }

    /// Whether one of them is this folder, or lies in it at whatever depth.
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

    /// Whether the folder is hidden or lies in a hidden one.
    pub(crate) fn covers(&self, folder: &OwnedFd) -> Result<bool, FileRefusal> {
        is_or_lies_in(folder, |it| self.ids.contains(&it))
    }
}

fn open_hidden(path: &Path) -> Option<(FolderId, OwnedFd)> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // One that cannot be opened cannot be shown either.
    let handle = openat(CWD, path, flags, Mode::empty()).ok()?;
    let stat = fstat(&handle).ok()?;
    Some((FolderId::of(&stat), handle))
}

/// Goes up from a folder to the top of the file system and asks about each folder on the way.
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

//! Enters the folder of a command, inside a runner, in such a way that programs can find its path.
//!
//! Hobnob opened the folder outside of the mount namespace that a runner may have. No path leads to
//! that descriptor there, so every program that asks for its working folder would get an error.

use crate::sandbox::SCRATCH;
use rustix::fs::{CWD, Stat, fstat, readlinkat, stat};
use rustix::io::Errno;
use rustix::process::chdir;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

/// Enters folders. Remembers the last path, because most commands run in the same folder.
#[derive(Default)]
pub(super) struct FolderEntrance {
    last: Option<CString>,
}

impl FolderEntrance {
    /// Enters this folder by its path, if the very same folder is there.
    pub(super) fn enter(&mut self, folder: &OwnedFd) -> io::Result<()> {
        let wanted = fstat(folder)?;
        if self.last.as_deref().is_some_and(|path| leads_to(path, &wanted)) {
            return Ok(());
        }
        self.last = path_of(folder).filter(|path| leads_to(path, &wanted));
        match self.last {
            Some(_) => Ok(()),
            // A descriptor from outside would lead out of the sandbox's root.
            None => Err(Errno::NOENT.into()),
        }
    }

    /// Enters the scratch space of the sandbox's root.
    pub(super) fn enter_scratch(&self) -> io::Result<()> {
        Ok(chdir(SCRATCH)?)
    }

    /// Leaves the folder, so that a runner that waits does not prevent an unmount.
    pub(super) fn leave(&self) -> io::Result<()> {
        Ok(chdir("/")?)
    }
}

/// Enters the folder at this path, and checks by device and inode that it is the wanted one.
fn leads_to(path: &CStr, wanted: &Stat) -> bool {
    let is_same = |found: Stat| (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino);
    chdir(path).is_ok() && stat(".").is_ok_and(is_same)
}

fn path_of(folder: &OwnedFd) -> Option<CString> {
    readlinkat(CWD, format!("/proc/self/fd/{}", folder.as_raw_fd()), Vec::new()).ok()
}

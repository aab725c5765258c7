//! Goes to the folder of a command, inside a runner, so that programs can find out where they are.
//!
//! The folder was opened by Hobnob, outside of the namespace of mounts that a runner may have. From
//! there no path leads to it, and every program that asks for its working folder would get an error.

use crate::sandbox::SCRATCH;
use rustix::fs::{CWD, Stat, fstat, readlinkat, stat};
use rustix::io::Errno;
use rustix::process::chdir;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

/// The way to folders. Most commands run where the one before them did, so it remembers one path.
#[derive(Default)]
pub(super) struct FolderEntrance {
    last: Option<CString>,
}

impl FolderEntrance {
    /// Goes to this folder: by its path, if the very same folder is there.
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

    /// Goes to the scratch space of the sandbox's root.
    pub(super) fn enter_scratch(&self) -> io::Result<()> {
        Ok(chdir(SCRATCH)?)
    }

    /// Goes away: a folder that somebody wants to unmount is not held by a runner that waits.
    pub(super) fn leave(&self) -> io::Result<()> {
        Ok(chdir("/")?)
    }
}

/// Goes to what is at this path now, which may be another folder: only the same number is the same one.
fn leads_to(path: &CStr, wanted: &Stat) -> bool {
    let is_same = |found: Stat| (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino);
    chdir(path).is_ok() && stat(".").is_ok_and(is_same)
}

fn path_of(folder: &OwnedFd) -> Option<CString> {
    readlinkat(CWD, format!("/proc/self/fd/{}", folder.as_raw_fd()), Vec::new()).ok()
}

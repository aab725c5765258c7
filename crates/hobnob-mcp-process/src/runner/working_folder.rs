//! Goes to the folder of a command, inside a runner, so that programs can find out where they are.
//!
//! The folder was opened by Hobnob, outside of the namespace of mounts that a runner may have. From
//! there no path leads to it, and every program that asks for its working folder would get an error.

use rustix::fs::{CWD, Mode, OFlags, fstat, openat, readlinkat};
use rustix::process::fchdir;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

/// Goes to this folder: by its path, if the very same folder is there.
pub(super) fn enter(folder: &OwnedFd) -> io::Result<()> {
    match same_folder_here(folder) {
        Some(here) => fchdir(here)?,
        None => fchdir(folder)?,
    }
    Ok(())
}

/// The folder as it is reached from here. What its path leads to meanwhile may be another one, so it
/// must be the same by its number.
fn same_folder_here(folder: &OwnedFd) -> Option<OwnedFd> {
    let link = format!("/proc/self/fd/{}", folder.as_raw_fd());
    let path = readlinkat(CWD, link.as_str(), Vec::new()).ok()?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let here = openat(CWD, path.as_c_str(), flags, Mode::empty()).ok()?;
    let (there, found) = (fstat(folder).ok()?, fstat(&here).ok()?);
    ((there.st_dev, there.st_ino) == (found.st_dev, found.st_ino)).then_some(here)
}

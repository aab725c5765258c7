//! The only code that opens anything: a name in an open folder, or an open handle again.
//!
//! A name is a single step, so it cannot leave its folder; the kernel never follows links for it.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fstat, openat, openat2};
use rustix::io::Errno;

use super::kind::FolderId;
use super::problem::FileRefusal;

/// How often to retry if the kernel reports concurrent renames.
const MAX_ATTEMPTS: usize = 16;

/// Whether the kernel has no `openat2`: it is older than 5.6, or a sandbox blocks the call.
static WITHOUT_OPENAT2: AtomicBool = AtomicBool::new(false);

/// A handle to an entry of a folder, for its metadata only; a link is not followed.
pub(crate) fn look(folder: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, FileRefusal> {
    open_entry(folder, name, OFlags::PATH)
}

/// A handle to a folder's entries, by its name; a link is an error.
pub(crate) fn open_folder(folder: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, FileRefusal> {
    // Non-blocking: the name may belong to a pipe by now.
    open_entry(folder, name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::NOCTTY)
}

/// A handle to an entry's bytes, by its name; the caller must check that it is a regular file.
pub(crate) fn open_bytes(folder: BorrowedFd<'_>, name: &OsStr) -> Result<File, FileRefusal> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(open_entry(folder, name, flags)?.into())
}

fn open_entry(folder: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> Result<OwnedFd, FileRefusal> {
    must_be_one_step(name)?;
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if WITHOUT_OPENAT2.load(Ordering::Relaxed) {
        return step(folder, name, flags);
    }
    let rules = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    for _ in 0..MAX_ATTEMPTS {
        match openat2(folder, name, flags, Mode::empty(), rules) {
            Ok(handle) => return Ok(handle),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::XDEV) => return Err(FileRefusal::Outside),
            Err(Errno::NOSYS) => {
                WITHOUT_OPENAT2.store(true, Ordering::Relaxed);
                return step(folder, name, flags);
            }
            // Some sandboxes return this error for every call they do not know.
            Err(Errno::PERM) => return step(folder, name, flags),
            Err(errno) => return Err(errno.into()),
        }
    }
    step(folder, name, flags)
}

/// Opens without `openat2`: a name that is neither `..` nor a followed link stays in its folder.
fn step(folder: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> Result<OwnedFd, FileRefusal> {
    Ok(openat(folder, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?)
}

/// Fails for a name that the kernel would take for more, or for less, than one step down.
pub(crate) fn must_be_one_step(name: &OsStr) -> Result<(), FileRefusal> {
    match name.as_bytes() {
        b"" | b"." | b".." => Err(FileRefusal::Outside),
        bytes if memchr::memchr2(b'/', 0, bytes).is_some() => Err(FileRefusal::Outside),
        _ => Ok(()),
    }
}

/// Opens the same file or folder again, for its content. The caller knows that it is harmless.
pub(crate) fn reopen(
    handle: BorrowedFd<'_>,
    folder: BorrowedFd<'_>,
    name: &OsStr,
) -> Result<OwnedFd, FileRefusal> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match reopen_by_number(handle, flags) {
        // Without `/proc`, open the name once more and check that it is still the same file.
        Err(FileRefusal::Missing) => {
            let again = open_entry(folder, name, flags)?;
            if FolderId::of(&fstat(&again)?) != FolderId::of(&fstat(handle)?) {
                return Err(FileRefusal::Changed);
            }
            Ok(again)
        }
        other => other,
    }
}

/// Opens a folder's entries, from a handle that is for metadata only.
pub(crate) fn reopen_folder(handle: impl AsFd) -> Result<OwnedFd, FileRefusal> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // `.` relative to the handle is the folder itself, so this needs no `/proc`.
    Ok(openat(handle, ".", flags, Mode::empty())?)
}

fn reopen_by_number(handle: BorrowedFd<'_>, flags: OFlags) -> Result<OwnedFd, FileRefusal> {
    let link = format!("/proc/self/fd/{}", handle.as_raw_fd());
    Ok(openat(CWD, link.as_str(), flags, Mode::empty())?)
}

#[cfg(test)]
mod tests;

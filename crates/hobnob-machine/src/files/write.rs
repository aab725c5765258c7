//! Writes files atomically: writes and flushes a scratch file, and renames it over the old one.
//!
//! A reader sees the old bytes or the new ones, never a mix. Nothing is written in place, so hard
//! links to the old file keep its content, and a link or pipe that takes the name meanwhile is
//! replaced and not written to.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};

use hobnob_policy::{ContentHash, RelativePath, WriteMode};
use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, fsync, linkat, openat,
    renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;

use super::content_hash::content_hash;
use super::descend::{LastLink, Leaf, Resolved};
use super::kind::must_be_file;
use super::open::{must_be_one_step, reopen_folder};
use super::problem::{FileError, FileRefusal};
use super::read::hash_of;
use super::root::ConfinedRoot;

/// A file that was written and is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// The digest of the new content.
    pub hash: ContentHash,
    /// Its new size in bytes.
    pub size: u64,
    /// Whether no file of that name existed before.
    pub created: bool,
}

/// Writes a whole file. Its folder must exist; the permissions of an existing file stay.
pub(crate) fn write(
    root: &ConfinedRoot,
    path: &RelativePath,
    bytes: &[u8],
    mode: WriteMode,
) -> Result<WrittenFile, FileError> {
    let written = || {
        let found = root.resolve(path, LastLink::Follow)?;
        // A panic while the lock was held left nothing inconsistent behind.
        let _guard = root.changes.lock();
        replace(root, &found, bytes, mode)
    };
    written().map_err(|refusal| FileError::new(path, refusal))
}

/// Like [`write()`], for a resolved path; the caller holds the root's lock.
pub(crate) fn replace(
    root: &ConfinedRoot,
    found: &Resolved<'_>,
    bytes: &[u8],
    mode: WriteMode,
) -> Result<WrittenFile, FileRefusal> {
    let (name, old) = match &found.leaf {
        Leaf::Root => return Err(FileRefusal::NotFile),
        Leaf::Absent(name) => (name.as_os_str(), None),
        Leaf::Present(opened) => {
            must_be_file(opened.kind())?;
            (opened.name.as_os_str(), Some(&opened.stat))
        }
    };
    match (mode, old) {
        (WriteMode::New, Some(_)) => return Err(FileRefusal::Exists),
        (WriteMode::IfHash(_), None) => return Err(FileRefusal::Missing),
        (WriteMode::IfHash(seen), Some(_)) => {
            if hash_of(&root.open_resolved(found)?.file)? != seen {
                return Err(FileRefusal::Changed);
            }
        }
        (WriteMode::New, None) | (WriteMode::Replace, _) => {}
    }
    let folder = found.parent();
    let scratch = Scratch::write(folder, bytes, old)?;
    match mode {
        WriteMode::New => scratch.take_free_name(name)?,
        WriteMode::Replace | WriteMode::IfHash(_) => scratch.take_name(name)?,
    }
    flush_folder(folder)?;
    let (hash, size) = (content_hash(bytes), bytes.len() as u64);
    Ok(WrittenFile { hash, size, created: old.is_none() })
}

/// Flushes a folder's entries to the disk. Without this, a power failure may undo a rename.
pub(crate) fn flush_folder(folder: impl AsFd) -> Result<(), FileRefusal> {
    match fsync(reopen_folder(folder)?) {
        // Some file systems have nothing to flush for a folder.
        Ok(()) | Err(Errno::INVAL) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Renames without replacing anything, even on file systems that cannot do that in one step.
pub(crate) fn rename_to_free_name(
    from: (BorrowedFd<'_>, &OsStr),
    to: (BorrowedFd<'_>, &OsStr),
) -> Result<(), FileRefusal> {
    must_be_one_step(from.1)?;
    must_be_one_step(to.1)?;
    match renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
        // Adding a hard link fails if the name is taken; a folder cannot have one and is refused.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            linkat(from.0, from.1, to.0, to.1, AtFlags::empty())?;
            unlinkat(from.0, from.1, AtFlags::empty())?;
            Ok(())
        }
        other => Ok(other?),
    }
}

/// A file beside the final one, removed if it is never renamed.
struct Scratch<'folder> {
    folder: BorrowedFd<'folder>,
    name: String,
}

impl<'folder> Scratch<'folder> {
    fn write(
        folder: BorrowedFd<'folder>,
        bytes: &[u8],
        old: Option<&Stat>,
    ) -> Result<Self, FileRefusal> {
        let name = format!(".hobnob-{:016x}.tmp", fastrand::u64(..));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // No other user may read the file before it has the permissions of the old one.
        let mode = if old.is_some() { 0o600 } else { 0o666 };
        let file = openat(folder, name.as_str(), flags, Mode::from_raw_mode(mode))?;
        // From here on, an error removes the file again.
        let scratch = Self { folder, name };
        let mut file = File::from(file);
        file.write_all(bytes)?;
        if let Some(old) = old {
            keep_permissions(&file, old)?;
        }
        file.sync_all()?;
        Ok(scratch)
    }

    fn take_name(self, name: &OsStr) -> Result<(), FileRefusal> {
        must_be_one_step(name)?;
        Ok(renameat(self.folder, self.name.as_str(), self.folder, name)?)
    }

    fn take_free_name(self, name: &OsStr) -> Result<(), FileRefusal> {
        rename_to_free_name((self.folder, self.name.as_ref()), (self.folder, name))
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        // After a rename the scratch name is free, and no other process uses it.
        let _ = unlinkat(self.folder, self.name.as_str(), AtFlags::empty());
    }
}

fn keep_permissions(file: &File, old: &Stat) -> Result<(), FileRefusal> {
    // Only root can give a file away; for other users this fails, and they stay the owner.
    let _ = fchown(file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
    Ok(fchmod(file, Mode::from_raw_mode(old.st_mode & 0o777))?)
}

//! Removes a folder with its content, or measures its size, for the trash. It works by handles: a
//! link is removed, never followed.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use hobnob_policy::EntryKind;
use rustix::fs::{AtFlags, fstat, statat, unlinkat};
use rustix::io::Errno;

use super::hidden::HiddenNow;
use super::kind::kind_of;
use super::open::open_folder;
use super::problem::FileRefusal;
use super::sorted_names::sorted_names;

/// How many nested folders are held open at once.
const MAX_DEPTH: usize = 256;

/// Removes the folder of this name. Stops at a hidden folder and at a mount point.
pub(crate) fn remove_tree(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    device: u64,
    hidden: &HiddenNow,
) -> Result<(), FileRefusal> {
    remove_below(parent, name, &Rules { device, hidden }, MAX_DEPTH)
}

/// The total size of all files in a folder, in bytes.
pub(crate) fn size_of_tree(folder: &OwnedFd) -> Result<u64, FileRefusal> {
    size_below(folder.as_fd(), MAX_DEPTH)
}

struct Rules<'hidden> {
    device: u64,
    hidden: &'hidden HiddenNow,
}

fn remove_below(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    rules: &Rules<'_>,
    depth: usize,
) -> Result<(), FileRefusal> {
    let depth = depth.checked_sub(1).ok_or(FileRefusal::TooDeep)?;
    let folder = open_folder(parent, name)?;
    let stat = fstat(&folder)?;
    if rules.hidden.has(&stat) {
        return Err(FileRefusal::ContainsHidden);
    }
    if stat.st_dev != rules.device {
        return Err(FileRefusal::OtherFileSystem);
    }
    for (name, _) in sorted_names(folder.as_fd())? {
        match unlinkat(&folder, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR) => remove_below(folder.as_fd(), &name, rules, depth)?,
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?)
}

fn size_below(folder: BorrowedFd<'_>, depth: usize) -> Result<u64, FileRefusal> {
    let depth = depth.checked_sub(1).ok_or(FileRefusal::TooDeep)?;
    let mut bytes: u64 = 0;
    for (name, _) in sorted_names(folder)? {
        let stat = statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
        let size = match kind_of(&stat) {
            EntryKind::Folder => size_below(open_folder(folder, &name)?.as_fd(), depth)?,
            EntryKind::File => u64::try_from(stat.st_size).unwrap_or(0),
            EntryKind::Link | EntryKind::Special => 0,
        };
        bytes = bytes.saturating_add(size);
    }
    Ok(bytes)
}

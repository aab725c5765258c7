//! Deletes files: by default into a hidden trash in the granted folder, where a person finds them.
//!
//! Each deletion gets a folder of its own, `.hobnob-trash/SECONDS-ID`, so that names never collide.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hobnob_policy::{Deletion, EntryKind, RelativePath};
use rustix::fs::{AtFlags, Mode, mkdirat, renameat, unlinkat};
use rustix::io::Errno;

use super::descend::{LastLink, Opened, Resolved};
use super::open::{look, open_folder, reopen_folder};
use super::problem::{FileError, FileRefusal};
use super::remove_tree::{remove_tree, size_of_tree};
use super::rename::movable;
use super::root::{ConfinedRoot, TRASH};
use super::sorted_names::sorted_names;
use super::write::flush_folder;

/// What happened to a deleted entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deleted {
    /// It is in the trash, at this path in the granted folder, which only a person sees.
    Trashed(String),
    /// It is gone for good.
    Removed,
}

/// How much the trash keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrashLimits {
    /// Deletions older than this are removed.
    pub age: Duration,
    /// While the trash has more bytes than this, the oldest deletion is removed.
    pub bytes: u64,
}

impl Default for TrashLimits {
    fn default() -> Self {
        Self { age: Duration::from_secs(30 * 24 * 60 * 60), bytes: 1 << 30 }
    }
}

/// Deletes a file, a link or a folder and its content.
pub(crate) fn delete(
    root: &ConfinedRoot,
    path: &RelativePath,
    deletion: Deletion,
) -> Result<Deleted, FileError> {
    let done = || {
        let found = root.resolve(path, LastLink::Keep)?;
        let opened = movable(root, &found)?;
        match deletion {
            Deletion::Trash => move_to_trash(root, &found, opened),
            Deletion::Forever => remove(root, &found, opened),
        }
    };
    done().map_err(|refusal| FileError::new(path, refusal))
}

/// Removes deletions that are too old or exceed the size limit; returns how many were removed.
pub(crate) fn clean_trash(
    root: &ConfinedRoot,
    limits: TrashLimits,
    now: SystemTime,
) -> Result<usize, FileError> {
    let path = RelativePath::root();
    clean(root, limits, now).map_err(|refusal| FileError::new(&path, refusal))
}

fn move_to_trash(
    root: &ConfinedRoot,
    found: &Resolved<'_>,
    opened: &Opened,
) -> Result<Deleted, FileRefusal> {
    let trash = open_trash(root)?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let place = format!("{seconds}-{:016x}", fastrand::u64(..));
    mkdirat(&trash, place.as_str(), Mode::from_raw_mode(0o700))?;
    let folder = look(trash.as_fd(), place.as_ref())?;
    if let Err(errno) = renameat(found.parent(), &opened.name, &folder, &opened.name) {
        // The new folder is still empty.
        let _ = unlinkat(&trash, place.as_str(), AtFlags::REMOVEDIR);
        return Err(errno.into());
    }
    flush_folder(&folder)?;
    flush_folder(found.parent())?;
    Ok(Deleted::Trashed(format!("{TRASH}/{place}/{}", opened.name.to_string_lossy())))
}

fn open_trash(root: &ConfinedRoot) -> Result<OwnedFd, FileRefusal> {
    match mkdirat(root.folder(), TRASH, Mode::from_raw_mode(0o700)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno.into()),
    }
    let trash = root.find_trash().ok_or(FileRefusal::Missing)?;
    // A link of that name is not a folder, and is not followed.
    reopen_folder(trash)
}

fn remove(
    root: &ConfinedRoot,
    found: &Resolved<'_>,
    opened: &Opened,
) -> Result<Deleted, FileRefusal> {
    match opened.kind() {
        EntryKind::Folder => {
            remove_tree(found.parent(), &opened.name, opened.stat.st_dev, &root.hidden_now())?;
        }
        EntryKind::File | EntryKind::Link | EntryKind::Special => {
            unlinkat(found.parent(), &opened.name, AtFlags::empty())?;
        }
    }
    flush_folder(found.parent())?;
    Ok(Deleted::Removed)
}

fn clean(root: &ConfinedRoot, limits: TrashLimits, now: SystemTime) -> Result<usize, FileRefusal> {
    let Some(trash) = root.find_trash() else { return Ok(0) };
    let trash = reopen_folder(trash)?;
    let hidden = root.hidden_now();
    let oldest = now.checked_sub(limits.age).unwrap_or(UNIX_EPOCH);
    let mut room = limits.bytes;
    let mut removed = 0;
    // Keep the newest deletions first.
    let mut places = deletions(&trash)?;
    places.reverse();
    for (deleted, name) in places {
        let size = size_of_tree(&open_folder(trash.as_fd(), &name)?)?;
        match room.checked_sub(size) {
            Some(rest) if oldest <= deleted => room = rest,
            _ => {
                remove_tree(trash.as_fd(), &name, root.device(), &hidden)?;
                removed += 1;
                if oldest <= deleted {
                    // If one deletion does not fit, no older one does.
                    room = 0;
                }
            }
        }
    }
    Ok(removed)
}

/// Hobnob's folders in the trash, oldest first, with the time of each deletion.
fn deletions(trash: &OwnedFd) -> Result<Vec<(SystemTime, OsString)>, FileRefusal> {
    let read = |name: &OsStr| {
        let (seconds, _) = name.to_str()?.split_once('-')?;
        UNIX_EPOCH.checked_add(Duration::from_secs(seconds.parse().ok()?))
    };
    let names = sorted_names(trash.as_fd())?.into_iter();
    let mut found: Vec<_> = names.filter_map(|(name, _)| Some((read(&name)?, name))).collect();
    found.sort();
    Ok(found)
}

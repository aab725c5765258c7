//! The metadata of an entry, without reading its content.

use std::os::fd::BorrowedFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hobnob_policy::{EntryKind, RelativePath};
use rustix::fs::{Stat, fstat};

use super::descend::{LastLink, Leaf, Opened};
use super::kind::kind_of;
use super::problem::{FileError, FileRefusal};
use super::root::ConfinedRoot;

/// The metadata of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    /// Its kind; a link is not followed.
    pub kind: EntryKind,
    /// The size of a file in bytes; for other kinds, the value depends on the file system.
    pub size: u64,
    /// When the content last changed.
    pub modified: SystemTime,
    /// The permission bits, such as `0o644`.
    pub mode: u32,
    /// How many hard links it has.
    pub names: u64,
}

impl FileFacts {
    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            kind: kind_of(stat),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: modified(stat),
            mode: stat.st_mode & 0o7777,
            names: widen(stat.st_nlink),
        }
    }
}

/// The metadata of an entry, and the target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStat {
    /// The metadata of the entry itself.
    pub facts: FileFacts,
    /// For a link: where it points.
    pub link: Option<LinkFacts>,
}

/// The target of a link, and whether it can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFacts {
    /// The text of the link, with replacement characters if it is not UTF-8.
    pub target: String,
    /// The kind of the target; `None` if it does not exist or is outside of the granted folder.
    pub leads_to: Option<EntryKind>,
}

/// Describes the entry at a path, without following a link at its end.
pub(crate) fn stat(root: &ConfinedRoot, path: &RelativePath) -> Result<FileStat, FileError> {
    let fail = |refusal| FileError::new(path, refusal);
    let found = root.resolve(path, LastLink::Keep).map_err(fail)?;
    let opened = match &found.leaf {
        Leaf::Root => {
            let facts = facts_of(found.parent()).map_err(fail)?;
            return Ok(FileStat { facts, link: None });
        }
        Leaf::Absent(_) => return Err(fail(FileRefusal::Missing)),
        Leaf::Present(opened) => opened,
    };
    let link = match opened.kind() {
        EntryKind::Link => Some(link_facts(root, path, opened).map_err(fail)?),
        EntryKind::File | EntryKind::Folder | EntryKind::Special => None,
    };
    Ok(FileStat { facts: FileFacts::of(&opened.stat), link })
}

fn facts_of(handle: BorrowedFd<'_>) -> Result<FileFacts, FileRefusal> {
    Ok(FileFacts::of(&fstat(handle)?))
}

fn link_facts(
    root: &ConfinedRoot,
    path: &RelativePath,
    link: &Opened,
) -> Result<LinkFacts, FileRefusal> {
    let target = link.link_target()?.to_string_lossy().into_owned();
    let leads_to = match root.resolve(path, LastLink::Follow).map(|found| found.leaf) {
        Ok(Leaf::Root) => Some(EntryKind::Folder),
        Ok(Leaf::Present(end)) => Some(end.kind()),
        Ok(Leaf::Absent(_)) | Err(_) => None,
    };
    Ok(LinkFacts { target, leads_to })
}

fn modified(stat: &Stat) -> SystemTime {
    let nanoseconds = Duration::from_nanos(widen(stat.st_mtime_nsec));
    let seconds = Duration::from_secs(stat.st_mtime.unsigned_abs());
    match stat.st_mtime < 0 {
        true => UNIX_EPOCH - seconds + nanoseconds,
        false => UNIX_EPOCH + seconds + nanoseconds,
    }
}

/// Converts a number whose type differs between architectures.
fn widen(number: impl Into<u64>) -> u64 {
    number.into()
}

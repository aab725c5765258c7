//! The entries of one folder, sorted by name, a page at a time.

use std::ffi::OsString;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use hobnob_policy::{EntryKind, RelativePath};
use rustix::fs::{AtFlags, statat};

use super::descend::LastLink;
use super::encoded::{decode, encode, encode_unless_text};
use super::hidden::HiddenNow;
use super::problem::{FileError, FileRefusal};
use super::root::ConfinedRoot;
use super::sorted_names::sorted_names;
use super::stat::FileFacts;

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name, with replacement characters if it is not UTF-8.
    pub name: String,
    /// For a name that is not UTF-8: all its bytes, percent-encoded.
    pub encoded: Option<String>,
    /// The facts of the entry itself; a link is not followed.
    pub facts: FileFacts,
}

/// A page of the entries of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderPage {
    /// The entries in the order of their names' bytes.
    pub entries: Vec<FolderEntry>,
    /// How many entries the folder has in all.
    pub total: usize,
    /// The opaque cursor of the next page, if there is one.
    pub next: Option<String>,
}

/// Lists a folder: at most `limit` entries of the page that begins after `after`.
pub(crate) fn list(
    root: &ConfinedRoot,
    path: &RelativePath,
    after: Option<&str>,
    limit: usize,
) -> Result<FolderPage, FileError> {
    page(root, path, after, limit).map_err(|refusal| FileError::new(path, refusal))
}

fn page(
    root: &ConfinedRoot,
    path: &RelativePath,
    after: Option<&str>,
    limit: usize,
) -> Result<FolderPage, FileRefusal> {
    let found = root.resolve(path, LastLink::Follow)?;
    let folder = found.folder()?;
    let names = visible_names(folder, &root.hidden_now())?;
    let total = names.len();
    let after = after.map(|after| OsString::from_vec(decode(after)));
    let first = after.map_or(0, |after| names.partition_point(|(name, _)| *name <= after));
    let rest = &names[first.min(total)..];
    let shown = &rest[..limit.min(rest.len())];
    let next = match shown.last() {
        Some((name, _)) if shown.len() < rest.len() => Some(encode(name.as_bytes())),
        _ => None,
    };
    let entries = shown.iter().filter_map(|(name, _)| {
        // Entries that were removed since the folder was read are left out.
        let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let encoded = encode_unless_text(name.as_bytes());
        let name = name.to_string_lossy().into_owned();
        Some(FolderEntry { name, encoded, facts: FileFacts::of(&stat) })
    });
    Ok(FolderPage { entries: entries.collect(), total, next })
}

/// The sorted names of a folder, without hidden folders.
pub(crate) fn visible_names(
    folder: BorrowedFd<'_>,
    hidden: &HiddenNow,
) -> Result<Vec<(OsString, Option<EntryKind>)>, FileRefusal> {
    let mut names = sorted_names(folder)?;
    names.retain(|(name, kind)| match kind {
        // Only folders are hidden.
        Some(EntryKind::File | EntryKind::Link | EntryKind::Special) => true,
        Some(EntryKind::Folder) | None => {
            let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
            stat.is_ok_and(|stat| !hidden.has(&stat))
        }
    });
    Ok(names)
}

//! Moves files and folders, within one granted folder or from one to another.

use std::ffi::OsStr;
use std::os::fd::BorrowedFd;

use hobnob_policy::{EntryKind, MoveMode, RelativePath};
use rustix::fs::renameat;

use super::descend::{LastLink, Leaf, Opened, Resolved};
use super::open::must_be_one_step;
use super::problem::{FileError, FileRefusal};
use super::root::ConfinedRoot;
use super::write::{flush_folder, rename_to_free_name};

/// Moves an entry. A link at the end of `from` or `to` is not followed.
pub(crate) fn rename(
    (from_root, from): (&ConfinedRoot, &RelativePath),
    (to_root, to): (&ConfinedRoot, &RelativePath),
    mode: MoveMode,
) -> Result<(), FileError> {
    let at_source = |refusal| FileError::new(from, refusal);
    let at_target = |refusal| FileError::new(to, refusal);
    let source = from_root.resolve(from, LastLink::Keep).map_err(at_source)?;
    let moved = movable(from_root, &source).map_err(at_source)?;
    let target = to_root.resolve(to, LastLink::Keep).map_err(at_target)?;
    let from_place = (source.parent(), moved.name.as_os_str());
    move_entry(from_place, &target, mode).map_err(at_target)?;
    flush_folder(target.parent()).map_err(at_target)?;
    flush_folder(source.parent()).map_err(at_source)
}

/// The entry to move, if it may be: not the granted folder, not Hobnob's files, no special file.
pub(crate) fn movable<'found>(
    root: &ConfinedRoot,
    found: &'found Resolved<'_>,
) -> Result<&'found Opened, FileRefusal> {
    let opened = found.present()?;
    match opened.kind() {
        EntryKind::Folder => root.refuse_hidden_inside(opened.id())?,
        EntryKind::File | EntryKind::Link => {}
        EntryKind::Special => return Err(FileRefusal::Special),
    }
    Ok(opened)
}

fn move_entry(
    from: (BorrowedFd<'_>, &OsStr),
    target: &Resolved<'_>,
    mode: MoveMode,
) -> Result<(), FileRefusal> {
    match &target.leaf {
        Leaf::Root => Err(FileRefusal::IsRoot),
        // A hidden folder seems absent, so the kernel must not replace anything.
        Leaf::Absent(name) => rename_to_free_name(from, (target.parent(), name)),
        Leaf::Present(opened) => match (mode, opened.kind()) {
            (MoveMode::ReplaceFile, EntryKind::File | EntryKind::Link) => {
                must_be_one_step(from.1)?;
                must_be_one_step(&opened.name)?;
                Ok(renameat(from.0, from.1, target.parent(), &opened.name)?)
            }
            (MoveMode::ReplaceFile, EntryKind::Special) => Err(FileRefusal::Special),
            (MoveMode::ReplaceFile, EntryKind::Folder) | (MoveMode::New, _) => {
                Err(FileRefusal::Exists)
            }
        },
    }
}

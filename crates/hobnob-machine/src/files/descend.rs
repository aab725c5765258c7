//! Walks from the granted folder down a path, one name after the other, on a stack of handles.
//!
//! [`ConfinedRoot`](super::root::ConfinedRoot) starts it. Links are read from their own handle and
//! resolved here; `..` pops the stack and never asks the file system. What must stay true: no
//! rename lets a path lead above the granted folder.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path};

use hobnob_policy::{EntryKind, RelativePath};
use rustix::fs::{Stat, fstat, readlinkat};

use super::hidden::HiddenNow;
use super::kind::{FolderId, kind_of, must_be_folder, refuse_kernel_file_system};
use super::open::look;
use super::problem::FileRefusal;

/// How many links one path may lead through, as in the kernel.
const MAX_LINKS: usize = 40;
/// How many nested folders are held open at once.
const MAX_DEPTH: usize = 256;

/// What happens to a link at the end of the path; links before it are always followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastLink {
    /// The path means the target of the link.
    Follow,
    /// The path means the link itself.
    Keep,
}

/// Where the descent begins, and what it must not enter.
pub(crate) struct Boundary<'root> {
    pub(crate) folder: BorrowedFd<'root>,
    /// The path of the granted folder: an absolute link leads out unless it begins with it.
    pub(crate) path: &'root Path,
    pub(crate) device: u64,
    pub(crate) hidden: HiddenNow,
}

/// Where a path leads: the open folders on the way, and the entry at its end.
#[derive(Debug)]
pub(crate) struct Resolved<'root> {
    root: BorrowedFd<'root>,
    /// The folders from just below the granted one to the parent of the leaf.
    folders: Vec<Opened>,
    pub(crate) leaf: Leaf,
}

/// The entry at the end of a path.
#[derive(Debug)]
pub(crate) enum Leaf {
    /// The granted folder itself, which has no name.
    Root,
    /// An entry that exists; a link only if the link itself was meant.
    Present(Opened),
    /// No such entry, but its parent folder exists.
    Absent(OsString),
}

/// An entry that was opened for its metadata only, and that metadata.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) name: OsString,
    pub(crate) handle: OwnedFd,
    pub(crate) stat: Stat,
}

impl Opened {
    pub(crate) fn kind(&self) -> EntryKind {
        kind_of(&self.stat)
    }

    pub(crate) fn id(&self) -> FolderId {
        FolderId::of(&self.stat)
    }

    /// The target of a link, read from the link's own handle.
    pub(crate) fn link_target(&self) -> Result<OsString, FileRefusal> {
        let target = readlinkat(&self.handle, "", Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()))
    }
}

impl Resolved<'_> {
    /// The folder that has the leaf, or would have it.
    pub(crate) fn parent(&self) -> BorrowedFd<'_> {
        self.folders.last().map_or(self.root, |folder| folder.handle.as_fd())
    }

    /// The granted folder and the folders on the way, each with its name; the granted one has none.
    pub(crate) fn way(&self) -> impl Iterator<Item = (&OsStr, BorrowedFd<'_>)> {
        let below = self.folders.iter().map(|it| (it.name.as_os_str(), it.handle.as_fd()));
        std::iter::once((OsStr::new(""), self.root)).chain(below)
    }

    /// The entry at the end, if it exists and has a name.
    pub(crate) fn present(&self) -> Result<&Opened, FileRefusal> {
        match &self.leaf {
            Leaf::Root => Err(FileRefusal::IsRoot),
            Leaf::Present(opened) => Ok(opened),
            Leaf::Absent(_) => Err(FileRefusal::Missing),
        }
    }

    /// The folder at the end, which may be the granted one.
    pub(crate) fn folder(&self) -> Result<BorrowedFd<'_>, FileRefusal> {
        match &self.leaf {
            Leaf::Root => Ok(self.root),
            Leaf::Present(opened) => {
                must_be_folder(opened.kind())?;
                Ok(opened.handle.as_fd())
            }
            Leaf::Absent(_) => Err(FileRefusal::Missing),
        }
    }
}

/// Resolves a path. Fails if it would leave the boundary or enter a hidden folder.
pub(crate) fn descend<'root>(
    boundary: &Boundary<'root>,
    path: &RelativePath,
    last: LastLink,
) -> Result<Resolved<'root>, FileRefusal> {
    let mut ahead: Vec<OsString> = path.names().rev().map(OsString::from).collect();
    let mut way = Way { boundary, folders: Vec::new() };
    let mut links = 0;
    while let Some(name) = ahead.pop() {
        match name.as_bytes() {
            b"." => continue,
            b".." => {
                way.folders.pop().ok_or(FileRefusal::Outside)?;
                continue;
            }
            _ => {}
        }
        let opened = match way.open(&name) {
            Ok(opened) => opened,
            Err(FileRefusal::Missing) if ahead.is_empty() => {
                return Ok(way.end(Leaf::Absent(name)));
            }
            Err(refusal) => return Err(refusal),
        };
        match opened.kind() {
            EntryKind::Link if ahead.is_empty() && last == LastLink::Keep => {
                return Ok(way.end(Leaf::Present(opened)));
            }
            EntryKind::Link => {
                links += 1;
                if MAX_LINKS < links {
                    return Err(FileRefusal::TooManyLinks);
                }
                way.follow(&opened, &mut ahead)?;
            }
            EntryKind::Folder => way.enter(opened)?,
            EntryKind::File | EntryKind::Special if ahead.is_empty() => {
                return Ok(way.end(Leaf::Present(opened)));
            }
            EntryKind::File | EntryKind::Special => return Err(FileRefusal::NotFolder),
        }
    }
    let leaf = way.folders.pop().map_or(Leaf::Root, Leaf::Present);
    Ok(way.end(leaf))
}

/// The folders that are open so far.
struct Way<'descent, 'root> {
    boundary: &'descent Boundary<'root>,
    folders: Vec<Opened>,
}

impl<'root> Way<'_, 'root> {
    fn open(&self, name: &OsStr) -> Result<Opened, FileRefusal> {
        let here = self.folders.last().map_or(self.boundary.folder, |it| it.handle.as_fd());
        let handle = look(here, name)?;
        let stat = fstat(&handle)?;
        // To a caller, a hidden folder does not exist.
        if self.boundary.hidden.has(&stat) {
            return Err(FileRefusal::Missing);
        }
        let device = self.folders.last().map_or(self.boundary.device, |it| it.stat.st_dev);
        if stat.st_dev != device {
            refuse_kernel_file_system(&handle)?;
        }
        Ok(Opened { name: name.to_owned(), handle, stat })
    }

    fn enter(&mut self, folder: Opened) -> Result<(), FileRefusal> {
        if MAX_DEPTH <= self.folders.len() {
            return Err(FileRefusal::TooDeep);
        }
        self.folders.push(folder);
        Ok(())
    }

    /// Puts the parts of a link's target before the remaining names.
    fn follow(&mut self, link: &Opened, ahead: &mut Vec<OsString>) -> Result<(), FileRefusal> {
        let target = link.link_target()?;
        let mut target = Path::new(&target);
        // Such a link leads to a folder or nowhere, but `components` drops the trailing dot.
        let text = target.as_os_str().as_bytes();
        if text.ends_with(b"/") || text.ends_with(b"/.") {
            ahead.push(".".into());
        }
        if target.is_absolute() {
            target = target.strip_prefix(self.boundary.path).map_err(|_| FileRefusal::Outside)?;
            self.folders.clear();
        }
        let parts = target.components().rev().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        });
        ahead.extend(parts);
        Ok(())
    }

    fn end(self, leaf: Leaf) -> Resolved<'root> {
        Resolved { root: self.boundary.folder, folders: self.folders, leaf }
    }
}

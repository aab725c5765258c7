//! The operations on files, with their exact parameters.
//!
//! The service builds one, the permit carries it unchanged, the effect reads it. Only this file
//! decides which access an operation needs.

use std::fmt;

use crate::grants::content_hash::ContentHash;
use crate::grants::file_root::RootAccess;
use crate::grants::file_search::{FileSearch, TreeWish};

/// One operation on one place. `P` is the type of a second place, if there is one: typed text in a
/// wish, a place in a granted folder in a permit.
#[derive(Clone, PartialEq, Eq)]
pub enum FileOperation<P> {
    /// Reads kind, size and times.
    Stat,
    /// Reads a file, or a part of it.
    Read {
        /// Which part is read.
        window: ReadWindow,
        /// Maximum number of bytes to return.
        limit: u64,
    },
    /// Lists the names in a folder, sorted and in pages.
    List {
        /// The cursor from the previous page.
        after: Option<String>,
        /// Maximum number of names on the page.
        limit: usize,
    },
    /// Lists the names in a folder and in the folders below it.
    Tree(TreeWish),
    /// Searches files below a folder, by name and by content.
    Search {
        /// What is searched for.
        wish: Box<FileSearch>,
        /// The cursor from the previous page.
        after: Option<String>,
        /// Maximum number of hits on the page.
        limit: usize,
    },
    /// Writes a whole file.
    Write {
        /// The complete new content of the file.
        bytes: Vec<u8>,
        /// What may be there already.
        mode: WriteMode,
    },
    /// Replaces exact parts of a text.
    Edit {
        /// Applied one after the other.
        edits: Vec<TextEdit>,
        /// Whether the file is written.
        run: EditRun,
    },
    /// Moves a file or folder.
    Move {
        /// The place to move it to.
        to: P,
        /// What may be there already.
        mode: MoveMode,
    },
    /// Makes a new folder, and its missing parents if that is wanted.
    MakeFolder(MissingParents),
    /// Deletes a file or folder.
    Delete(Deletion),
}

/// Which part of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadWindow {
    /// From the beginning, up to the limit.
    Whole,
    /// A range of bytes.
    Bytes {
        /// How many bytes are skipped before it.
        start: u64,
        /// Maximum number of bytes of the range.
        length: u64,
    },
    /// A range of lines.
    Lines {
        /// The first line, counted from 1; 0 means the same.
        first: u64,
        /// Maximum number of lines of the range.
        count: u64,
    },
}

/// What may be at the path before a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// Nothing, or a file, which is replaced.
    Replace,
    /// Nothing: an existing file stays unchanged.
    New,
    /// A file with exactly this content: the version that the caller has read.
    IfHash(ContentHash),
}

/// One replacement. Several apply one after the other, each to the result of the previous ones.
#[derive(Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The text to replace, byte for byte.
    pub old: String,
    /// The text to put in its place.
    pub new: String,
    /// How often the old text may occur.
    pub matches: EditMatches,
}

/// How often the old text of an edit may occur in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMatches {
    /// Exactly once, so that the place is unambiguous.
    Once,
    /// At least once; every occurrence is replaced.
    All,
}

/// Whether an edit is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditRun {
    /// Only shows what would change.
    Preview,
    /// Changes the file on the disk.
    Write,
}

/// What happens if the new name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveMode {
    /// The move fails and changes nothing.
    New,
    /// A file or link of that name is replaced; a folder never is.
    ReplaceFile,
}

/// What happens if a parent folder is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingParents {
    /// The parents are made too.
    Make,
    /// The operation fails and makes nothing.
    Refuse,
}

/// What happens to the bytes of a deleted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// They are moved into the trash of the granted folder.
    Trash,
    /// They are gone at once.
    Forever,
}

impl<P> FileOperation<P> {
    /// The operation in one word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stat => "stat",
            Self::Read { .. } => "read",
            Self::List { .. } => "list",
            Self::Tree(_) => "tree",
            Self::Search { .. } => "search",
            Self::Write { .. } => "write",
            Self::Edit { .. } => "edit",
            Self::Move { .. } => "move",
            Self::MakeFolder(_) => "mkdir",
            Self::Delete(_) => "delete",
        }
    }

    /// The access that the operation needs in every folder it touches.
    #[must_use]
    pub fn needed_access(&self) -> RootAccess {
        match self {
            Self::Stat
            | Self::Read { .. }
            | Self::List { .. }
            | Self::Tree(_)
            | Self::Search { .. }
            | Self::Edit { run: EditRun::Preview, .. } => RootAccess::Read,
            Self::Write { .. }
            | Self::Edit { run: EditRun::Write, .. }
            | Self::Move { .. }
            | Self::MakeFolder(_)
            | Self::Delete(_) => RootAccess::Write,
        }
    }

    /// Whether it works on a folder as a whole, so that a grant for it would name that folder.
    pub(super) fn is_about_folder(&self) -> bool {
        matches!(self, Self::List { .. } | Self::Tree(_) | Self::Search { .. })
    }

    /// The same operation with its second place, if it has one, resolved by `find`.
    pub(super) fn try_map<Q, E>(
        self,
        find: impl FnOnce(P) -> Result<Q, E>,
    ) -> Result<FileOperation<Q>, E> {
        Ok(match self {
            Self::Stat => FileOperation::Stat,
            Self::Read { window, limit } => FileOperation::Read { window, limit },
            Self::List { after, limit } => FileOperation::List { after, limit },
            Self::Tree(wish) => FileOperation::Tree(wish),
            Self::Search { wish, after, limit } => FileOperation::Search { wish, after, limit },
            Self::Write { bytes, mode } => FileOperation::Write { bytes, mode },
            Self::Edit { edits, run } => FileOperation::Edit { edits, run },
            Self::Move { to, mode } => FileOperation::Move { to: find(to)?, mode },
            Self::MakeFolder(parents) => FileOperation::MakeFolder(parents),
            Self::Delete(deletion) => FileOperation::Delete(deletion),
        })
    }
}

/// Contents may be secrets: only the name of the operation is printed.
impl<P> fmt::Debug for FileOperation<P> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

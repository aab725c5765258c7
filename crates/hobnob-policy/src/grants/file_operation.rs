//! What can be done with files: the exact parameters of one operation.
//!
//! The service fills one in, the permit carries it unchanged, the effect reads it. Which access an
//! operation needs is decided here and nowhere else.

use std::fmt;

use crate::grants::content_hash::ContentHash;
use crate::grants::file_root::RootAccess;
use crate::grants::file_search::{FileSearch, TreeWish};

/// One operation on one place. `P` is a second place, where there is one: as typed in a wish, found
/// beneath a granted folder in a permit.
#[derive(Clone, PartialEq, Eq)]
pub enum FileOperation<P> {
    /// Kind, size and times.
    Stat,
    /// The contents of a file, or a part of them.
    Read {
        /// Which part is read.
        window: ReadWindow,
        /// How many bytes at most.
        limit: u64,
    },
    /// The names in a folder, sorted and in pages.
    List {
        /// Where the page before this one ended, as it was given out.
        after: Option<String>,
        /// How many names at most.
        limit: usize,
    },
    /// The names in a folder and the folders below it.
    Tree(TreeWish),
    /// Files below a folder, by name and by contents.
    Search {
        /// What is searched for.
        wish: Box<FileSearch>,
        /// Where the page before this one ended.
        after: Option<String>,
        /// How many hits at most.
        limit: usize,
    },
    /// New contents for a file.
    Write {
        /// All that the file has afterwards.
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
    /// Gives a file or folder another place.
    Move {
        /// The place that it gets.
        to: P,
        /// What may be there already.
        mode: MoveMode,
    },
    /// Makes a new folder, with the folders above it if that is wanted.
    MakeFolder(MissingParents),
    /// Takes a file or folder away.
    Delete(Deletion),
}

/// Which part of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadWindow {
    /// From the beginning, as far as the limit reaches.
    Whole,
    /// Some bytes in the middle.
    Bytes {
        /// How many bytes are left out before it.
        start: u64,
        /// How many bytes it has at most.
        length: u64,
    },
    /// Some lines in the middle.
    Lines {
        /// The first line, counted from 1; 0 means the same.
        first: u64,
        /// How many lines it has at most.
        count: u64,
    },
}

/// What may be there before a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// Nothing or a file, which is replaced.
    Replace,
    /// Nothing: a file that exists stays as it is.
    New,
    /// A file with exactly this content: the one that the caller has read.
    IfHash(ContentHash),
}

/// One replacement. Several apply one after the other, each to the result of those before it.
#[derive(Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The text that must be there, byte for byte.
    pub old: String,
    /// What stands there afterwards.
    pub new: String,
    /// How often the old text may be there.
    pub matches: EditMatches,
}

/// How often the text of an edit may be in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMatches {
    /// Exactly once, so that there is no doubt about the place.
    Once,
    /// At least once; all of them are replaced.
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
    /// Nothing is moved and nothing is lost.
    New,
    /// A file or link of that name is replaced; a folder never is.
    ReplaceFile,
}

/// What happens if a folder above is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingParents {
    /// They are made too.
    Make,
    /// Nothing is made, and the caller is told so.
    Refuse,
}

/// What deleting does with the bytes.
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

    /// The access that it needs beneath every folder it touches.
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

    /// The same operation with its second place found, if it has one.
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

/// Contents may be secrets: only the name of the operation is shown.
impl<P> fmt::Debug for FileOperation<P> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

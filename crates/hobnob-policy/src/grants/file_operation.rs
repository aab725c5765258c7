//! What can be done with files: the exact parameters of one operation.
//!
//! The service fills one in, the permit carries it unchanged, the effect reads it. Which access an
//! operation needs is decided here and nowhere else.

use std::fmt;

use jiff::Timestamp;

use crate::grants::file_root::RootAccess;

/// One operation on one place. `P` is a second place, where there is one: as typed in a wish, found
/// beneath a granted folder in a permit.
#[derive(Clone, PartialEq, Eq)]
pub enum FileOperation<P> {
    /// Kind, size and times.
    Stat,
    /// The contents of a file, or a part of them.
    Read(ReadWindow),
    /// The names in a folder.
    List,
    /// The names in a folder and the folders below it.
    Tree {
        /// How many levels are shown.
        depth: u32,
    },
    /// Files below a folder, by name and by contents.
    Search(Box<SearchQuery>),
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
        effect: EditEffect,
        /// The hash that the file must have, if the caller read it before.
        if_hash: Option<String>,
    },
    /// Gives a file or folder another place, where nothing is yet.
    Move {
        /// The place that it gets.
        to: P,
    },
    /// A new folder, with its missing parents.
    MakeFolder,
    /// Takes a file or folder away.
    Delete(Deletion),
}

/// Which part of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadWindow {
    /// All of it, as far as the limit of a result allows.
    Whole,
    /// Lines, counted from one.
    Lines {
        /// The number of the first line.
        first: u64,
        /// How many lines at most.
        count: u64,
    },
    /// Bytes, counted from zero.
    Bytes {
        /// Where the first byte is.
        offset: u64,
        /// How many bytes at most.
        length: u64,
    },
}

/// What may be at a place that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteMode {
    /// Nothing: an existing file is never replaced.
    CreateNew,
    /// A file, which is replaced as a whole.
    Replace {
        /// The hash that it must have, if the caller read it before.
        if_hash: Option<String>,
    },
}

/// One text that takes the place of another.
#[derive(Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The text that must be there.
    pub old: String,
    /// The text that takes its place.
    pub new: String,
    /// How often the old text may be there.
    pub count: EditCount,
}

/// How often a text to be replaced may occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditCount {
    /// Exactly once; anything else is refused.
    Once,
    /// At least once, and every occurrence is replaced.
    All,
}

/// Whether an edit is made or only shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditEffect {
    /// The difference is shown and nothing is written.
    Preview,
    /// The file is written, and the difference shown.
    Apply,
}

/// Where deleted files go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// Into a folder from which a person can take them back.
    Trash,
    /// They are gone at once.
    Forever,
}

/// What is searched for. All conditions that are given must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    /// A glob over the path below the folder that is searched.
    pub name: Option<String>,
    /// A regular expression that a line of the contents must match.
    pub content: Option<String>,
    /// Only entries of this kind.
    pub kind: Option<EntryKind>,
    /// The least and the largest size in bytes.
    pub size: (Option<u64>, Option<u64>),
    /// The earliest and the latest time of the last change.
    pub modified: (Option<Timestamp>, Option<Timestamp>),
    /// What `.gitignore` and `.ignore` files do.
    pub ignore_files: IgnoreFiles,
    /// How many results a page has at most.
    pub limit: usize,
    /// Where the page before this one ended.
    pub cursor: Option<String>,
    /// Whether everything is counted, or the search ends with the page.
    pub totals: SearchTotals,
}

/// What kind of entry a folder lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file, whatever is in it.
    File,
    /// A folder, which is searched too.
    Folder,
    /// A symbolic link, which searches do not follow.
    Link,
}

/// Whether ignore files are honoured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoreFiles {
    /// What they name is left out, and so are hidden files.
    Honoured,
    /// What they name is searched too.
    Disregarded,
}

/// How much of a search is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchTotals {
    /// The search goes on behind the page until all is counted.
    Exact,
    /// The search ends when the page is full.
    Skipped,
}

impl<P> FileOperation<P> {
    /// The operation in one word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stat => "stat",
            Self::Read(_) => "read",
            Self::List => "list",
            Self::Tree { .. } => "tree",
            Self::Search(_) => "search",
            Self::Write { .. } => "write",
            Self::Edit { .. } => "edit",
            Self::Move { .. } => "move",
            Self::MakeFolder => "mkdir",
            Self::Delete(_) => "delete",
        }
    }

    /// The access that it needs beneath every folder it touches.
    #[must_use]
    pub fn needed_access(&self) -> RootAccess {
        match self {
            Self::Stat | Self::Read(_) | Self::List | Self::Tree { .. } | Self::Search(_) => {
                RootAccess::Read
            }
            Self::Edit { effect: EditEffect::Preview, .. } => RootAccess::Read,
            Self::Write { .. }
            | Self::Edit { effect: EditEffect::Apply, .. }
            | Self::Move { .. }
            | Self::MakeFolder
            | Self::Delete(_) => RootAccess::Write,
        }
    }

    /// Whether it works on a folder as a whole, so that a grant for it would name that folder.
    pub(super) fn is_about_folder(&self) -> bool {
        matches!(self, Self::List | Self::Tree { .. } | Self::Search(_))
    }

    /// The same operation with its second place found, if it has one.
    pub(super) fn try_map<Q, E>(
        self,
        find: impl FnOnce(P) -> Result<Q, E>,
    ) -> Result<FileOperation<Q>, E> {
        Ok(match self {
            Self::Stat => FileOperation::Stat,
            Self::Read(window) => FileOperation::Read(window),
            Self::List => FileOperation::List,
            Self::Tree { depth } => FileOperation::Tree { depth },
            Self::Search(query) => FileOperation::Search(query),
            Self::Write { bytes, mode } => FileOperation::Write { bytes, mode },
            Self::Edit { edits, effect, if_hash } => FileOperation::Edit { edits, effect, if_hash },
            Self::Move { to } => FileOperation::Move { to: find(to)? },
            Self::MakeFolder => FileOperation::MakeFolder,
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

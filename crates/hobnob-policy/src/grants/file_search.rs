//! What is searched for below a folder, and how much of a tree is shown.

use std::time::SystemTime;

/// A search as a caller asks for it. Everything that is set must hold for a hit; by default nothing
/// is, and all entries that are not ignored are found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSearch {
    /// Text that the name has in it, in whatever case.
    pub name: Option<String>,
    /// A pattern such as `*.rs` for the name or, with a slash, for the path below the start.
    pub glob: Option<String>,
    /// Text in the file; each line that has it is a hit of its own.
    pub content: Option<ContentPattern>,
    /// Only entries of this kind; content is only searched for in files.
    pub kind: Option<EntryKind>,
    /// Files with at least so many bytes.
    pub min_size: Option<u64>,
    /// Files with at most so many bytes.
    pub max_size: Option<u64>,
    /// Entries that changed at this time or later.
    pub modified_since: Option<SystemTime>,
    /// Entries that changed before this time.
    pub modified_before: Option<SystemTime>,
    /// Whether what ignore files name is left out.
    pub ignore_files: IgnoreFiles,
    /// Whether names that begin with a dot are left out.
    pub dot_files: DotFiles,
    /// How many folders deep; 1 means the entries of the start only.
    pub depth: Option<usize>,
    /// Whether the hits behind the page are counted.
    pub count: HitCount,
}

/// Which hits a search counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HitCount {
    /// All of them, so that the total is exact, however long it takes.
    #[default]
    All,
    /// Those it meets until the page is full; what cannot be on the page is not looked at.
    UntilPageIsFull,
}

/// Text to be found in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentPattern {
    /// The pattern as the caller wrote it.
    pub text: String,
    /// How it is read.
    pub syntax: PatternSyntax,
    /// Whether `a` also finds `A`.
    pub case: LetterCase,
}

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternSyntax {
    /// A regular expression of Rust's `regex`, within one line.
    Regex,
    /// Exactly this text, without any special characters.
    Literal,
}

/// Whether upper and lower case are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LetterCase {
    /// They differ, as they are written.
    Sensitive,
    /// `A` finds `a`, and `a` finds `A`.
    Insensitive,
    /// They are the same unless the pattern has an upper-case letter.
    Smart,
}

/// What stands at a place of the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// A regular file, which has bytes.
    File,
    /// A folder, which has entries.
    Folder,
    /// A symbolic link, not followed.
    Link,
    /// A pipe, a socket or a device: named, never opened.
    Special,
}

/// Whether ignore files are read at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IgnoreFiles {
    /// What they name is left out.
    #[default]
    Honour,
    /// Everything is found, also what they name.
    Disregard,
}

/// Whether names that begin with a dot are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DotFiles {
    /// They are left out, unless an ignore file asks for them.
    #[default]
    Skip,
    /// They are found like all others.
    Include,
}

/// How much of a tree is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeWish {
    /// How many folders deep; 1 means the entries of the folder only.
    pub depth: usize,
    /// How many rows at most.
    pub rows: usize,
    /// Whether what ignore files name is left out.
    pub ignore_files: IgnoreFiles,
    /// Whether names that begin with a dot are left out.
    pub dot_files: DotFiles,
}

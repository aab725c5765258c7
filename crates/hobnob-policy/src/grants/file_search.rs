//! The parameters of a search below a folder, and of a tree.

use std::time::SystemTime;

/// A search as a caller asks for it. A hit meets every condition that is set; by default none is,
/// and all entries that are not ignored are found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSearch {
    /// Text that the name contains, case-insensitively.
    pub name: Option<String>,
    /// A pattern such as `*.rs` for the name or, with a slash, for the path below the start.
    pub glob: Option<String>,
    /// Text in the file; each line that contains it is a hit of its own.
    pub content: Option<ContentPattern>,
    /// Only entries of this kind; content is only searched for in files.
    pub kind: Option<EntryKind>,
    /// The smallest size in bytes.
    pub min_size: Option<u64>,
    /// The largest size in bytes.
    pub max_size: Option<u64>,
    /// Entries that changed at this time or later.
    pub modified_since: Option<SystemTime>,
    /// Entries that changed before this time.
    pub modified_before: Option<SystemTime>,
    /// Whether entries that ignore files name are left out.
    pub ignore_files: IgnoreFiles,
    /// Whether names that begin with a dot are left out.
    pub dot_files: DotFiles,
    /// The deepest level; 1 means the entries of the start folder only.
    pub depth: Option<usize>,
    /// Which hits are counted.
    pub count: HitCount,
}

/// Which hits a search counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HitCount {
    /// All hits, so that the total is exact, even if that takes long.
    #[default]
    All,
    /// Hits found until the page is full; entries that cannot be on the page are skipped.
    UntilPageIsFull,
}

/// A pattern for lines of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentPattern {
    /// The pattern as the caller wrote it.
    pub text: String,
    /// How the pattern is parsed.
    pub syntax: PatternSyntax,
    /// Whether `a` also finds `A`.
    pub case: LetterCase,
}

/// How a pattern is parsed.
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
    /// `A` and `a` differ.
    Sensitive,
    /// `A` finds `a`, and `a` finds `A`.
    Insensitive,
    /// They are equal unless the pattern has an upper-case letter.
    Smart,
}

/// The kind of an entry of the file system.
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
    /// The entries that they name are left out.
    #[default]
    Honour,
    /// They are not read: everything is found.
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

/// The size of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeWish {
    /// The deepest level; 1 means the entries of the folder only.
    pub depth: usize,
    /// Maximum number of rows of the tree.
    pub rows: usize,
    /// Whether entries that ignore files name are left out.
    pub ignore_files: IgnoreFiles,
    /// Whether names that begin with a dot are left out.
    pub dot_files: DotFiles,
}

//! A memory and the words that place it.

use crate::owner::{Owner, ProjectKey};
use crate::time::Time;
use std::fmt;

/// A memory's name: 32 hexadecimal digits, made at random.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(Box<str>);

impl MemoryId {
    /// A new one that nobody can guess.
    pub fn random() -> Self {
        Self(crate::sqlite::random_hex().into())
    }

    /// Checks an id somebody gave us.
    pub fn parse(raw: &str) -> Option<Self> {
        let legal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (raw.len() == 32 && raw.bytes().all(legal)).then(|| Self(raw.into()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A word that cannot be a namespace or a tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("use 1 to 64 lower-case letters, digits, `-` or `_`")]
pub struct InvalidLabel;

/// What kind of thing a memory is about: `decisions`, `patterns`, or the user's own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace(Box<str>);

impl Namespace {
    /// Checks a name: 1 to 64 of `[a-z0-9_-]`, since it is part of a URI.
    pub fn parse(raw: &str) -> Result<Self, InvalidLabel> {
        let legal =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        let fits = (1..=64).contains(&raw.len()) && raw.bytes().all(legal);
        if fits { Ok(Self(raw.into())) } else { Err(InvalidLabel) }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A word somebody put on a memory, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(Box<str>);

impl Tag {
    /// Checks a word: 1 to 64 characters of any script, without white space, commas and control
    /// characters. Case does not matter.
    pub fn parse(raw: &str) -> Result<Self, InvalidLabel> {
        let word = raw.trim().to_lowercase();
        let legal = |it: char| !it.is_whitespace() && !it.is_control() && it != ',';
        let fits = (1..=64).contains(&word.chars().count()) && word.chars().all(legal);
        if fits { Ok(Self(word.into())) } else { Err(InvalidLabel) }
    }

    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whom a memory is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryScope {
    /// Its owner, in one project.
    Project(ProjectKey),
    /// Its owner, everywhere.
    User,
    /// Everybody who uses this store.
    Org,
}

/// The word for a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScopeKind {
    /// `project`.
    Project,
    /// `user`.
    User,
    /// `org`.
    Org,
}

impl ScopeKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Project, Self::User, Self::Org];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Org => "org",
        }
    }

    /// Reads the word.
    pub fn parse(raw: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == raw)
    }
}

impl MemoryScope {
    /// Its word.
    pub fn kind(&self) -> ScopeKind {
        match self {
            Self::Project(_) => ScopeKind::Project,
            Self::User => ScopeKind::User,
            Self::Org => ScopeKind::Org,
        }
    }

    /// The project's key, empty for others.
    pub fn project(&self) -> &str {
        match self {
            Self::Project(key) => key.as_str(),
            Self::User | Self::Org => "",
        }
    }
}

/// Where a memory is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryStatus {
    /// To be found.
    Active,
    /// Another memory has taken its place.
    Superseded,
    /// Deleted, and can be restored until it is purged.
    Deleted,
}

impl MemoryStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Active, Self::Superseded, Self::Deleted];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Superseded => "superseded",
            Self::Deleted => "deleted",
        }
    }

    /// Reads the word.
    pub fn parse(raw: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == raw)
    }
}

/// One memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Its name.
    pub id: MemoryId,
    /// Whose it is.
    pub owner: Owner,
    /// Whom it is for.
    pub scope: MemoryScope,
    /// What kind of thing it is about.
    pub namespace: Namespace,
    /// What is remembered.
    pub content: String,
    /// Sorted, without repetition.
    pub tags: Vec<Tag>,
    /// Where it comes from: a file, a conversation, a URL.
    pub source: Option<String>,
    /// Where it is in its life.
    pub status: MemoryStatus,
    /// The memory that took its place.
    pub superseded_by: Option<MemoryId>,
    /// Grows with each change; the first is 1.
    pub version: u32,
    /// When it was captured.
    pub created: Time,
    /// When it last changed.
    pub updated: Time,
    /// From when on it is not found any more.
    pub expires: Option<Time>,
}

/// A memory to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMemory {
    /// Whose.
    pub owner: Owner,
    /// For whom.
    pub scope: MemoryScope,
    /// About what.
    pub namespace: Namespace,
    /// What.
    pub content: String,
    /// Labels.
    pub tags: Vec<Tag>,
    /// From where.
    pub source: Option<String>,
    /// When; imports bring their own time.
    pub created: Time,
    /// Until when.
    pub expires: Option<Time>,
    /// The id it has elsewhere, for an import or a fetch; a new one otherwise.
    pub id: Option<MemoryId>,
}

/// What became of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Captured {
    /// It is stored.
    New(Memory),
    /// The very same was there already, in the same scope and namespace; nothing was stored.
    Same(Memory),
}

/// What to change of a memory; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryEdit {
    /// Other content.
    pub content: Option<String>,
    /// Another namespace.
    pub namespace: Option<Namespace>,
    /// Other tags, all of them.
    pub tags: Option<Vec<Tag>>,
    /// Another source; the inner `None` removes it.
    pub source: Option<Option<String>>,
    /// Another end; the inner `None` removes it.
    pub expires: Option<Option<Time>>,
    /// Fail unless the memory is at this version.
    pub expected_version: Option<u32>,
}

/// What a memory was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryVersion {
    /// The version that this was.
    pub version: u32,
    /// Its content then.
    pub content: String,
    /// Its namespace then.
    pub namespace: Namespace,
    /// Its tags then.
    pub tags: Vec<Tag>,
    /// Its status then.
    pub status: MemoryStatus,
    /// When it became so.
    pub since: Time,
    /// What made it so: `captured`, `updated`, `deleted`, `restored`, `superseded`, `expired`,
    /// `synced`.
    pub action: String,
}

/// A word and how many memories have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageCount {
    /// The word.
    pub word: String,
    /// How many.
    pub count: u64,
}

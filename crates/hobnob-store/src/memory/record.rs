//! A memory, and the validated names that place it: ids, namespaces, tags.
//!
//! Services make these from what callers send; a value that exists is valid.

use super::scope::{MemoryScope, WritableScope};
use crate::owner::Owner;
use crate::time::Time;
use std::{fmt, io};

/// A memory's name: 32 hexadecimal digits, made at random.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(Box<str>);

impl MemoryId {
    /// A new one that nobody can guess.
    pub fn random() -> io::Result<Self> {
        Ok(Self(crate::random::random_hex()?.into()))
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

    /// The tag in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where a memory is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryStatus {
    /// It is found and listed.
    Active,
    /// Another memory has taken its place.
    Superseded,
    /// Deleted, and can be restored until it is purged.
    Deleted,
}

impl MemoryStatus {
    /// Every status there is.
    pub const ALL: [Self; 3] = [Self::Active, Self::Superseded, Self::Deleted];

    /// The word in tools and filters.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Superseded => "superseded",
            Self::Deleted => "deleted",
        }
    }

    /// Reads the word that `as_str` writes.
    pub fn parse(raw: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == raw)
    }
}

/// Something that was captured, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Unique in a store, and the same in every clone that exchanged it.
    pub id: MemoryId,
    /// Who captured it, and may change it.
    pub owner: Owner,
    /// Whom it is for.
    pub scope: MemoryScope,
    /// What kind of thing it is about.
    pub namespace: Namespace,
    /// What is remembered, without secrets.
    pub content: String,
    /// In alphabetical order, each once.
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
    /// Who captures it, and may change it later.
    pub owner: Owner,
    /// Who will see it, and that its owner may write there.
    pub scope: WritableScope,
    /// The kind of thing it is about.
    pub namespace: Namespace,
    /// The text to remember, already checked for secrets.
    pub content: String,
    /// Labels to find it by.
    pub tags: Vec<Tag>,
    /// A file, a conversation, a URL; where it comes from.
    pub source: Option<String>,
    /// When; imports bring their own time.
    pub created: Time,
    /// When it stops being found; never if absent.
    pub expires: Option<Time>,
    /// The id it has elsewhere, for an import or a fetch; a new one otherwise.
    pub id: Option<MemoryId>,
    /// When it was asked for, in microseconds since 1970: what one source said stands in this order,
    /// whichever is written first. `None` takes the moment of the write.
    pub arrived_micros: Option<u64>,
}

/// What became of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Captured {
    /// It was stored as this.
    New(Memory),
    /// The very same was there already, in the same scope and namespace; nothing was stored.
    Same(Memory),
}

/// What became of a capture that also adds to what is there, and compares.
#[derive(Debug, Clone, PartialEq)]
pub struct CaptureOutcome {
    /// Whether it was stored, or was there already.
    pub captured: Captured,
    /// What the one that was there got of it.
    pub merged: MergedLabels,
    /// Others of the same scope and namespace that say nearly the same, most alike first.
    pub alike: Vec<AlikeMemory>,
}

/// Labels that a memory got because the very same was captured with them again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergedLabels {
    /// Tags that it did not have.
    pub tags: Vec<Tag>,
    /// A source that it did not have. It is its only one, or a further one that filters find.
    pub source: Option<String>,
    /// Whether there were labels that it does not have now either: it belongs to someone else, or
    /// has no room for more.
    pub left_out: bool,
}

/// A memory that says nearly the same as another one.
#[derive(Debug, Clone, PartialEq)]
pub struct AlikeMemory {
    /// The memory in full.
    pub memory: Memory,
    /// The share of its pairs of words that both have, up to 1.
    pub similarity: f64,
}

/// What to change of a memory; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryEdit {
    /// The text to remember instead.
    pub content: Option<String>,
    /// The namespace to move it to.
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
    /// The text it had.
    pub content: String,
    /// The namespace it was in.
    pub namespace: Namespace,
    /// The tags it had.
    pub tags: Vec<Tag>,
    /// The status it had.
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
    /// A namespace, a tag or a list.
    pub word: String,
    /// How many records use it.
    pub count: u64,
}

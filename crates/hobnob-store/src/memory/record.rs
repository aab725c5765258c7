//! The memory record, and the validated types it is made of: ids, namespaces, tags.
//!
//! Services parse these from what callers send; a value that exists is valid.

use super::scope::{MemoryScope, WritableScope};
use crate::owner::Owner;
use crate::time::Time;
use std::{fmt, io};

/// A memory's id: 32 random hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(Box<str>);

impl MemoryId {
    /// A new, unguessable id.
    pub fn random() -> io::Result<Self> {
        Ok(Self(crate::random::random_hex()?.into()))
    }

    /// Checks an id that a caller sent.
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

/// The text is not a valid namespace or tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("use 1 to 64 lower-case letters, digits, `-` or `_`")]
pub struct InvalidLabel;

/// The category of a memory: `decisions`, `patterns`, or one that the user invented.
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

/// A tag of a memory, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(Box<str>);

impl Tag {
    /// Checks a tag: 1 to 64 characters of any script, without white space, commas and control
    /// characters; upper case becomes lower case.
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

/// The status of a memory in its life cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryStatus {
    /// Searches find it and lists show it.
    Active,
    /// Another memory has replaced it.
    Superseded,
    /// Deleted, and restorable until it is purged.
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

/// A captured memory in its current version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Unique in a store, and the same in every clone it was synced to.
    pub id: MemoryId,
    /// The user who captured it, and may change it.
    pub owner: Owner,
    /// Who can see it.
    pub scope: MemoryScope,
    /// The category it belongs to.
    pub namespace: Namespace,
    /// The remembered text, without secrets.
    pub content: String,
    /// Sorted alphabetically, without duplicates.
    pub tags: Vec<Tag>,
    /// Where it comes from: a file, a conversation, a URL.
    pub source: Option<String>,
    /// The status it has now.
    pub status: MemoryStatus,
    /// The memory that replaced it. An active memory can have one, too: it is still found, below
    /// the newer one, and only while that is active.
    pub superseded_by: Option<MemoryId>,
    /// Starts at 1 and grows with each change.
    pub version: u32,
    /// When it was captured.
    pub created: Time,
    /// When it last changed.
    pub updated: Time,
    /// From this time on, searches do not find it.
    pub expires: Option<Time>,
}

/// A memory that is about to be captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMemory {
    /// The user who captures it, and may change it later.
    pub owner: Owner,
    /// Who will see it, with the proof that its owner may write there.
    pub scope: WritableScope,
    /// The category it belongs to.
    pub namespace: Namespace,
    /// The text to remember, already checked for secrets.
    pub content: String,
    /// Tags to find it by.
    pub tags: Vec<Tag>,
    /// Where it comes from: a file, a conversation, a URL.
    pub source: Option<String>,
    /// When it was captured; imports bring their own time.
    pub created: Time,
    /// When searches stop finding it; never if `None`.
    pub expires: Option<Time>,
    /// The id it has elsewhere, for an import or a sync; a new one otherwise.
    pub id: Option<MemoryId>,
    /// When its capture was requested, in microseconds since 1970. Memories of one source are
    /// ordered by this time, however late each is written. `None` takes the time of the write.
    pub arrived_micros: Option<u64>,
}

/// The result of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Captured {
    /// The stored memory, which is new.
    New(Memory),
    /// The duplicate that already exists in the same scope and namespace; nothing was stored.
    Same(Memory),
}

/// The result of a capture that also merges labels and looks for near-duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct CaptureOutcome {
    /// Whether it was stored, or a duplicate existed.
    pub captured: Captured,
    /// The labels that the duplicate gained.
    pub merged: MergedLabels,
    /// Near-duplicates in the same scope and namespace, most similar first.
    pub alike: Vec<AlikeMemory>,
}

/// Labels that a memory gained because a duplicate of it was captured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergedLabels {
    /// Tags that it did not have.
    pub tags: Vec<Tag>,
    /// A source that it did not have: its first one, or a further one that filters match.
    pub source: Option<String>,
    /// Whether some labels were not added: the memory belongs to another owner, or has no room for
    /// more.
    pub left_out: bool,
}

/// A near-duplicate of another memory.
#[derive(Debug, Clone, PartialEq)]
pub struct AlikeMemory {
    /// The memory in full.
    pub memory: Memory,
    /// The Jaccard similarity of their word pairs, up to 1.
    pub similarity: f64,
}

/// A change to a memory; a field that is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryEdit {
    /// The new text, replacing the old one.
    pub content: Option<String>,
    /// The namespace to move it to.
    pub namespace: Option<Namespace>,
    /// The complete new set of tags.
    pub tags: Option<Vec<Tag>>,
    /// The new source; the inner `None` removes it.
    pub source: Option<Option<String>>,
    /// The new expiry time; the inner `None` removes it.
    pub expires: Option<Option<Time>>,
    /// Fail unless the memory is at this version.
    pub expected_version: Option<u32>,
}

/// A past version of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryVersion {
    /// The number of this version.
    pub version: u32,
    /// The text it had.
    pub content: String,
    /// The namespace it was in.
    pub namespace: Namespace,
    /// The tags it had.
    pub tags: Vec<Tag>,
    /// The status it had.
    pub status: MemoryStatus,
    /// When this version began.
    pub since: Time,
    /// What created it: `captured`, `updated`, `deleted`, `restored`, `superseded`, `replaced`,
    /// `expired`, `synced`.
    pub action: String,
}

/// A word and how many memories have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageCount {
    /// A namespace, a tag or a list.
    pub word: String,
    /// The number of records that use it.
    pub count: u64,
}

//! One memory as a file of the notes ref: its JSON form, its digest, and the validation of entries
//! from others.
//!
//! The remote's content is untrusted; an entry that fails validation is left alone.

use crate::memory::views::time_text;
use hobnob_store::Time;
use hobnob_store::memory::{Memory, MemoryId, MemoryStatus, Namespace, Tag};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Largest entry file that is read, in bytes.
pub(super) const MAX_BYTES: usize = 8 << 20;
/// Most tags of a memory.
const MAX_TAGS: usize = 50;

/// The members that must be equal for both sides to agree. Unknown members are ignored, and lost
/// when we write the file again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    namespace: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    status: String,
    created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(default)]
    content: String,
}

/// An entry whose values are all valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checked {
    pub(super) namespace: Namespace,
    pub(super) tags: Vec<Tag>,
    pub(super) source: Option<String>,
    pub(super) status: MemoryStatus,
    pub(super) created: Time,
    pub(super) expires: Option<Time>,
    pub(super) content: String,
}

impl Entry {
    pub(super) fn of(memory: &Memory) -> Self {
        Self {
            namespace: memory.namespace.as_str().into(),
            tags: memory.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
            source: memory.source.clone(),
            // Which memory replaced another one matters only on this side.
            status: match memory.status {
                MemoryStatus::Active => MemoryStatus::Active.as_str().into(),
                MemoryStatus::Superseded | MemoryStatus::Deleted => {
                    MemoryStatus::Deleted.as_str().into()
                }
            },
            created_at: time_text(memory.created),
            expires_at: memory.expires.map(time_text),
            // The content of an inactive memory is not exchanged.
            content: match memory.status {
                MemoryStatus::Active => memory.content.clone(),
                MemoryStatus::Superseded | MemoryStatus::Deleted => String::new(),
            },
        }
    }

    /// The entry as its file in the notes ref contains it.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The digest by which two entries are compared.
    pub(super) fn digest(&self) -> Vec<u8> {
        digest(&SHA256, &self.bytes()).as_ref().into()
    }

    /// Parses an entry's file; `None` if it has not the form that Hobnob writes.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        if MAX_BYTES < bytes.len() { None } else { serde_json::from_slice(bytes).ok() }
    }

    /// All texts in the entry that a person or a program wrote, unchanged.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let source = self.source.as_deref();
        let fields = [self.content.as_str(), self.namespace.as_str()];
        fields.into_iter().chain(source).chain(self.tags.iter().map(String::as_str))
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.status == MemoryStatus::Deleted.as_str()
    }

    /// The other entry with the tags of both, if both have the same content; keeps this side's
    /// source if the other has none.
    pub(super) fn joined(&self, other: &Self) -> Option<Self> {
        let words = |entry: &Self| entry.content.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.namespace != other.namespace || words(self) != words(other) {
            return None;
        }
        let tags: BTreeSet<String> = self.tags.iter().chain(&other.tags).cloned().collect();
        let source = other.source.clone().or_else(|| self.source.clone());
        Some(Self { tags: tags.into_iter().take(MAX_TAGS).collect(), source, ..other.clone() })
    }

    /// The entry with its values parsed, if all of them are valid.
    pub(super) fn checked(&self) -> Option<Checked> {
        let time = |text: &str| {
            let stamp: jiff::Timestamp = text.parse().ok()?;
            Some(Time::from_millis(stamp.as_millisecond()))
        };
        let expires = match &self.expires_at {
            Some(text) => Some(time(text)?),
            None => None,
        };
        Some(Checked {
            namespace: Namespace::parse(&self.namespace).ok()?,
            tags: self.tags.iter().map(|tag| Tag::parse(tag).ok()).collect::<Option<_>>()?,
            source: self.source.clone().filter(|source| source.len() <= 1_024),
            status: MemoryStatus::parse(&self.status)?,
            created: time(&self.created_at)?,
            expires,
            content: self.content.clone(),
        })
    }
}

/// The path of a memory's file.
pub(super) fn path(id: &MemoryId) -> String {
    format!("memories/{}/{}.json", &id.as_str()[..2], id)
}

/// The id of the memory that a file belongs to; `None` for other files.
pub(super) fn id_of(path: &str) -> Option<MemoryId> {
    MemoryId::parse(path.strip_prefix("memories/")?.rsplit('/').next()?.strip_suffix(".json")?)
}

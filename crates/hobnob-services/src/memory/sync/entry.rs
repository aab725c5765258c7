//! One memory as a file of the notes ref: its JSON form, its digest, and the checks of one that
//! others wrote.
//!
//! Whatever a remote holds is untrusted; an entry that does not check is left alone.

use crate::memory::views::time_text;
use hobnob_store::Time;
use hobnob_store::memory::{Memory, MemoryId, MemoryStatus, Namespace, Tag};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most bytes of a file that are taken.
pub(super) const MAX_BYTES: usize = 8 << 20;
/// Tags that a memory can have.
const MAX_TAGS: usize = 50;

/// What both sides must agree on to say the same. Other members are left alone by us and lost
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

/// An entry whose words all make sense.
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
            // Whether another memory took its place is this side's own affair.
            status: match memory.status {
                MemoryStatus::Active => MemoryStatus::Active.as_str().into(),
                MemoryStatus::Superseded | MemoryStatus::Deleted => {
                    MemoryStatus::Deleted.as_str().into()
                }
            },
            created_at: time_text(memory.created),
            expires_at: memory.expires.map(time_text),
            // What is not active any more is not carried on.
            content: match memory.status {
                MemoryStatus::Active => memory.content.clone(),
                MemoryStatus::Superseded | MemoryStatus::Deleted => String::new(),
            },
        }
    }

    /// The entry as its file in the notes ref has it.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// What differs between two entries that are not the same.
    pub(super) fn digest(&self) -> Vec<u8> {
        digest(&SHA256, &self.bytes()).as_ref().into()
    }

    /// Reads an entry's file; `None` for what no Hobnob wrote.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        if MAX_BYTES < bytes.len() { None } else { serde_json::from_slice(bytes).ok() }
    }

    /// Everything in it that somebody wrote, word for word.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let source = self.source.as_deref();
        let fields = [self.content.as_str(), self.namespace.as_str()];
        fields.into_iter().chain(source).chain(self.tags.iter().map(String::as_str))
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.status == MemoryStatus::Deleted.as_str()
    }

    /// The other side with the tags of both, if both say the same; what only this side knows of
    /// its source is kept.
    pub(super) fn joined(&self, other: &Self) -> Option<Self> {
        let words = |entry: &Self| entry.content.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.namespace != other.namespace || words(self) != words(other) {
            return None;
        }
        let tags: BTreeSet<String> = self.tags.iter().chain(&other.tags).cloned().collect();
        let source = other.source.clone().or_else(|| self.source.clone());
        Some(Self { tags: tags.into_iter().take(MAX_TAGS).collect(), source, ..other.clone() })
    }

    /// The entry, if its words make sense.
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

/// Where a memory's file is.
pub(super) fn path(id: &MemoryId) -> String {
    format!("memories/{}/{}.json", &id.as_str()[..2], id)
}

/// Whose file it is.
pub(super) fn id_of(path: &str) -> Option<MemoryId> {
    MemoryId::parse(path.strip_prefix("memories/")?.rsplit('/').next()?.strip_suffix(".json")?)
}

//! The wire form of memories: brief in lists, full when read.
//!
//! Tools, resources and prompts use these types; the order of fields is the order on the wire.

use super::recall::Hit;
use super::settings::NAME;
use crate::presentation::Presentation;
use hobnob_store::Time;
use hobnob_store::memory::{Memory, MemoryId, MemoryVersion};
use hobnob_text::{ellipsize, single_spaced};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How much of a memory a result contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Detail {
    /// Where it is: id, URN, namespace, tags.
    Light,
    /// And its date and the passage that fits best.
    #[default]
    Medium,
    #[schemars(description = "And everything else.")]
    Full,
}

/// Most ids of copies in one hit.
const MAX_COPY_IDS: usize = 20;

/// The memory that replaced another one, and when it was captured.
#[derive(Debug, Serialize)]
struct ReplacedBy {
    id: String,
    created_at: String,
}

/// One memory, in the requested detail.
#[derive(Debug, Serialize)]
pub(super) struct Shown<'a> {
    id: &'a str,
    urn: String,
    namespace: &'a str,
    tags: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<&'a str>,
    /// The newer memory that says what is true now.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_by: Option<ReplacedBy>,
    /// How many other memories say the same; they are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    copies: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    copy_ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

impl<'a> Shown<'a> {
    /// Id, URN, namespace and tags only.
    pub(super) fn light(presentation: &Presentation, memory: &'a Memory) -> Self {
        Self {
            id: memory.id.as_str(),
            urn: urn(presentation, memory),
            namespace: memory.namespace.as_str(),
            tags: memory.tags.iter().map(hobnob_store::memory::Tag::as_str).collect(),
            score: None,
            snippet: None,
            content: None,
            scope: None,
            project: None,
            source: None,
            status: None,
            superseded_by: None,
            replaced_by: None,
            copies: None,
            copy_ids: Vec::new(),
            version: None,
            created_at: None,
            updated_at: None,
            expires_at: None,
        }
    }

    /// A memory with all its fields.
    pub(super) fn full(presentation: &Presentation, memory: &'a Memory) -> Self {
        let project = memory.scope.project();
        Self {
            content: Some(&memory.content),
            scope: Some(memory.scope.kind().as_str()),
            project: (!project.is_empty()).then_some(project),
            source: memory.source.as_deref(),
            status: Some(memory.status.as_str()),
            superseded_by: memory.superseded_by.as_ref().map(MemoryId::as_str),
            version: Some(memory.version),
            created_at: Some(time_text(memory.created)),
            updated_at: Some(time_text(memory.updated)),
            expires_at: memory.expires.map(time_text),
            ..Self::light(presentation, memory)
        }
    }

    /// A memory in the requested detail, with a passage in place of the content in medium detail.
    pub(super) fn detailed(
        presentation: &Presentation,
        memory: &'a Memory,
        detail: Detail,
        passage: &'a str,
    ) -> Self {
        match detail {
            Detail::Light => Self::light(presentation, memory),
            Detail::Medium => Self {
                snippet: Some(passage),
                created_at: Some(time_text(memory.created)),
                ..Self::light(presentation, memory)
            },
            Detail::Full => Self::full(presentation, memory),
        }
    }

    /// Adds what a search says of a hit: its score, rounded to three digits, the memory that
    /// replaced it, and its copies.
    pub(super) fn found(self, hit: &Hit) -> Self {
        let replaced_by = hit.replaced_by.as_ref().map(|(id, created)| ReplacedBy {
            id: id.to_string(),
            created_at: time_text(*created),
        });
        Self {
            score: Some((hit.score * 1_000.0).round() / 1_000.0),
            replaced_by,
            copies: Some(hit.copies.len()).filter(|count| 0 < *count),
            copy_ids: hit.copies.iter().take(MAX_COPY_IDS).map(MemoryId::to_string).collect(),
            ..self
        }
    }
}

/// An earlier version of a memory.
#[derive(Debug, Serialize)]
pub(super) struct ShownPast<'a> {
    version: u32,
    action: &'a str,
    at: String,
    namespace: &'a str,
    tags: Vec<&'a str>,
    status: &'static str,
    content: Cow<'a, str>,
}

impl<'a> ShownPast<'a> {
    /// The version with at most `limit` characters of its content.
    pub(super) fn of(past: &'a MemoryVersion, limit: usize) -> Self {
        Self {
            version: past.version,
            action: &past.action,
            at: time_text(past.since),
            namespace: past.namespace.as_str(),
            tags: past.tags.iter().map(hobnob_store::memory::Tag::as_str).collect(),
            status: past.status.as_str(),
            content: match limit {
                usize::MAX => Cow::Borrowed(&past.content),
                limit => Cow::Owned(beginning(&past.content, limit)),
            },
        }
    }
}

/// The URN of a memory, which is also its resource's URI.
pub(super) fn urn(presentation: &Presentation, memory: &Memory) -> String {
    let (scope, namespace) = (memory.scope.kind().as_str(), memory.namespace.as_str());
    format!("{}://{scope}/{namespace}/{}", presentation.uri_scheme(NAME), memory.id)
}

/// A time as RFC 3339, in UTC.
pub(super) fn time_text(time: Time) -> String {
    match jiff::Timestamp::from_millisecond(time.millis()) {
        Ok(stamp) => stamp.to_string(),
        // RFC 3339 has no years after 9999.
        Err(_) => time.millis().to_string(),
    }
}

/// The beginning of a text on one line, at most `limit` characters long.
pub(super) fn beginning(text: &str, limit: usize) -> String {
    ellipsize(&single_spaced(text), limit).into_owned()
}

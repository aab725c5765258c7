//! The tool `capture`: stores one memory, after checks for secrets and for duplicates.
//!
//! All checks of the arguments come before the write. The write deduplicates identical content,
//! reports near-duplicates, and keeps the order in which captures arrived.

use crate::memory::caller_memories::CallerMemories;
use crate::memory::checks::Checks;
use crate::memory::index_signal::IndexSignal;
use crate::memory::recall::Recall;
use crate::memory::view::MemoryView;
use crate::memory::views::urn;
use crate::presentation::ToolResult;
use hobnob_mcp_toolbox::CallContext;
use hobnob_store::Time;
use hobnob_store::memory::{
    AlikeMemory, CaptureOutcome, Captured, Memory, MergedLabels, NewMemory, ScopeKind, Tag,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Whom a memory is for.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScopeWord {
    /// The project that you work on.
    #[default]
    Project,
    /// The user, in every project.
    User,
    /// Everybody with a role in it, in every project.
    Org,
}

impl ScopeWord {
    pub(super) fn kind(self) -> ScopeKind {
        match self {
            Self::Project => ScopeKind::Project,
            Self::User => ScopeKind::User,
            Self::Org => ScopeKind::Org,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CaptureArguments {
    /// What to remember, in words that will make sense later
    content: String,
    /// What kind of thing it is: decisions, patterns, learnings, context, tech-debt, blockers,
    /// progress, apis, config, security, performance, testing, or a name of your own
    namespace: String,
    /// Words to find it by
    #[serde(default)]
    tags: Vec<String>,
    /// Where it comes from: a file, a URL, a conversation
    source: Option<String>,
    /// Whom it is for
    #[serde(default)]
    scope: ScopeWord,
    /// How long it stays true: 12h, 30d, 2w, 1y; for ever if not given
    ttl: Option<String>,
    /// Store it with secrets and personal data masked instead of refusing it
    #[serde(default)]
    redact: bool,
    /// Ids of memories that this one replaces: they stay, but come after it in recall. If not given,
    /// Hobnob finds them by their texts; an empty list means none
    replaces: Option<Vec<String>>,
}

#[derive(Debug, Serialize)]
struct CaptureResult {
    id: String,
    urn: String,
    /// Present if identical content was stored before; then no new memory was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate: Option<bool>,
    /// The labels that the stored duplicate gained.
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: Option<MergeReport>,
    /// Near-duplicates of the content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    similar: Vec<SimilarMemory>,
    /// Older memories that this one replaces. `restore` of such a memory undoes it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaces: Vec<ReplacedMemory>,
    /// The kinds of secrets that were masked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<&'static str>,
}

/// Labels that a memory gained because its content was captured again.
#[derive(Debug, Serialize)]
struct MergeReport {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl MergeReport {
    /// `None` if the memory already had all labels.
    fn of(merged: MergedLabels) -> Option<Self> {
        let MergedLabels { tags, source, left_out } = merged;
        let note = left_out.then_some(
            "labels were left out: the memory belongs to someone else, or has no room for more",
        );
        let report =
            Self { tags: tags.iter().map(Tag::as_str).map(str::to_owned).collect(), source, note };
        let empty = report.tags.is_empty() && report.source.is_none() && !left_out;
        (!empty).then_some(report)
    }
}

/// A memory that is a near-duplicate.
#[derive(Debug, Serialize)]
struct SimilarMemory {
    id: String,
    urn: String,
    similarity: f64,
}

impl SimilarMemory {
    fn of(view: &MemoryView, alike: &AlikeMemory) -> Self {
        Self {
            id: alike.memory.id.to_string(),
            urn: urn(view, &alike.memory),
            similarity: (alike.similarity * 100.0).round() / 100.0,
        }
    }
}

/// An older memory that the captured one replaces.
#[derive(Debug, Serialize)]
struct ReplacedMemory {
    id: String,
    urn: String,
}

impl ReplacedMemory {
    fn of(view: &MemoryView, memory: &Memory) -> Self {
        Self { id: memory.id.to_string(), urn: urn(view, memory) }
    }
}

/// The tools that store, change and clean up memories.
pub(super) struct WriteTools {
    pub(super) view: MemoryView,
    pub(super) memories: Arc<CallerMemories>,
    pub(super) checks: Arc<Checks>,
    /// Finds older memories that a captured one replaces.
    pub(super) recall: Arc<Recall>,
    pub(super) captured: Arc<IndexSignal>,
    /// How long a deleted memory can be restored.
    pub(super) keep_deleted: Duration,
}

impl WriteTools {
    pub(super) async fn capture(&self, given: CaptureArguments, call: &CallContext) -> ToolResult {
        let namespace = self.checks.namespace(&given.namespace)?;
        let tags = self.checks.tags(&given.tags)?;
        let rule = self.checks.rules.for_call(given.redact);
        let (content, redacted) = self.checks.clean(given.content, rule)?;
        let source = self.checks.source(given.source, rule)?;
        let now = Time::now();
        let expires = given.ttl.map(|ttl| self.checks.end(&ttl, now)).transpose()?;
        let access = self.memories.access(call)?;
        let scope = self.checks.scope(given.scope.kind(), &access)?;
        let new = NewMemory {
            owner: access.owner.clone(),
            scope,
            namespace,
            content,
            tags,
            source,
            created: now,
            expires,
            id: None,
            arrived_micros: Some(call.caller().arrival.micros()),
        };
        let is_named = given.replaces.is_some();
        let (outcome, older) = match given.replaces {
            Some(named) => {
                let older = self.named_older(&named, &new, &access).await?;
                (self.memories.store.capture_or_merge(new).await, older)
            }
            None => {
                let stored = self.memories.store.capture_or_merge(new.clone());
                tokio::join!(stored, self.shown_older(&new, &access))
            }
        };
        let outcome = self.view.result(outcome)?;
        let CaptureOutcome { captured, merged, alike } = outcome;
        let (memory, duplicate) = match captured {
            Captured::New(memory) => (memory, None),
            Captured::Same(memory) => (memory, Some(true)),
        };
        if duplicate.is_none() {
            self.captured.wake();
            self.view.log(call, &format!("Captured memory {}", memory.id));
        }
        let replaces = match duplicate.is_none() || is_named {
            true => self.mark(&memory.id, older, access).await,
            false => Vec::new(),
        };
        let urn = urn(&self.view, &memory);
        self.view.reply(&CaptureResult {
            id: memory.id.to_string(),
            urn,
            duplicate,
            merged: MergeReport::of(merged),
            similar: alike.iter().map(|it| SimilarMemory::of(&self.view, it)).collect(),
            replaces: replaces.iter().map(|it| ReplacedMemory::of(&self.view, it)).collect(),
            redacted,
        })
    }
}

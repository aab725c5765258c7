//! The tool `capture`: stores one memory, after checks for secrets and for duplicates.
//!
//! All checks of the arguments come before the write. The write deduplicates identical content,
//! reports near-duplicates, and keeps the order in which captures arrived.

use crate::memory::grammar::parse_span;
use crate::memory::service::{PresentedMemory, shown};
use crate::memory::settings::SecretsRule;
use crate::memory::views::urn;
use crate::presentation::Failure;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_store::Time;
use hobnob_store::memory::{
    AlikeMemory, CaptureOutcome, Captured, MergedLabels, NewMemory, ScopeKind, Tag,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The longest time to live; a memory that should live longer needs none.
const MAX_TTL: Duration = Duration::from_secs(200 * 31_536_000);

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

pub(super) async fn capture(
    arguments: CaptureArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let namespace = presented.namespace(&arguments.namespace)?;
    let tags = presented.tags(&arguments.tags)?;
    let rule = match (presented.shared().settings.secrets, arguments.redact) {
        (SecretsRule::Block, true) => SecretsRule::Redact,
        (rule, _) => rule,
    };
    let (content, redacted) = presented.clean(arguments.content, rule)?;
    let source = presented.source(arguments.source, rule)?;
    let now = Time::now();
    let expires = arguments.ttl.map(|ttl| presented.end(&ttl, now)).transpose()?;
    let access = presented.access(&context)?;
    let scope = presented.scope(arguments.scope.kind(), &access)?;
    let new = NewMemory {
        owner: access.owner,
        scope,
        namespace,
        content,
        tags,
        source,
        created: now,
        expires,
        id: None,
        arrived_micros: Some(context.caller().arrival.micros()),
    };
    let outcome = presented.shared().memories.capture_or_merge(new).await;
    let CaptureOutcome { captured, merged, alike } =
        outcome.map_err(|error| presented.store(&error))?;
    let (memory, duplicate) = match captured {
        Captured::New(memory) => (memory, None),
        Captured::Same(memory) => (memory, Some(true)),
    };
    if duplicate.is_none() {
        presented.service.wake_indexer();
        presented.presentation.log(&context, &format!("Captured memory {}", memory.id));
    }
    let urn = urn(&presented.presentation, &memory);
    presented.presentation.reply(&CaptureResult {
        id: memory.id.to_string(),
        urn,
        duplicate,
        merged: MergeReport::of(merged),
        similar: alike.iter().map(|it| presented.similar(it)).collect(),
        redacted,
    })
}

impl PresentedMemory {
    fn similar(&self, alike: &AlikeMemory) -> SimilarMemory {
        SimilarMemory {
            id: alike.memory.id.to_string(),
            urn: urn(&self.presentation, &alike.memory),
            similarity: (alike.similarity * 100.0).round() / 100.0,
        }
    }

    /// Checks a source: short enough, and without secrets. A blank one counts as none.
    pub(super) fn source(
        &self,
        source: Option<String>,
        rule: SecretsRule,
    ) -> Result<Option<String>, ToolError> {
        const MAX_LENGTH: usize = 1_024;
        let Some(source) = source.filter(|source| !source.trim().is_empty()) else {
            return Ok(None);
        };
        if MAX_LENGTH < source.len() {
            let message = format!("source: {} bytes, at most {MAX_LENGTH}", source.len());
            return Err(self.presentation.fail(Failure::Invalid, message));
        }
        self.clean(source, rule).map(|(source, _)| Some(source))
    }

    /// The end of a time to live that begins now.
    pub(super) fn end(&self, ttl: &str, now: Time) -> Result<Time, ToolError> {
        let fits = |span: &Duration| !span.is_zero() && *span <= MAX_TTL;
        let span = parse_span(ttl).filter(fits).ok_or_else(|| {
            let message =
                format!("ttl `{}`: use 90s, 30m, 12h, 7d, 2w or 1y, at most 200y", shown(ttl));
            self.presentation.fail(Failure::Invalid, message)
        })?;
        Ok(now.plus(span))
    }
}

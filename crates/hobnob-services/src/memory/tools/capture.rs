//! The tool `capture`: one thing to remember, checked for secrets and for being known already.
//!
//! Checks come before the write, and the write itself refuses the very same a second time.

use super::similar::{SimilarMemory, alike};
use crate::memory::grammar::parse_span;
use crate::memory::service::{PresentedMemory, shown};
use crate::memory::settings::SecretsRule;
use crate::memory::views::urn;
use crate::presentation::Failure;
use hobnob_mcp_server::toolbox::{Context, ToolError, ToolReply};
use hobnob_store::Time;
use hobnob_store::memory::{Captured, NewMemory, ScopeKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Whoever means longer means for ever.
const LONGEST: Duration = Duration::from_secs(200 * 31_536_000);

/// Whom a memory is for.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScopeWord {
    /// The project at hand.
    #[default]
    Project,
    /// The user, in every project.
    User,
    /// Everybody who shares this store.
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
    /// Present if the very same was known already; then nothing new was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate: Option<bool>,
    /// Memories that say nearly the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    similar: Vec<SimilarMemory>,
    /// The kinds of secrets that were masked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<&'static str>,
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
    let scope = presented.scope(arguments.scope.kind(), &context)?;
    let near = alike(presented, &access, scope.kind(), &namespace, &content).await;
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
    };
    let captured =
        presented.shared().memories.capture(new).await.map_err(|it| presented.store(&it))?;
    let (memory, duplicate) = match captured {
        Captured::New(memory) => (memory, None),
        Captured::Same(memory) => (memory, Some(true)),
    };
    if duplicate.is_none() {
        presented.service.wake_indexer();
        presented.presentation.log(&context, &format!("Captured memory {}", memory.id));
    }
    let similar = near.into_iter().filter(|it| it.id != memory.id.as_str()).collect();
    let urn = urn(&presented.presentation, &memory);
    presented.presentation.reply(&CaptureResult {
        id: memory.id.to_string(),
        urn,
        duplicate,
        similar,
        redacted,
    })
}

impl PresentedMemory {
    /// Where something comes from, if that is short enough and holds no secret.
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

    /// The moment at which a time to live that begins now ends.
    pub(super) fn end(&self, ttl: &str, now: Time) -> Result<Time, ToolError> {
        let fits = |span: &Duration| !span.is_zero() && *span <= LONGEST;
        let span = parse_span(ttl).filter(fits).ok_or_else(|| {
            let message =
                format!("ttl `{}`: use 90s, 30m, 12h, 7d, 2w or 1y, at most 200y", shown(ttl));
            self.presentation.fail(Failure::Invalid, message)
        })?;
        Ok(now.plus(span))
    }
}

//! The checks of what callers send, before anything reaches the store: names, sizes and secrets.
//!
//! A refusal names the kinds and places of secrets, never their text.

use super::grammar::parse_span;
use super::settings::{MemoryOptions, SecretsRule};
use super::view::{MemoryView, shown};
use crate::presentation::{Failure, Masking, NamespaceRule};
use hobnob_mcp_toolbox::ToolError;
use hobnob_secrets::{Finding, Scanner};
use hobnob_store::Time;
use hobnob_store::memory::{MemoryAccess, MemoryScope, Namespace, ScopeKind, Tag, WritableScope};
use std::time::Duration;

/// The longest time to live; a memory that should live longer needs none.
const MAX_TTL: Duration = Duration::from_secs(200 * 31_536_000);

/// The user's rules for stored content.
#[derive(Clone, Copy)]
pub(super) struct ContentRules {
    pub(super) secrets: SecretsRule,
    pub(super) scanner: Scanner,
    /// Largest content, in bytes.
    pub(super) max_bytes: usize,
}

impl ContentRules {
    pub(super) fn new(settings: &MemoryOptions, scanner: Scanner) -> Self {
        Self { secrets: settings.secrets, scanner, max_bytes: settings.max_bytes }
    }

    /// The secrets that a text must not hold.
    pub(super) fn secrets_in(&self, text: &str) -> Vec<Finding> {
        match self.secrets {
            SecretsRule::Off => Vec::new(),
            SecretsRule::Block | SecretsRule::Redact => self.scanner.scan(text),
        }
    }

    /// The rule for one call, whose caller may want secrets masked instead of refused.
    pub(super) fn for_call(&self, redact: bool) -> SecretsRule {
        match (self.secrets, redact) {
            (SecretsRule::Block, true) => SecretsRule::Redact,
            (rule, _) => rule,
        }
    }
}

/// The checks, with the errors of one view.
pub(super) struct Checks {
    pub(super) view: MemoryView,
    pub(super) rules: ContentRules,
}

impl Checks {
    /// The namespace that the caller named, once it is checked.
    pub(super) fn namespace(&self, raw: &str) -> Result<Namespace, ToolError> {
        let invalid = || ToolError::params(format!("Invalid namespace: {}", shown(raw)));
        let namespace = Namespace::parse(raw).map_err(|_| invalid())?;
        self.refuse_secrets(raw)?;
        match &self.view.namespaces {
            NamespaceRule::Closed(known) if !known.contains(&namespace) => Err(invalid()),
            NamespaceRule::Closed(_) | NamespaceRule::Open => Ok(namespace),
        }
    }

    /// The tags that the caller named, once they are checked.
    pub(super) fn tags(&self, raw: &[String]) -> Result<Vec<Tag>, ToolError> {
        const MAX: usize = 50;
        if MAX < raw.len() {
            let message = format!("tags: at most {MAX}, not {}", raw.len());
            return Err(self.view.fail(Failure::Invalid, message));
        }
        let parse = |raw: &String| {
            Tag::parse(raw).map_err(|_| {
                let problem = "1 to 64 characters without spaces and commas";
                self.view.fail(Failure::Invalid, format!("tag `{}`: {problem}", shown(raw)))
            })
        };
        // Also in their original case: in lower case many secrets are no longer recognised.
        self.refuse_secrets(&raw.join(" "))?;
        let tags: Vec<Tag> = raw.iter().map(parse).collect::<Result<_, _>>()?;
        self.refuse_secrets_in_tags(&tags)?;
        Ok(tags)
    }

    /// Fails if tags hold a secret in the form in which they are stored.
    pub(super) fn refuse_secrets_in_tags(&self, tags: &[Tag]) -> Result<(), ToolError> {
        let stored: Vec<&str> = tags.iter().map(Tag::as_str).collect();
        self.refuse_secrets(&stored.join(" "))
    }

    /// Fails if there is a secret in a text that cannot be masked.
    pub(super) fn refuse_secrets(&self, text: &str) -> Result<(), ToolError> {
        match self.rules.secrets_in(text) {
            found if found.is_empty() => Ok(()),
            found => Err(self.view.fail(Failure::Blocked, blocked(&found))),
        }
    }

    /// The scope for a new memory of this kind, if the caller may write to it. A project memory
    /// goes into the caller's project.
    pub(super) fn scope(
        &self,
        kind: ScopeKind,
        access: &MemoryAccess,
    ) -> Result<WritableScope, ToolError> {
        let scope = match (kind, &access.project) {
            (ScopeKind::Project, Some(project)) => MemoryScope::Project(project.clone()),
            (ScopeKind::Org, _) => MemoryScope::Org,
            (ScopeKind::User | ScopeKind::Project, _) => MemoryScope::User,
        };
        self.view.writable(scope, access)
    }

    /// Checks content to store: not empty, not too long, and without secrets, or masked if the rule
    /// says so. Returns the kinds of the masked secrets, too.
    pub(super) fn clean(
        &self,
        content: String,
        rule: SecretsRule,
    ) -> Result<(String, Vec<&'static str>), ToolError> {
        let limit = self.rules.max_bytes;
        if content.trim().is_empty() {
            return Err(self.view.fail(Failure::Invalid, "content: it is empty"));
        }
        if limit < content.len() {
            let message = format!("content: {} bytes, at most {limit} are allowed", content.len());
            return Err(self.view.fail(Failure::Invalid, message));
        }
        match rule {
            SecretsRule::Off => Ok((content, Vec::new())),
            SecretsRule::Redact => {
                let (content, found) = self.rules.scanner.redact(&content);
                Ok((content, found.iter().map(|it| it.kind.label()).collect()))
            }
            SecretsRule::Block => match self.rules.scanner.scan(&content) {
                found if found.is_empty() => Ok((content, Vec::new())),
                found => {
                    let advice = match self.view.masking {
                        Masking::Offered => "; capturing with redact: true stores content masked",
                        Masking::Hidden => "",
                    };
                    let message = format!("{}{advice}", blocked(&found));
                    Err(self.view.fail(Failure::Blocked, message))
                }
            },
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
            return Err(self.view.fail(Failure::Invalid, message));
        }
        self.clean(source, rule).map(|(source, _)| Some(source))
    }

    /// The end of a time to live that begins now.
    pub(super) fn end(&self, ttl: &str, now: Time) -> Result<Time, ToolError> {
        let fits = |span: &Duration| !span.is_zero() && *span <= MAX_TTL;
        let span = parse_span(ttl).filter(fits).ok_or_else(|| {
            let message =
                format!("ttl `{}`: use 90s, 30m, 12h, 7d, 2w or 1y, at most 200y", shown(ttl));
            self.view.fail(Failure::Invalid, message)
        })?;
        Ok(now.plus(span))
    }
}

/// The kinds and places of the secrets found, never their text.
fn blocked(found: &[Finding]) -> String {
    const MAX: usize = 5;
    let places: Vec<String> = found
        .iter()
        .take(MAX)
        .map(|it| format!("{} at line {}, column {}", it.kind.label(), it.line, it.column))
        .collect();
    let more = found.len().saturating_sub(MAX);
    let rest = if more == 0 { String::new() } else { format!(", and {more} more") };
    format!("Content blocked: {}{rest}. Remove it", places.join(", "))
}

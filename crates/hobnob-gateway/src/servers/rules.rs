//! The rules of a view, and what they say about whole servers and listed tools.
//!
//! `registry` parses them when a view opens or the settings change; `snapshots` asks them what to
//! leave out. Pure.

use crate::catalog::{EntryOwner, ToolRef};
use crate::names::public_name;
use crate::permitted::built_in_subject;
use hobnob_config::{Profile, RuleText, Settings};
use hobnob_policy::{
    RuleAction, RuleError, RuleSet, RuleSource, Subject, SubjectKind, decide, hidden,
};

/// The rules of a profile and of the settings.
///
/// # Errors
/// When a rule cannot be read; the error names it.
pub fn permission_rules(
    settings: &Settings,
    profile: Option<&Profile>,
) -> Result<RuleSet, RuleError> {
    let text = |origin: &str| {
        let origin = origin.to_owned();
        move |rule: &RuleText| RuleSource {
            origin: origin.clone(),
            server: rule.server.clone(),
            tool: rule.tool.clone(),
            pattern: rule.pattern.clone(),
            action: rule.action.clone(),
        }
    };
    let of_profile = profile.map(|profile| profile.permissions.as_slice()).unwrap_or_default();
    let all = of_profile.iter().map(text("profile"));
    RuleSet::parse(all.chain(settings.permissions.iter().map(text("config.toml"))).collect())
}

/// Whether a rule denies everything of a server.
pub(super) fn is_denied(rules: &RuleSet, server: &str) -> bool {
    let public = public_name(server, "*");
    let contents = Subject {
        tool: public.as_str(),
        usual: None,
        server: Some(server),
        original: Some("*"),
        kind: SubjectKind::ServerContents,
        arguments: None,
    };
    decide(rules, &contents).action() == RuleAction::Deny
}

/// Whether a rule keeps a tool out of the list.
pub(super) fn is_hidden(rules: &RuleSet, tool: &ToolRef<'_>) -> bool {
    let subject = match tool.owner {
        EntryOwner::Server(server) => Subject {
            tool: tool.public,
            usual: Some(tool.usual),
            server: Some(server),
            original: Some(tool.original),
            kind: SubjectKind::Upstream,
            arguments: None,
        },
        EntryOwner::BuiltIn => built_in_subject(tool.public, tool.original, None),
    };
    hidden(rules, &subject)
}

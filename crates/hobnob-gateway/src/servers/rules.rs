//! The rules of a view, and what they say about whole servers and listed tools.
//!
//! `registry` parses the rules when a view opens or the settings change; `snapshots` asks what to
//! leave out. Pure.

use crate::catalog::{EntryOwner, ToolRef};
use crate::names::public_name;
use crate::permitted::built_in_subject;
use hobnob_config::{Profile, RuleText, Settings};
use hobnob_policy::{
    RuleAction, RuleError, RuleGroup, RuleSet, RuleSource, Subject, SubjectCaller, SubjectKind,
    decide, hidden,
};

/// The rules of the profile, then those of the settings.
///
/// # Errors
/// When a rule is invalid; the error names it.
pub fn permission_rules(
    settings: &Settings,
    profile: Option<&Profile>,
) -> Result<RuleSet, RuleError> {
    let text = |origin: &str| {
        let origin = origin.to_owned();
        move |rule: &RuleText| RuleSource {
            origin: origin.clone(),
            principal: rule.principal.clone(),
            group: rule.group.as_ref().map(|name| group(settings, name)),
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

/// A group of the settings; `members` is `None` if the settings lack it.
fn group(settings: &Settings, name: &str) -> RuleGroup {
    let members = settings.groups.get(name);
    let members = members.map(|all| all.iter().map(|it| it.as_str().into()).collect());
    RuleGroup { name: name.to_owned(), members }
}

/// Everything of a server as the rules see it, for all callers. `public` is the public name of the
/// server's tool `*`.
pub fn server_contents<'a>(public: &'a str, server: &'a str) -> Subject<'a> {
    Subject {
        tool: public,
        usual: None,
        server: Some(server),
        original: Some("*"),
        caller: SubjectCaller::Anybody,
        kind: SubjectKind::ServerContents,
        arguments: None,
    }
}

/// Whether a rule denies everything of a server to all callers.
pub(super) fn is_denied(rules: &RuleSet, server: &str) -> bool {
    let public = public_name(server, "*");
    decide(rules, &server_contents(public.as_str(), server)).action() == RuleAction::Deny
}

/// Whether a rule hides a tool from all callers.
pub(super) fn is_hidden(rules: &RuleSet, tool: &ToolRef<'_>) -> bool {
    let subject = match tool.owner {
        EntryOwner::Server(server) => Subject {
            tool: tool.public,
            usual: Some(tool.usual),
            server: Some(server),
            original: Some(tool.original),
            caller: SubjectCaller::Anybody,
            kind: SubjectKind::Upstream,
            arguments: None,
        },
        EntryOwner::BuiltIn => {
            built_in_subject(tool.public, tool.original, SubjectCaller::Anybody, None)
        }
    };
    hidden(rules, &subject)
}

//! Resolves the name of a tool or a server that the user types for a rule: finds the names that the
//! rule gets, and whether they match anything.
//!
//! `hobnob allow`, `ask` and `deny` and the page call it. What must stay true: a rule that matches
//! nothing is written only if the person says so, and then in a form that matches as soon as the
//! server or the tool exists.

use crate::known_tools::{KnownTools, MatchedTools};
use crate::services::{KnownService, service_names};
use hobnob_config::ServerName;
use hobnob_gateway::nearest::did_you_mean;
use hobnob_policy::{Glob, MachineService, RuleAction, RuleSet, RuleSource};

/// The prefix of the public name of every tool of a server.
const UPSTREAM_PREFIX: &str = "mcp__";
/// The separator between the names of a server and of its tool in a public name.
const SEPARATOR: &str = "__";

/// Why no rule can be made for the typed name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRuleTarget {
    /// The text is wrong, or a rule for it would make all rules unusable.
    #[error("{0}")]
    Invalid(String),
    /// No server and no tool has the name: what is missing, and the nearest names.
    #[error("{what}, so the rule would do nothing now{near}")]
    NoTool {
        /// The server, service or tool that is missing, in a sentence.
        what: String,
        /// `; did you mean …`, or nothing.
        near: String,
    },
    /// There is no such token.
    #[error("there is no token `{name}`, so the rule would do nothing now{near}")]
    NoToken {
        /// The name of the token.
        name: String,
        /// `; did you mean …`, or nothing.
        near: String,
    },
}

/// What happens to a name that no server and no tool has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingName {
    /// Refuse it, and suggest the nearest name.
    Refuse,
    /// Write the rule, for a server or a tool that comes later.
    Keep,
}

/// The names in a rule, as globs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleNames {
    /// The glob over servers; `None` if `tool` is a glob over public names.
    pub server: Option<String>,
    /// The glob over tools.
    pub tool: String,
}

/// The resolved names of a rule, what they match, and remarks for the user.
#[derive(Debug)]
pub struct RuleTarget {
    /// The names that the rule gets.
    pub names: RuleNames,
    /// What they match now.
    pub matches: MatchedTools,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

/// Resolves the typed text. Unless `missing` keeps it, refuses a text that matches nothing, and
/// suggests the nearest name.
pub fn rule_target(
    known: &KnownTools,
    typed: &str,
    action: RuleAction,
    missing: MissingName,
) -> Result<RuleTarget, BadRuleTarget> {
    let mut unlisted = None;
    for names in readings(known, typed) {
        match matched(known, &names)? {
            MatchedTools::Known => {
                let notes = namesake_notes(known, typed, &names, action)?;
                return Ok(RuleTarget { names, matches: MatchedTools::Known, notes });
            }
            MatchedTools::Unlisted(servers) => unlisted = unlisted.or(Some((names, servers))),
            MatchedTools::Nothing => {}
        }
    }
    if let Some((names, servers)) = unlisted {
        let notes = vec![not_listed(&servers)];
        return Ok(RuleTarget { names, matches: MatchedTools::Unlisted(servers), notes });
    }
    match missing {
        MissingName::Refuse => Err(refusal(known, typed)),
        MissingName::Keep => {
            let names = names_for_later(known, typed);
            matched(known, &names)?;
            let notes = vec![for_later(&names)];
            Ok(RuleTarget { names, matches: MatchedTools::Nothing, notes })
        }
    }
}

impl RuleNames {
    fn joined(tool: impl Into<String>) -> Self {
        Self { server: None, tool: tool.into() }
    }

    fn of_server(server: impl Into<String>, tool: impl Into<String>) -> Self {
        Self { server: Some(server.into()), tool: tool.into() }
    }

    /// A set with one rule of these names; its action and its callers do not matter here.
    fn rules(&self) -> Result<RuleSet, BadRuleTarget> {
        let source = RuleSource {
            origin: "command".into(),
            principal: None,
            group: None,
            server: self.server.clone(),
            tool: Some(self.tool.clone()),
            pattern: None,
            action: RuleAction::Deny.as_str().into(),
        };
        RuleSet::parse(vec![source])
            .map_err(|error| BadRuleTarget::Invalid(error.problem.to_string()))
    }
}

fn matched(known: &KnownTools, names: &RuleNames) -> Result<MatchedTools, BadRuleTarget> {
    let matches = known.matches(&names.rules()?);
    Ok(matches.into_iter().next().unwrap_or(MatchedTools::Nothing))
}

/// The possible meanings of the text, the likeliest first; one for a configured server's name.
fn readings(known: &KnownTools, typed: &str) -> Vec<RuleNames> {
    let names = known.names();
    if let Some(found) = names.server_meant(typed)
        && let Some(server) = found.server
    {
        // The part after a slash may be a glob; a public name is exact.
        let tool = match typed.contains('/') {
            true => found.original,
            false => Glob::escape(&found.original),
        };
        return vec![RuleNames::of_server(Glob::escape(&server), tool)];
    }
    if names.servers().iter().any(|server| server == typed) {
        return vec![RuleNames::of_server(Glob::escape(typed), "*")];
    }
    match (typed.split_once('/'), service_named(typed)) {
        (Some(parts), _) => vec![slashed(parts)],
        (None, Some(service)) => vec![RuleNames::joined(format!("{service}_*"))],
        (None, None) => vec![RuleNames::joined(typed), RuleNames::of_server(typed, "*")],
    }
}

/// Reads `SERVICE/TOOL` or `SERVER/TOOL`; the server and the tool may be globs.
fn slashed((owner, tool): (&str, &str)) -> RuleNames {
    match service_named(owner) {
        Some(service) => RuleNames::joined(format!("{service}_{tool}")),
        None => RuleNames::of_server(owner, tool),
    }
}

/// The service of this name, or of its earlier name, whether it is on or off.
fn service_named(word: &str) -> Option<&'static str> {
    let word = MachineService::parse(word).map_or(word, |service| service.as_str());
    KnownService::named(word).filter(|service| service.is_here()).map(|service| service.name)
}

/// The names that match as soon as a server or a tool of this name exists. The name is taken for a
/// server, unless it begins like the tools of a service.
fn names_for_later(known: &KnownTools, typed: &str) -> RuleNames {
    let of_service =
        |service: &&str| typed.strip_prefix(service).is_some_and(|rest| rest.starts_with('_'));
    let certain = readings(known, typed).into_iter().next();
    match certain {
        Some(names) if names.server.is_some() || typed.contains('/') => names,
        _ if typed.starts_with(UPSTREAM_PREFIX) => RuleNames::joined(typed),
        // The short form of a public name needs a setting; the full form always works.
        _ if typed.contains(SEPARATOR) => RuleNames::joined(format!("{UPSTREAM_PREFIX}{typed}")),
        _ if service_names().iter().any(of_service) => RuleNames::joined(typed),
        _ => RuleNames::of_server(typed, "*"),
    }
}

fn not_listed(servers: &[String]) -> String {
    let (all, one) = (servers.join(", "), servers.first().map_or("", String::as_str));
    format!(
        "the tools of {all} are not known yet, so Hobnob cannot check the name; to list them: hobnob \
         doctor {one}"
    )
}

fn for_later(names: &RuleNames) -> String {
    let what = match (&names.server, names.tool.as_str()) {
        (Some(server), "*") => format!("a server `{server}`"),
        (Some(server), tool) => format!("a server `{server}` with a tool `{tool}`"),
        (None, tool) => format!("a tool `{tool}`"),
    };
    format!("nothing has this name now; the rule counts as soon as there is {what}")
}

/// Notes about servers and services of the same name that the rule does not cover. An `allow` needs
/// none, since it is safe if it leaves something out.
fn namesake_notes(
    known: &KnownTools,
    typed: &str,
    names: &RuleNames,
    action: RuleAction,
) -> Result<Vec<String>, BadRuleTarget> {
    if action == RuleAction::Allow {
        return Ok(Vec::new());
    }
    let word = action.as_str().trim_end_matches("-owner");
    let mut notes = Vec::new();
    if let (Some(service), Some(_)) = (service_named(typed), &names.server) {
        notes.push(format!(
            "the rule is about the server `{typed}` and not about Hobnob's service `{service}`; for \
             that one: hobnob {word} '{service}_*'"
        ));
    }
    if let (None, Ok(glob)) = (&names.server, Glob::for_name(typed)) {
        let named = known.names().servers().iter().map(String::as_str);
        let named = named.filter(|server| glob.matches(server));
        for server in known.not_covered(&names.rules()?, named) {
            notes.push(format!(
                "the rule is not about the server `{server}`; for that one: hobnob {word} {server}"
            ));
        }
    }
    Ok(notes)
}

fn refusal(known: &KnownTools, typed: &str) -> BadRuleTarget {
    let names = known.names();
    let is_plain = |text: &str| ServerName::parse(text).is_ok() && Glob::escape(text) == text;
    let what = match (names.server_meant(typed), typed.split_once('/')) {
        (Some(found), _) => {
            let server = found.server.unwrap_or_default();
            format!("no tool of the server `{server}` matches `{}`", found.original)
        }
        (None, Some((owner, _))) if service_named(owner).is_some() => {
            format!("no tool of the service `{owner}` matches `{typed}`")
        }
        (None, Some((owner, _))) if is_plain(owner) => format!("there is no server `{owner}`"),
        (None, None) if is_plain(typed) => {
            format!("there is no server, no service and no tool `{typed}`")
        }
        (None, _) => format!("no server and no tool matches `{typed}`"),
    };
    let mut unread = String::new();
    for problem in names.problems() {
        unread.push_str(&format!(" (and {problem})"));
    }
    let candidates = known.candidates();
    let near = did_you_mean(typed, candidates.iter().map(String::as_str));
    BadRuleTarget::NoTool { what: format!("{what}{unread}"), near }
}

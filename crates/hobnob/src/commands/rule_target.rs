//! What somebody means who types the name of a tool or a server for a rule: the names that the rule
//! gets, and whether anything has them.
//!
//! `rule` calls it. What must stay true: a rule that matches nothing is written only if the person says
//! that it is for later, and then in a form that matches as soon as the server or the tool is there.

use super::known_tools::{KnownTools, RuleMatch};
use hobnob_config::ServerName;
use hobnob_gateway::nearest::did_you_mean;
use hobnob_hub::services::service_names;
use hobnob_policy::{Glob, MachineService, RuleAction, RuleSet, RuleSource};
use hobnob_terminal::ended::Ended;

/// What begins the public name of every tool of a server.
const UPSTREAM: &str = "mcp__";
/// What stands between the names of a server and of its tool.
const BETWEEN: &str = "__";
/// The service of [`MachineService::Agents`], whose tools have another name in front.
const AGENTS: &str = "claudecode";

/// What happens to a name that nothing has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingName {
    Refuse,
    /// The rule is for later.
    Keep,
}

/// The names in a rule, as globs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RuleNames {
    pub(super) server: Option<String>,
    pub(super) tool: String,
}

/// What a rule is to be about, and what the person should know about it.
#[derive(Debug)]
pub(super) struct RuleTarget {
    pub(super) names: RuleNames,
    pub(super) matches: RuleMatch,
    pub(super) notes: Vec<String>,
}

/// The names that the typed text means. A text that nothing has is refused, with the nearest name.
pub(super) fn rule_target(
    known: &KnownTools,
    typed: &str,
    action: RuleAction,
    missing: MissingName,
) -> Result<RuleTarget, Ended> {
    let mut unlisted = None;
    for names in readings(known, typed) {
        match matched(known, &names)? {
            RuleMatch::Known => {
                let notes = also_called_so(known, typed, &names, action)?;
                return Ok(RuleTarget { names, matches: RuleMatch::Known, notes });
            }
            RuleMatch::Unlisted(servers) => unlisted = unlisted.or(Some((names, servers))),
            RuleMatch::Nothing => {}
        }
    }
    if let Some((names, servers)) = unlisted {
        let notes = vec![not_listed(&servers)];
        return Ok(RuleTarget { names, matches: RuleMatch::Unlisted(servers), notes });
    }
    match missing {
        MissingName::Refuse => Err(refusal(known, typed)),
        MissingName::Keep => {
            let names = names_for_later(known, typed);
            matched(known, &names)?;
            let notes = vec![for_later(&names)];
            Ok(RuleTarget { names, matches: RuleMatch::Nothing, notes })
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

    /// The rule alone; what it does and to whom does not matter here.
    fn rules(&self) -> Result<RuleSet, Ended> {
        let source = RuleSource {
            origin: "command".into(),
            principal: None,
            group: None,
            server: self.server.clone(),
            tool: Some(self.tool.clone()),
            pattern: None,
            action: RuleAction::Deny.as_str().into(),
        };
        RuleSet::parse(vec![source]).map_err(|error| Ended::usage(error.problem.to_string()))
    }
}

fn matched(known: &KnownTools, names: &RuleNames) -> Result<RuleMatch, Ended> {
    let matches = known.matches(&names.rules()?);
    Ok(matches.into_iter().next().unwrap_or(RuleMatch::Nothing))
}

/// What the text may mean, the likeliest first. A name of a configured server is certain.
fn readings(known: &KnownTools, typed: &str) -> Vec<RuleNames> {
    let names = known.names();
    if let Some(found) = names.server_meant(typed)
        && let Some(server) = found.server
    {
        // What is behind the slash may be a glob; a name that clients see is exact.
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

/// `SERVICE/TOOL` or `SERVER/TOOL`, both of which may be globs.
fn slashed((owner, tool): (&str, &str)) -> RuleNames {
    match service_named(owner) {
        Some(service) => RuleNames::joined(format!("{service}_{tool}")),
        None => RuleNames::of_server(owner, tool),
    }
}

/// The service that a word means, on or off.
fn service_named(word: &str) -> Option<&'static str> {
    let word = if word == MachineService::Agents.as_str() { AGENTS } else { word };
    service_names().into_iter().find(|service| *service == word)
}

/// The form that matches once there is a server or a tool of this name. What comes later is a server
/// with its tools; only a name that begins like a service's tools is one of ours.
fn names_for_later(known: &KnownTools, typed: &str) -> RuleNames {
    let of_service =
        |service: &&str| typed.strip_prefix(service).is_some_and(|rest| rest.starts_with('_'));
    let certain = readings(known, typed).into_iter().next();
    match certain {
        Some(names) if names.server.is_some() || typed.contains('/') => names,
        _ if typed.starts_with(UPSTREAM) => RuleNames::joined(typed),
        // A name in its short form, which only some settings have; the full one always counts.
        _ if typed.contains(BETWEEN) => RuleNames::joined(format!("{UPSTREAM}{typed}")),
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

/// Servers and services of the same name that the rule is not about. An `allow` that leaves something
/// out is no danger.
fn also_called_so(
    known: &KnownTools,
    typed: &str,
    names: &RuleNames,
    action: RuleAction,
) -> Result<Vec<String>, Ended> {
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

fn refusal(known: &KnownTools, typed: &str) -> Ended {
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
    Ended::usage(format!(
        "{what}{unread}, so a rule would do nothing and none was written; `hobnob tools` lists what \
         there is, --project DIR names the project of a server, and --future writes the rule for a \
         server or tool that comes later{near}"
    ))
}

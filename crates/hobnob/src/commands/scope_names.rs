//! Checks whether the scopes of a token name a service, a server or a profile that exists.
//!
//! `token create` refuses a scope that does not, and `doctor` lists it. Malformed scopes are
//! refused earlier.

use hobnob_config::TokenEntry;
use hobnob_gateway::nearest::did_you_mean;
use hobnob_hub::authentication::{ScopeReach, scope_reach};
use hobnob_hub::known_tools::KnownTools;
use hobnob_hub::services::{KnownService, SERVICES};

/// A scope or a profile of a token that gives its bearer nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UselessScope {
    /// What it is, and why it gives nothing.
    pub(super) what: String,
    /// The end of the sentence, which suggests the nearest name; may be empty.
    pub(super) near: String,
}

/// The scopes and the profile of a token that give its bearer nothing.
pub(super) fn token_problems(known: &KnownTools, token: &TokenEntry) -> Vec<UselessScope> {
    let scopes = token.scopes.iter().filter_map(|scope| scope_problem(known, scope));
    let profile = token.profile.as_deref().and_then(|profile| {
        let near = profile_problem(known, profile)?;
        let what = format!("there is no profile `{profile}`, so the token would open nothing");
        Some(UselessScope { what, near })
    });
    scopes.chain(profile).collect()
}

fn scope_problem(known: &KnownTools, scope: &str) -> Option<UselessScope> {
    let (name, level) = scope.rsplit_once(':')?;
    if let Some(profile) = name.strip_prefix("p/") {
        let near = profile_problem(known, profile)?;
        let what = format!("there is no profile `{profile}`, so the scope `{scope}` gives nothing");
        return Some(UselessScope { what, near });
    }
    let service = KnownService::named(name);
    if service.is_some_and(KnownService::has_scope) {
        return None;
    }
    let servers = known.names().servers();
    let is_server = servers.iter().any(|server| server == name);
    let why = match (is_server, scope_reach(name)) {
        (true, ScopeReach::Everything) => return None,
        (true, ScopeReach::Resources) if level == "read" => return None,
        (true, _) => {
            "the names of its tools do not show the server; give the token `call`, and rules for its \
             principal"
        }
        (false, _) if service.is_some_and(KnownService::is_here) => {
            "its models may call every tool; such a session takes the scope `call`"
        }
        (false, _) => "there is no server and no service of this name",
    };
    let scoped = SERVICES.iter().filter(|service| service.has_scope()).map(|service| service.name);
    let all = scoped.chain(servers.iter().map(String::as_str));
    let all: Vec<String> = all.map(|owner| format!("{owner}:{level}")).collect();
    let near = match is_server {
        true => String::new(),
        false => did_you_mean(scope, all.iter().map(String::as_str)),
    };
    Some(UselessScope { what: format!("the scope `{scope}` gives nothing: {why}"), near })
}

/// If there is no such profile, the end of the sentence that suggests the nearest one.
fn profile_problem(known: &KnownTools, profile: &str) -> Option<String> {
    let is_missing = !known.profiles().any(|name| name == profile);
    is_missing.then(|| did_you_mean(profile, known.profiles()))
}

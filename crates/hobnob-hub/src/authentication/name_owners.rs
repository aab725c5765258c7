//! Which service or server a public name belongs to, for scopes such as `memory:call`.
//!
//! Names are not looked up but matched, so only names with exactly one possible owner count. All
//! other names need a scope for everything.

use crate::services::KnownService;
use hobnob_config::ToolNameLength;
use hobnob_gateway::OF_ALL;
use hobnob_gateway::names::public_name;
use hobnob_gateway::uris;
use hobnob_mcp_auth::resource_server::NamedOwners;
use hobnob_mcp_types::Params;
use serde_json::Value;

#[cfg(test)]
mod tests;

/// The scheme of Hobnob's own resources; those about all connections are for admins.
const OWN_SCHEME: &str = "hobnob://";
const TOOL_PREFIX: &str = "mcp__";
const SEPARATOR: &str = "__";

/// Knows the form of public names in this process.
#[derive(Debug)]
pub(super) struct PublicNameOwners {
    names: ToolNameLength,
}

impl PublicNameOwners {
    pub(super) fn new(names: ToolNameLength) -> Self {
        Self { names }
    }
}

impl NamedOwners for PublicNameOwners {
    fn of_name<'a>(&self, name: &'a str) -> Option<&'a str> {
        if ends_like_a_hash(name) {
            return None;
        }
        let of_server = match self.names {
            ToolNameLength::Full => name.strip_prefix(TOOL_PREFIX),
            ToolNameLength::Short => name.contains(SEPARATOR).then_some(name),
        };
        match of_server {
            Some(rest) => {
                let (server, _) = rest.split_once(SEPARATOR)?;
                has_own_scope(server).then_some(server)
            }
            None => {
                let (service, _) = name.split_once('_')?;
                let certain = is_scoped_service(service) && !name.contains(SEPARATOR);
                certain.then_some(service)
            }
        }
    }

    fn of_uri<'a>(&self, uri: &'a str) -> Option<&'a str> {
        if let Some((server, _)) = uris::split(uri) {
            // An encoded name cannot be written as a scope.
            return (!server.contains('%') && has_own_scope(server)).then_some(server);
        }
        let (scheme, _) = uri.split_once("://")?;
        is_scoped_service(scheme).then_some(scheme)
    }

    fn needs_admin(&self, name_or_uri: &str, params: &Params) -> bool {
        // A tool with a certain owner reaches nothing else. Any other tool may take an address or
        // call another tool: a profile can give such tools any name.
        let names_one = || {
            let arguments = params.get("arguments").and_then(|it| serde_json::from_str(it).ok());
            arguments.as_ref().is_some_and(names_admin_uri)
        };
        is_admin_uri(name_or_uri) || (self.of_name(name_or_uri).is_none() && names_one())
    }
}

/// A server with the name of a service has no scope: `memory:call` means the service.
fn has_own_scope(server: &str) -> bool {
    !is_scoped_service(server)
}

/// Whether the tools of a service of this name have a scope of their own.
fn is_scoped_service(name: &str) -> bool {
    KnownService::named(name).is_some_and(KnownService::has_scope)
}

/// How much of a server a scope with its name covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeReach {
    /// Nothing: the name is a service's, or is ambiguous.
    Nothing,
    /// Only its resources, since public names of its tools do not show their owner.
    Resources,
    /// Its tools, prompts and resources.
    Everything,
}

/// What `SERVER:call` and `SERVER:read` cover.
pub fn scope_reach(server: &str) -> ScopeReach {
    let owners = PublicNameOwners::new(ToolNameLength::Full);
    if owners.of_name(public_name(server, "tool").as_str()) == Some(server) {
        return ScopeReach::Everything;
    }
    match owners.of_uri(&uris::public_uri(server, "")) == Some(server) {
        true => ScopeReach::Resources,
        false => ScopeReach::Nothing,
    }
}

/// Whether an admin address is anywhere in the arguments, nested calls included.
fn names_admin_uri(value: &Value) -> bool {
    match value {
        Value::String(text) => is_admin_uri(text),
        Value::Array(items) => items.iter().any(names_admin_uri),
        Value::Object(members) => members.values().any(names_admin_uri),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_admin_uri(text: &str) -> bool {
    let text = text.trim();
    let begin = text.get(..OWN_SCHEME.len());
    let end = text.len().checked_sub(OF_ALL.len()).and_then(|at| text.get(at..));
    let is = |part: Option<&str>, word| part.is_some_and(|part| part.eq_ignore_ascii_case(word));
    is(begin, OWN_SCHEME) && is(end, OF_ALL)
}

/// Whether a name is shortened: its owner is not certain then.
fn ends_like_a_hash(name: &str) -> bool {
    let tail = name.rsplit_once('_').map_or("", |(_, tail)| tail);
    tail.len() == 8 && tail.bytes().all(|it| it.is_ascii_digit() || (b'a'..=b'f').contains(&it))
}

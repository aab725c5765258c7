//! What scopes mean: which scopes a request needs, and which scopes include others.
//!
//! `admin` includes `call`, and `call` includes `read`. A prefix narrows a scope: `p/NAME:call` is
//! for one profile, `NAME:call` for one service or server. Nothing here has side effects.

use hobnob_mcp_types::{Method, MethodName, Params};
use std::borrow::Cow;
use std::fmt;

use crate::scopes::Scopes;

#[cfg(test)]
mod tests;

/// The scopes that a client should request if it knows nothing better.
pub(super) const DEFAULT_SCOPES: [&str; 2] = ["read", "call"];

/// Maps the names of a program's tools, prompts and resources to the services that scopes name.
pub trait NamedOwners: fmt::Debug + Send + Sync + 'static {
    /// The one service or server that a tool or prompt belongs to. `None` if that is uncertain, or
    /// if it reaches several: then only scopes without a service allow it.
    fn of_name<'a>(&self, name: &'a str) -> Option<&'a str>;

    /// The one service or server that the resource at this URI belongs to, or `None` as above.
    fn of_uri<'a>(&self, uri: &'a str) -> Option<&'a str>;

    /// Whether using a tool or a resource with these parameters shows or changes the hub itself,
    /// and so needs `admin`.
    fn needs_admin(&self, name_or_uri: &str, params: &Params) -> bool;
}

/// For programs with only one service: names have no owners.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOwners;

impl NamedOwners for NoOwners {
    fn of_name<'a>(&self, _name: &'a str) -> Option<&'a str> {
        None
    }

    fn of_uri<'a>(&self, _uri: &'a str) -> Option<&'a str> {
        None
    }

    fn needs_admin(&self, _name_or_uri: &str, _params: &Params) -> bool {
        false
    }
}

/// What a scope allows. Each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AccessLevel {
    Read,
    Call,
    Admin,
}

impl AccessLevel {
    const ALL: [Self; 3] = [Self::Read, Self::Call, Self::Admin];

    fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Call => "call",
            Self::Admin => "admin",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }
}

/// Where a scope allows it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum AccessArea {
    Everywhere,
    /// On the path of this profile.
    Profile(Box<str>),
    /// With the tools, prompts and resources of this service or server.
    Service(Box<str>),
}

/// What the scopes of one token allow.
#[derive(Debug, Clone, Default)]
pub struct AccessRights(Vec<(AccessArea, AccessLevel)>);

/// The access that one request needs.
#[derive(Debug)]
struct NeededAccess<'a> {
    level: AccessLevel,
    target: AccessTarget<'a>,
}

#[derive(Debug)]
enum AccessTarget<'a> {
    /// A list, or something of the caller's own: any area will do.
    Anything,
    /// A tool or prompt.
    Name(Cow<'a, str>),
    /// A resource, by its URI.
    Uri(Cow<'a, str>),
    /// Something that concerns more than one service.
    Hub,
}

impl AccessTarget<'_> {
    /// The one service or server that the target belongs to.
    fn owner(&self, owners: &dyn NamedOwners) -> Option<&str> {
        match self {
            Self::Name(name) => owners.of_name(name),
            Self::Uri(uri) => owners.of_uri(uri),
            Self::Anything | Self::Hub => None,
        }
    }
}

impl AccessRights {
    /// Parses scopes. Unknown ones, such as `openid`, grant nothing.
    pub fn of(scopes: &Scopes) -> Self {
        Self(scopes.iter().filter_map(|scope| parse_scope(scope)).collect())
    }

    /// Whether a request may be sent to the server below `prefix`; else the scopes that it needs.
    pub fn check(
        &self,
        owners: &dyn NamedOwners,
        prefix: &str,
        method: &MethodName,
        params: &Params,
    ) -> Result<(), Box<str>> {
        match needed(owners, method, params) {
            None => Ok(()),
            Some(needed) => self.check_needed(owners, prefix, &needed),
        }
    }

    /// Whether every request may be sent to the server below `prefix`.
    pub fn check_all(&self, prefix: &str) -> Result<(), Box<str>> {
        let needed = NeededAccess { level: AccessLevel::Admin, target: AccessTarget::Hub };
        self.check_needed(&NoOwners, prefix, &needed)
    }

    fn check_needed(
        &self,
        owners: &dyn NamedOwners,
        prefix: &str,
        needed: &NeededAccess<'_>,
    ) -> Result<(), Box<str>> {
        let covers = |area: &AccessArea| match area {
            AccessArea::Everywhere => true,
            AccessArea::Profile(name) => profile(prefix) == Some(name),
            AccessArea::Service(name) => match needed.target {
                AccessTarget::Anything => true,
                AccessTarget::Name(_) | AccessTarget::Uri(_) | AccessTarget::Hub => {
                    needed.target.owner(owners) == Some(name)
                }
            },
        };
        let enough = self.0.iter().any(|(area, level)| needed.level <= *level && covers(area));
        if enough { Ok(()) } else { Err(self.missing(owners, prefix, needed)) }
    }

    /// The scopes to request in addition, of the same kind as the token's own: the bearer of a
    /// token for one service is not asked to get one for all services.
    fn missing(
        &self,
        owners: &dyn NamedOwners,
        prefix: &str,
        needed: &NeededAccess<'_>,
    ) -> Box<str> {
        let has = |wanted: fn(&AccessArea) -> bool| self.0.iter().any(|(area, _)| wanted(area));
        let for_services = has(|area| matches!(area, AccessArea::Service(_)));
        let for_profiles = has(|area| matches!(area, AccessArea::Profile(_)));
        let owner = needed.target.owner(owners).filter(|_| for_services);
        let profile = profile(prefix).filter(|_| for_profiles);
        let name = match (owner, profile) {
            (Some(owner), _) if needed.level < AccessLevel::Admin => format!("{owner}:"),
            (_, Some(profile)) => format!("p/{profile}:"),
            (_, None) => String::new(),
        };
        let levels = AccessLevel::ALL.into_iter().filter(|level| *level <= needed.level);
        let scopes: Vec<_> = levels.map(|level| format!("{name}{}", level.as_str())).collect();
        scopes.join(" ").into()
    }
}

fn parse_scope(scope: &str) -> Option<(AccessArea, AccessLevel)> {
    let Some((name, word)) = scope.rsplit_once(':') else {
        return Some((AccessArea::Everywhere, AccessLevel::parse(scope)?));
    };
    let level = AccessLevel::parse(word)?;
    match name.strip_prefix("p/") {
        Some("") => None,
        Some(profile) => Some((AccessArea::Profile(profile.into()), level)),
        // No service has an `admin` scope, since it concerns the hub itself.
        None if name.is_empty() || level == AccessLevel::Admin => None,
        None => Some((AccessArea::Service(name.into()), level)),
    }
}

/// The profile that is served below a prefix.
fn profile(prefix: &str) -> Option<&str> {
    prefix.strip_prefix("/p/")
}

/// The access that a request needs; `None` if any valid token will do.
fn needed<'a>(
    owners: &dyn NamedOwners,
    method: &MethodName,
    params: &'a Params,
) -> Option<NeededAccess<'a>> {
    let (level, target) = match method {
        // Methods of other protocols could reach every tool.
        MethodName::Other(_) => (AccessLevel::Call, AccessTarget::Hub),
        MethodName::Known(method) => level_and_target(*method, params)?,
    };
    let is_admins = match &target {
        AccessTarget::Name(text) | AccessTarget::Uri(text) => owners.needs_admin(text, params),
        AccessTarget::Anything | AccessTarget::Hub => false,
    };
    let level = if is_admins { AccessLevel::Admin } else { level };
    Some(NeededAccess { level, target })
}

fn level_and_target(method: Method, params: &Params) -> Option<(AccessLevel, AccessTarget<'_>)> {
    let text = |member| params.string(member).ok();
    let name = || text("name").map_or(AccessTarget::Hub, AccessTarget::Name);
    let uri = || text("uri").map_or(AccessTarget::Hub, AccessTarget::Uri);
    match method {
        Method::Initialize | Method::Ping | Method::Discover => None,
        Method::ToolsCall => Some((AccessLevel::Call, name())),
        Method::PromptsGet => Some((AccessLevel::Read, name())),
        Method::ResourcesRead | Method::ResourcesSubscribe | Method::ResourcesUnsubscribe => {
            Some((AccessLevel::Read, uri()))
        }
        Method::Complete => Some((AccessLevel::Read, AccessTarget::Hub)),
        Method::TasksCancel | Method::TasksUpdate => {
            Some((AccessLevel::Call, AccessTarget::Anything))
        }
        Method::ToolsList
        | Method::ResourcesList
        | Method::ResourcesTemplatesList
        | Method::PromptsList
        | Method::SetLevel
        | Method::TasksGet
        | Method::TasksResult
        | Method::TasksList => Some((AccessLevel::Read, AccessTarget::Anything)),
        // It may name any number of resources.
        Method::SubscriptionsListen => Some((AccessLevel::Read, AccessTarget::Hub)),
        // Notifications, and requests from server to client: none of them is answered here.
        Method::Initialized
        | Method::ToolsListChanged
        | Method::ResourcesListChanged
        | Method::ResourcesUpdated
        | Method::PromptsListChanged
        | Method::LogMessage
        | Method::Cancelled
        | Method::Progress
        | Method::RootsList
        | Method::RootsListChanged
        | Method::CreateMessage
        | Method::Elicit
        | Method::ElicitationComplete
        | Method::SubscriptionsAcknowledged
        | Method::TaskStatus
        | Method::TaskChanged => Some((AccessLevel::Read, AccessTarget::Anything)),
    }
}

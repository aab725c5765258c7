//! What scopes mean: which of them a request needs, and which include which.
//!
//! `admin` includes `call`, and `call` includes `read`. A scope with a name in front counts for less:
//! `p/NAME:call` for the profile, `NAME:call` for one service or server. All of it is pure.

use hobnob_mcp_types::{Method, MethodName, Params};
use std::borrow::Cow;
use std::fmt;

use crate::scopes::Scopes;

#[cfg(test)]
mod tests;

/// What a client asks for that knows nothing better.
pub(super) const DEFAULT_SCOPES: [&str; 2] = ["read", "call"];

/// Knows what a program's names mean to scopes.
pub trait NamedOwners: fmt::Debug + Send + Sync + 'static {
    /// The one service or server that a tool or prompt belongs to. None if that is not certain, or if it
    /// reaches more than one: then only scopes for everything allow it.
    fn of_name<'a>(&self, name: &'a str) -> Option<&'a str>;

    /// The same for the address of a resource.
    fn of_uri<'a>(&self, uri: &'a str) -> Option<&'a str>;

    /// Whether the use of a tool or a resource, with these parameters, shows or changes the hub itself
    /// and so needs `admin`.
    fn needs_admin(&self, name_or_uri: &str, params: &Params) -> bool;
}

/// For programs with one service only: names have no owners.
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

/// How much somebody may do. Each includes those before it.
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

/// Where somebody may do it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum AccessArea {
    Everywhere,
    /// At the path of this profile.
    Profile(Box<str>),
    /// With what this service or server offers.
    Service(Box<str>),
}

/// The scopes of one token, understood.
#[derive(Debug, Clone, Default)]
pub struct AccessRights(Vec<(AccessArea, AccessLevel)>);

/// What one request needs.
#[derive(Debug)]
struct NeededAccess<'a> {
    level: AccessLevel,
    target: AccessTarget<'a>,
}

#[derive(Debug)]
enum AccessTarget<'a> {
    /// Whatever the scopes are for: a list, or something of the caller's own.
    Anything,
    /// A tool or prompt.
    Name(Cow<'a, str>),
    /// A resource, by its address.
    Uri(Cow<'a, str>),
    /// More than one service has.
    Hub,
}

impl AccessTarget<'_> {
    /// The one service or server it is of.
    fn owner(&self, owners: &dyn NamedOwners) -> Option<&str> {
        match self {
            Self::Name(name) => owners.of_name(name),
            Self::Uri(uri) => owners.of_uri(uri),
            Self::Anything | Self::Hub => None,
        }
    }
}

impl AccessRights {
    /// Understands scopes. Those that are not ours, such as `openid`, give nothing.
    pub fn of(scopes: &Scopes) -> Self {
        Self(scopes.iter().filter_map(|scope| parse_scope(scope)).collect())
    }

    /// Whether a request may be sent to the server below `prefix`; else all scopes that it takes.
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

    /// Whether everything may be sent to the server below `prefix`.
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

    /// All scopes for what is missing, of the kind that the token has: whoever has a token for one
    /// service is not asked to get one for all of them.
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
        // The hub itself belongs to no service.
        None if name.is_empty() || level == AccessLevel::Admin => None,
        None => Some((AccessArea::Service(name.into()), level)),
    }
}

/// The profile that is served below a prefix.
fn profile(prefix: &str) -> Option<&str> {
    prefix.strip_prefix("/p/")
}

/// What a request needs; nothing but a valid token where it is none.
fn needed<'a>(
    owners: &dyn NamedOwners,
    method: &MethodName,
    params: &'a Params,
) -> Option<NeededAccess<'a>> {
    let (level, target) = match method {
        // Methods of other protocols reach every tool.
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
        // It names any number of resources.
        Method::SubscriptionsListen => Some((AccessLevel::Read, AccessTarget::Hub)),
        // Notifications, and what servers ask of clients: none of them is a request that is answered.
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

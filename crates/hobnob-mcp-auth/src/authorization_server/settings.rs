//! Settings of an authorization server: who it is, what it gives tokens for, and how long they live.
//!
//! The program that embeds it makes them once. What must stay true: every URL that the server names
//! comes from here, none from a request.

use super::password::PasswordCost;
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;

/// The longest name in front of a scope.
const MAX_PART: usize = 128;

/// A scope that clients may ask for: all of it, or with a name and a colon in front for a part of it,
/// such as `time:call`, which is what the resource makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeOffer {
    /// Its name in requests and tokens.
    pub name: Box<str>,
    /// What it lets a client do, for the person who is asked.
    pub meaning: Box<str>,
    /// Whether a client that names no scopes gets it.
    pub default: ScopeDefault,
}

/// Whether a client that names no scopes gets a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeDefault {
    /// It gets this one too.
    Included,
    /// Only who names it gets it.
    OnRequest,
}

/// How long what the server gives out lives, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// A request that a person has not decided on.
    pub request: u64,
    /// A code that was not redeemed.
    pub code: u64,
    /// An access token, from its issue on.
    pub access: u64,
    /// A refresh token that is not used.
    pub refresh: u64,
    /// How long a refresh token works after its first use, as long as its successor is not used.
    pub grace: u64,
    /// A registration that nobody has logged in with.
    pub unused_client: u64,
    /// A browser that somebody has logged in with.
    pub session: u64,
}

impl Default for Lifetimes {
    fn default() -> Self {
        const HOUR: u64 = 60 * 60;
        const DAY: u64 = 24 * HOUR;
        Self {
            request: 10 * 60,
            code: 60,
            access: HOUR,
            refresh: 60 * DAY,
            grace: 60,
            unused_client: DAY,
            session: 12 * HOUR,
        }
    }
}

/// Settings of one authorization server.
#[derive(Debug, Clone)]
pub struct AuthorizationServerSettings {
    issuer: Box<str>,
    encrypted: bool,
    /// What tokens can be for; the first is meant where a client names none.
    resources: Vec<Box<str>>,
    /// The profile that the first resource shows; without one, it shows everything. Resources at
    /// `/p/NAME/mcp` show the profile NAME.
    pub root_profile: Option<Box<str>>,
    /// The scopes that can be asked for.
    pub scopes: Vec<ScopeOffer>,
    /// What the pages call this server.
    pub name: Box<str>,
    /// The command that agrees to a login in the terminal, before its code.
    pub terminal_command: Option<Box<str>>,
    /// What checking a password costs.
    pub password_cost: PasswordCost,
    /// How long what it gives out lives.
    pub lifetimes: Lifetimes,
}

impl AuthorizationServerSettings {
    /// A server at the origin of this URL, which is https or on this machine, for these resources.
    /// The first of them is meant where a client names none.
    pub fn new(
        public_url: &str,
        resources: impl IntoIterator<Item = Box<str>>,
    ) -> Result<Self, AuthError> {
        let url = EndpointRule::EncryptedOrLocal.check(public_url, "public url of this server")?;
        let resources: Vec<_> = resources.into_iter().collect();
        if resources.is_empty() {
            let why = "an authorization server needs a resource to give tokens for";
            return Err(AuthError::Setting(why.into()));
        }
        Ok(Self {
            issuer: url.origin().ascii_serialization().into(),
            encrypted: url.scheme() == "https",
            resources,
            root_profile: None,
            scopes: Vec::new(),
            name: url.host_str().unwrap_or_default().into(),
            terminal_command: None,
            password_cost: PasswordCost::default(),
            lifetimes: Lifetimes::default(),
        })
    }

    /// The server's name for itself: an origin, without a slash at its end.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// What a client means by a resource, or by none; `None` if it is not ours.
    pub(super) fn resource(&self, asked: Option<&str>) -> Option<&str> {
        let Some(asked) = asked else { return self.resources.first().map(|it| &**it) };
        let plain = |text: &str| text.strip_suffix('/').unwrap_or(text).to_owned();
        // Clients' URL types add a slash that the user did not write, or drop one.
        self.resources.iter().map(|it| &**it).find(|it| plain(it) == plain(asked))
    }

    /// The profile that a resource of ours shows; `None` if it shows everything.
    pub(super) fn profile<'a>(&'a self, resource: &'a str) -> Option<&'a str> {
        if self.resources.first().is_some_and(|root| **root == *resource) {
            return self.root_profile.as_deref();
        }
        let (_, profile) = resource.strip_suffix("/mcp")?.rsplit_once("/p/")?;
        Some(profile)
    }

    /// The offer that a scope is of: one of that name, or a part of it, such as `time:call` of `call`.
    pub(super) fn offer(&self, scope: &str) -> Option<&ScopeOffer> {
        let (part, name) = scope.rsplit_once(':').unwrap_or(("-", scope));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
        let is_part = (1..=MAX_PART).contains(&part.len()) && part.bytes().all(plain);
        self.scopes.iter().find(|offer| is_part && *offer.name == *name)
    }

    /// The name of the cookie that says who has logged in with a browser; `None` over plain http on this
    /// machine. Browsers send cookies to every port of a host, so each client that waits for its answer on
    /// a port of this machine would get it, and could agree to its own next request.
    pub(super) fn cookie_name(&self) -> Option<&'static str> {
        self.encrypted.then_some("__Host-hobnob-login")
    }
}

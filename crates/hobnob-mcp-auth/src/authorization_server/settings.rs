//! Settings of an authorization server: its issuer, its resources and scopes, and lifetimes.
//!
//! The program that embeds the server makes them once. What must stay true: every URL that the
//! server names comes from here, none from a request.

use super::password::PasswordCost;
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;

/// The longest prefix of a scope, in bytes.
const MAX_PREFIX: usize = 128;

/// A scope that clients may request. A prefix with a colon, such as `time:call`, requests only a
/// part of it; the resource decides what the prefix means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeOffer {
    /// The scope's name in requests and tokens.
    pub name: Box<str>,
    /// What the scope lets a client do, in words for the person who decides.
    pub meaning: Box<str>,
    /// Whether a client that requests no scopes gets this one.
    pub default: ScopeDefault,
}

/// Whether a client that requests no scopes gets a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeDefault {
    /// A client that requests no scopes gets this one.
    Included,
    /// Only a client that requests this scope gets it.
    OnRequest,
}

/// How long what the server issues stays valid, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// A request that no person has decided on.
    pub request: u64,
    /// A code that was not redeemed.
    pub code: u64,
    /// An access token, from its issue on.
    pub access: u64,
    /// A refresh token that is not used.
    pub refresh: u64,
    /// How long a refresh token works after its first use, while its successor is unused.
    pub grace: u64,
    /// A registration of a client without a login.
    pub unused_client: u64,
    /// A browser session, which saves its user the password.
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
    /// The resources that tokens can be for; a request that names none means the first.
    resources: Vec<Box<str>>,
    /// The profile that the first resource shows; without one, it shows everything. A resource at
    /// `/p/NAME/mcp` shows the profile NAME.
    pub root_profile: Option<Box<str>>,
    /// The scopes that clients can request.
    pub scopes: Vec<ScopeOffer>,
    /// The name of this server on its pages.
    pub name: Box<str>,
    /// The terminal command that approves a login; the page shows it, followed by the login's code.
    pub terminal_command: Option<Box<str>>,
    /// The cost of checking a password.
    pub password_cost: PasswordCost,
    /// How long what the server issues stays valid.
    pub lifetimes: Lifetimes,
}

impl AuthorizationServerSettings {
    /// Settings for a server at the origin of this URL, which is https or on this machine, and for
    /// these resources. A request that names no resource means the first.
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

    /// The issuer: an origin, without a slash at its end.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// All resources; the first is that of the root.
    pub(super) fn resources(&self) -> &[Box<str>] {
        &self.resources
    }

    /// The resource that a client names, or the first if it names none; `None` if it is not ours.
    pub(super) fn resource(&self, asked: Option<&str>) -> Option<&str> {
        let Some(asked) = asked else { return self.resources.first().map(|it| &**it) };
        let plain = |text: &str| text.strip_suffix('/').unwrap_or(text).to_owned();
        // Clients' URL types may add or drop a slash at the end.
        self.resources.iter().map(|it| &**it).find(|it| plain(it) == plain(asked))
    }

    /// The profile that one of our resources shows; `None` if it shows everything.
    pub(super) fn profile<'a>(&'a self, resource: &'a str) -> Option<&'a str> {
        if self.resources.first().is_some_and(|root| **root == *resource) {
            return self.root_profile.as_deref();
        }
        let (_, profile) = resource.strip_suffix("/mcp")?.rsplit_once("/p/")?;
        Some(profile)
    }

    /// The offer for a scope: `call` is offered as itself, and `time:call` as a part of `call`.
    pub(super) fn offer(&self, scope: &str) -> Option<&ScopeOffer> {
        let (part, name) = scope.rsplit_once(':').unwrap_or(("-", scope));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
        let is_part = (1..=MAX_PREFIX).contains(&part.len()) && part.bytes().all(plain);
        self.scopes.iter().find(|offer| is_part && *offer.name == *name)
    }

    /// The name of the session cookie; `None` over plain http on this machine. Browsers send
    /// cookies to every port of a host, so each client that listens for its answer on a local port
    /// would receive the cookie, and could approve its own next request.
    pub(super) fn cookie_name(&self) -> Option<&'static str> {
        self.encrypted.then_some("__Host-hobnob-login")
    }
}

//! The settings of a login, for programs that connect to a server.
//!
//! Authors start here, through [`OAuthAuthorizer::builder`]. Only the server has no default.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::Url;

use crate::address_policy::AddressPolicy;
use crate::authorizer::OAuthAuthorizer;
use crate::client_identity::ClientIdentity;
use crate::device_login::{DeviceDisplay, DevicePrompt};
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::fetch::Fetch;
use crate::grant_store::{GrantKey, GrantStore, MemoryGrantStore};
use crate::guarded_fetch::GuardedFetch;
use crate::login::LoginContext;
use crate::login_prompt::LoginPrompt;
use crate::scopes::Scopes;
use crate::settings::{
    EnterpriseLogin, GrantKind, IdentityToken, LoginSettings, PossessionUse, RegistrationUse,
    ResourceChoice, ScopeUse,
};

/// Collects the settings of a login to one server.
#[must_use = "a builder does nothing until it is built"]
pub struct OAuthBuilder {
    settings: LoginSettings,
    policy: AddressPolicy,
    fetch: Option<Arc<dyn Fetch>>,
    store: Arc<dyn GrantStore>,
    now: Box<dyn Fn() -> u64 + Send + Sync>,
}

impl OAuthAuthorizer {
    /// Starts the settings of a login to the server at this URL, the one that you connect to.
    ///
    /// Without a [`prompt`](OAuthBuilder::prompt) or another grant, only a stored login is used.
    pub fn builder(server: &str) -> Result<OAuthBuilder, AuthError> {
        let mut url = Url::parse(server)
            .map_err(|_| AuthError::Setting("the url of the server is not valid".into()))?;
        url.set_fragment(None);
        // Neither call can fail for a URL that has a host.
        let _cleared = url.set_username("").and_then(|()| url.set_password(None));
        EndpointRule::for_server(&url).check(url.as_str(), "url of a server with a login")?;
        let settings = LoginSettings {
            server: url.clone(),
            principal: "local".into(),
            client_name: "Hobnob".into(),
            client: None,
            metadata_document: None,
            issuer: None,
            document: None,
            registration: RegistrationUse::default(),
            scopes: Scopes::default(),
            scope_use: ScopeUse::default(),
            parameters: Vec::new(),
            resource: ResourceChoice::default(),
            grant: None,
            possession: PossessionUse::default(),
        };
        Ok(OAuthBuilder {
            settings,
            policy: AddressPolicy::for_server(&url),
            fetch: None,
            store: Arc::new(MemoryGrantStore::default()),
            now: Box::new(seconds_since_1970),
        })
    }
}

pub(crate) fn seconds_since_1970() -> u64 {
    // A clock before 1970 makes everything expired, which is safe.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(u64::MAX, |since| since.as_secs())
}

impl OAuthBuilder {
    /// How a person logs in.
    pub fn prompt(self, prompt: impl LoginPrompt) -> Self {
        self.shared_prompt(Arc::new(prompt))
    }

    /// The same as [`prompt`](Self::prompt), for a prompt that several authorizers share.
    pub fn shared_prompt(mut self, prompt: Arc<dyn LoginPrompt>) -> Self {
        // A grant that needs no login page keeps precedence.
        if let None | Some(GrantKind::AuthorizationCode(_)) = self.settings.grant {
            self.settings.grant = Some(GrantKind::AuthorizationCode(prompt));
        }
        self
    }

    /// Has a person log in on another device, if the authorization server offers that (RFC 8628).
    pub fn device(mut self, prompt: impl DevicePrompt) -> Self {
        self.settings.grant = Some(GrantKind::Device(DeviceDisplay(Arc::new(prompt))));
        self
    }

    /// Registers the client again at the next login, for authorization servers that have forgotten
    /// it and do not say so.
    pub fn register_anew(mut self) -> Self {
        self.settings.registration = RegistrationUse::Anew;
        self
    }

    /// The client that you registered with the authorization server. Without one, the authorizer
    /// registers itself.
    pub fn client(mut self, client: ClientIdentity) -> Self {
        self.settings.client = Some(client);
        self
    }

    /// The https address of a document that describes the client. The address is the client id if
    /// the authorization server supports that.
    pub fn client_metadata_document(mut self, address: &str) -> Self {
        self.settings.metadata_document = Some(address.into());
        self
    }

    /// The name that a person sees when they consent; the default is `Hobnob`.
    pub fn client_name(mut self, name: &str) -> Self {
        self.settings.client_name = name.into();
        self
    }

    /// The only issuer that may be used, in exactly the server's spelling.
    pub fn issuer(mut self, issuer: &str) -> Self {
        self.settings.issuer = Some(issuer.into());
        self
    }

    /// Scopes to request in addition to those that the server wants, separated by spaces.
    pub fn scopes(mut self, scopes: &str) -> Self {
        self.settings.scopes = Scopes::parse(scopes);
        self
    }

    /// The only scopes to request, even if the server wants others, separated by spaces.
    pub fn only_scopes(mut self, scopes: &str) -> Self {
        self.settings.scope_use = ScopeUse::Only;
        self.scopes(scopes)
    }

    /// The URL of the authorization server's metadata, for servers that do not publish it.
    pub fn metadata_document(mut self, address: &str) -> Self {
        self.settings.document = Some(address.into());
        self
    }

    /// Adds a parameter to the URL of the login page.
    pub fn parameter(mut self, name: &str, value: &str) -> Self {
        self.settings.parameters.push((name.into(), value.into()));
        self
    }

    /// The resource to request tokens for, if the server's own name for itself does not work.
    pub fn resource(mut self, resource: ResourceChoice) -> Self {
        self.settings.resource = resource;
        self
    }

    /// Logs in as the client itself, without a person; needs a [`client`](Self::client).
    pub fn client_credentials(mut self) -> Self {
        self.settings.grant = Some(GrantKind::ClientCredentials);
        self
    }

    /// A company's identity provider vouches for a person; needs a [`client`](Self::client).
    pub fn enterprise_managed(mut self, login: EnterpriseLogin) -> Self {
        self.settings.grant = Some(GrantKind::EnterpriseManaged(login));
        self
    }

    /// The platform identifies this program. This is a draft of the protocol's extensions.
    pub fn workload_identity(mut self, identity: IdentityToken) -> Self {
        self.settings.grant = Some(GrantKind::WorkloadIdentity(identity));
        self
    }

    /// Whether tokens are bound to a key (DPoP); off by default. This is a draft of the protocol's
    /// extensions.
    pub fn possession(mut self, possession: PossessionUse) -> Self {
        self.settings.possession = possession;
        self
    }

    /// The principal that logs in; logins of other principals are never used.
    pub fn principal(mut self, principal: &str) -> Self {
        self.settings.principal = principal.into();
        self
    }

    /// Where logins are stored; the default is in memory.
    pub fn store(mut self, store: Arc<dyn GrantStore>) -> Self {
        self.store = store;
        self
    }

    /// Allows a host of the login to be in a private network.
    pub fn allow_private(mut self, host: &str) -> Self {
        self.policy = self.policy.allow_private(host);
        self
    }

    /// Reaches the servers of the login by other means than the guarded fetch.
    pub fn fetch(mut self, fetch: Arc<dyn Fetch>) -> Self {
        self.fetch = Some(fetch);
        self
    }

    /// Uses another clock, which returns seconds since 1970.
    pub fn clock(mut self, now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.now = Box::new(now);
        self
    }

    /// The key under which the login is stored.
    pub fn key(&self) -> GrantKey {
        let settings = &self.settings;
        GrantKey {
            principal: settings.principal.clone(),
            server: settings.server.as_str().into(),
            client: settings.own_login(),
        }
    }

    /// Builds the authorizer, for `Client::builder().authorizer(…)`.
    pub fn build(self) -> Arc<OAuthAuthorizer> {
        let key = self.key();
        let Self { settings, policy, fetch, store, now } = self;
        let fetch = fetch.unwrap_or_else(|| Arc::new(GuardedFetch::new(policy)));
        Arc::new(OAuthAuthorizer::new(LoginContext { settings, fetch, store, key, now }))
    }
}

impl std::fmt::Debug for OAuthBuilder {
    /// Leaves the settings out, since they contain secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let server = self.settings.server.as_str();
        f.debug_struct("OAuthBuilder").field("server", &server).finish_non_exhaustive()
    }
}

//! Settings of a login, in the words of whoever connects to a server.
//!
//! Authors start here, through [`OAuthAuthorizer::builder`]. Everything has a default but the server.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::Url;

use crate::address_policy::AddressPolicy;
use crate::authorizer::{OAuthAuthorizer, Shared};
use crate::client_identity::ClientIdentity;
use crate::device_login::{DeviceDisplay, DevicePrompt};
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::fetch::Fetch;
use crate::grant_store::{GrantKey, GrantStore, MemoryGrantStore};
use crate::guarded_fetch::GuardedFetch;
use crate::login_prompt::LoginPrompt;
use crate::scopes::Scopes;
use crate::settings::{
    EnterpriseLogin, GrantKind, IdentityToken, LoginSettings, PossessionUse, RegistrationUse,
    ResourceChoice, ScopeUse,
};

/// Settings of a login that is not made yet.
#[must_use = "a builder does nothing until it is built"]
pub struct OAuthBuilder {
    settings: LoginSettings,
    policy: AddressPolicy,
    fetch: Option<Arc<dyn Fetch>>,
    store: Arc<dyn GrantStore>,
    now: Box<dyn Fn() -> u64 + Send + Sync>,
}

impl OAuthAuthorizer {
    /// Settings of a login to the server at this URL, the one that you connect to.
    ///
    /// Without a [`OAuthBuilder::prompt`] and another grant, only a stored login is used.
    pub fn builder(server: &str) -> Result<OAuthBuilder, AuthError> {
        let mut url = Url::parse(server)
            .map_err(|_| AuthError::Setting("the url of the server is not valid".into()))?;
        url.set_fragment(None);
        // Neither can fail for a URL that has a host.
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
            grant: GrantKind::default(),
            prompt: None,
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

fn seconds_since_1970() -> u64 {
    // A clock before 1970 makes every token old, which is safe.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(u64::MAX, |since| since.as_secs())
}

impl OAuthBuilder {
    /// How a person logs in.
    pub fn prompt(mut self, prompt: impl LoginPrompt) -> Self {
        self.settings.prompt = Some(Arc::new(prompt));
        self
    }

    /// The same, for a prompt that others have too.
    pub fn shared_prompt(mut self, prompt: Arc<dyn LoginPrompt>) -> Self {
        self.settings.prompt = Some(prompt);
        self
    }

    /// A person logs in on another device, where the authorization server offers that.
    pub fn device(mut self, prompt: impl DevicePrompt) -> Self {
        self.settings.grant = GrantKind::Device(DeviceDisplay(Arc::new(prompt)));
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

    /// The https address of a document that describes the client; it is the client id where the
    /// authorization server supports that.
    pub fn client_metadata_document(mut self, address: &str) -> Self {
        self.settings.metadata_document = Some(address.into());
        self
    }

    /// The name that a person sees when they consent; `Hobnob` if you say nothing.
    pub fn client_name(mut self, name: &str) -> Self {
        self.settings.client_name = name.into();
        self
    }

    /// The only issuer that may be used, exactly as it names itself.
    pub fn issuer(mut self, issuer: &str) -> Self {
        self.settings.issuer = Some(issuer.into());
        self
    }

    /// Scopes to ask for besides those that the server wants, separated by spaces.
    pub fn scopes(mut self, scopes: &str) -> Self {
        self.settings.scopes = Scopes::parse(scopes);
        self
    }

    /// The only scopes to ask for, whatever the server wants, separated by spaces.
    pub fn only_scopes(mut self, scopes: &str) -> Self {
        self.settings.scope_use = ScopeUse::Only;
        self.scopes(scopes)
    }

    /// Where the authorization server's metadata is, for servers that do not say it themselves.
    pub fn metadata_document(mut self, address: &str) -> Self {
        self.settings.document = Some(address.into());
        self
    }

    /// A parameter that the page of the login gets too.
    pub fn parameter(mut self, name: &str, value: &str) -> Self {
        self.settings.parameters.push((name.into(), value.into()));
        self
    }

    /// What tokens are asked for, where the server's own name does not do.
    pub fn resource(mut self, resource: ResourceChoice) -> Self {
        self.settings.resource = resource;
        self
    }

    /// The client asks for itself, without a person; needs a [`OAuthBuilder::client`].
    pub fn client_credentials(mut self) -> Self {
        self.settings.grant = GrantKind::ClientCredentials;
        self
    }

    /// A company's identity provider vouches for a person; needs a [`OAuthBuilder::client`].
    pub fn enterprise_managed(mut self, login: EnterpriseLogin) -> Self {
        self.settings.grant = GrantKind::EnterpriseManaged(login);
        self
    }

    /// The platform says who this program is. A draft of the protocol's extensions.
    pub fn workload_identity(mut self, identity: IdentityToken) -> Self {
        self.settings.grant = GrantKind::WorkloadIdentity(identity);
        self
    }

    /// Whether tokens are bound to a key. A draft of the protocol's extensions; off if you say
    /// nothing.
    pub fn possession(mut self, possession: PossessionUse) -> Self {
        self.settings.possession = possession;
        self
    }

    /// Whose login it is; nobody else's is ever used.
    pub fn principal(mut self, principal: &str) -> Self {
        self.settings.principal = principal.into();
        self
    }

    /// Where logins are kept; in memory if you say nothing.
    pub fn store(mut self, store: Arc<dyn GrantStore>) -> Self {
        self.store = store;
        self
    }

    /// A host of the login that may be in a private network.
    pub fn allow_private(mut self, host: &str) -> Self {
        self.policy = self.policy.allow_private(host);
        self
    }

    /// Another way to reach the servers of the login, in the place of the guarded one.
    pub fn fetch(mut self, fetch: Arc<dyn Fetch>) -> Self {
        self.fetch = Some(fetch);
        self
    }

    /// Another clock: seconds since 1970.
    pub fn clock(mut self, now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.now = Box::new(now);
        self
    }

    /// Under which key the login is kept.
    pub fn key(&self) -> GrantKey {
        let settings = &self.settings;
        GrantKey {
            principal: settings.principal.clone(),
            server: settings.server.as_str().into(),
            client: settings.own_login(),
        }
    }

    /// The authorizer, for `Client::builder().authorizer(…)`.
    pub fn build(self) -> Arc<OAuthAuthorizer> {
        let key = self.key();
        let Self { settings, policy, fetch, store, now } = self;
        let fetch = fetch.unwrap_or_else(|| Arc::new(GuardedFetch::new(policy)));
        let state = Mutex::default();
        Arc::new(OAuthAuthorizer::new(Shared { settings, fetch, store, key, now, state }))
    }
}

impl std::fmt::Debug for OAuthBuilder {
    /// Secrets are among the settings, so they are left out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let server = self.settings.server.as_str();
        f.debug_struct("OAuthBuilder").field("server", &server).finish_non_exhaustive()
    }
}

//! A complete login: discovery, client, page or assertion, token.
//!
//! The authorizer runs it when a server refuses a request. The order is that of the specification;
//! each step is in a file of its own.

use std::sync::Arc;
use std::time::Duration;

use crate::authorization_request::{
    AuthorizationSettings, IssuerInAnswer, LOGIN_SECONDS, begin_authorization,
};
use crate::challenge::AuthChallenge;
use crate::client_identity::{ClientIdentity, ClientProof};
use crate::device_login::{DEVICE_GRANT, DeviceDisplay, PendingDevice};
use crate::discovery::{Abilities, Discovered, IssuerChoice, discover};
use crate::encoding::form;
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest};
use crate::grant_store::{GrantKey, GrantStore, RegisteredClient, RegistrationKey, StoredGrant};
use crate::held_grant::{HeldGrant, Obtained};
use crate::login_prompt::LoginPrompt;
use crate::possession::PossessionKey;
use crate::registration::{IdentityOrigin, identify};
use crate::scopes::Scopes;
use crate::secret::SecretText;
use crate::settings::{
    EnterpriseLogin, GrantKind, LoginSettings, PossessionUse, ResourceChoice, ScopeUse,
};
use crate::token_endpoint::{IssuedToken, TokenEndpoint, WantedToken};

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";

/// What every step of a login uses.
pub(crate) struct LoginContext {
    pub(crate) settings: LoginSettings,
    pub(crate) fetch: Arc<dyn Fetch>,
    pub(crate) store: Arc<dyn GrantStore>,
    pub(crate) key: GrantKey,
    pub(crate) now: Box<dyn Fn() -> u64 + Send + Sync>,
}

/// What is known of the previous login.
#[derive(Debug, Clone, Default)]
pub(crate) struct EarlierLogin {
    pub(crate) issuer: Option<Box<str>>,
    pub(crate) scopes: Scopes,
}

/// What one login requests, and from which authorization server.
struct Wanted {
    discovered: Discovered,
    resource: Option<SecretText>,
    scopes: Scopes,
    possession: Option<Arc<PossessionKey>>,
}

impl Wanted {
    /// The value of `scope`; none leaves the parameter out.
    fn scope_parameter(&self) -> Option<SecretText> {
        (!self.scopes.is_empty()).then(|| SecretText::new(self.scopes.to_text()))
    }
}

/// The result of a login: the token, and the client it was issued to.
struct Redeemed {
    client: ClientIdentity,
    token: IssuedToken,
    redirect: Option<Box<str>>,
}

impl LoginContext {
    /// Logs in and stores the grant.
    pub(crate) async fn log_in(
        &self,
        challenge: Option<&AuthChallenge>,
        earlier: &EarlierLogin,
    ) -> Result<HeldGrant, AuthError> {
        let Some(grant) = &self.settings.grant else {
            let server = self.settings.server.origin().ascii_serialization();
            let why = format!(
                "`{server}` requires a login, and this program cannot ask a person to log in"
            );
            return Err(AuthError::LoginNeeded(why.into()));
        };
        let wanted = self.wanted(challenge, earlier).await?;
        let redeemed = match grant {
            GrantKind::AuthorizationCode(prompt) => self.by_person(&wanted, &**prompt).await?,
            GrantKind::Device(display) => self.by_device(&wanted, display).await?,
            GrantKind::ClientCredentials => self.by_client(&wanted).await?,
            GrantKind::EnterpriseManaged(enterprise) => {
                self.by_enterprise(&wanted, enterprise).await?
            }
            GrantKind::WorkloadIdentity(identity) => {
                let assertion = identity.read().await?;
                let token = self.by_assertion(&wanted, None, &assertion).await?;
                Redeemed { client: ClientIdentity::public(""), token, redirect: None }
            }
        };
        let held = self.hold(wanted, redeemed)?;
        // A bound token is useless without its key, and the key ends with the process.
        if held.possession.is_none() {
            self.store.save(&self.key, &held.stored).await?;
        }
        Ok(held)
    }

    async fn wanted(
        &self,
        challenge: Option<&AuthChallenge>,
        earlier: &EarlierLogin,
    ) -> Result<Wanted, AuthError> {
        let settings = &self.settings;
        let known = earlier.issuer.clone().into_iter().collect();
        let (pinned, document) = (settings.issuer.clone(), settings.document.clone());
        let choice = IssuerChoice { pinned, known, document };
        let discovered = discover(&*self.fetch, &settings.server, challenge, &choice).await?;
        let moved = earlier.issuer.as_ref().is_some_and(|issuer| *issuer != discovered.issuer);
        if moved && settings.client.is_some() {
            // Spec 2026-07-28: credentials of one authorization server are never shown to another.
            return Err(AuthError::stop(
                "the server trusts another authorization server than before, and the client of the \
                 settings belongs to the old one; set its issuer and a client of the new one",
            ));
        }
        let resource = match &settings.resource {
            ResourceChoice::FromServer => discovered.resource.clone(),
            ResourceChoice::Fixed(resource) => Some(resource.clone()),
            ResourceChoice::Omitted => None,
        };
        let no_scopes = Scopes::default();
        let before = if moved { &no_scopes } else { &earlier.scopes };
        let scopes = match settings.scope_use {
            ScopeUse::Added => Scopes::to_request(&discovered, challenge, before, &settings.scopes),
            ScopeUse::Only => settings.scopes.clone().with_offline(&discovered),
        };
        let offered = &discovered.server.abilities.dpop_signing_alg_values_supported;
        let bound = settings.possession == PossessionUse::WhereOffered
            && offered.iter().any(|name| &**name == "ES256");
        let possession = bound.then(PossessionKey::generate).transpose()?.map(Arc::new);
        Ok(Wanted { discovered, resource: resource.map(SecretText::new), scopes, possession })
    }

    /// A person logs in. If the authorization server has forgotten the client, the client is
    /// registered again, once.
    async fn by_person(
        &self,
        wanted: &Wanted,
        prompt: &dyn LoginPrompt,
    ) -> Result<Redeemed, AuthError> {
        let first = self.by_person_once(wanted, prompt).await;
        let Err(PersonFault::ClientForgotten(key)) = first else {
            return first.map_err(PersonFault::into_error);
        };
        tracing::info!(issuer = %key.issuer, "the client is registered again");
        self.store.save_client(&key, None).await?;
        self.by_person_once(wanted, prompt).await.map_err(PersonFault::into_error)
    }

    async fn by_person_once(
        &self,
        wanted: &Wanted,
        prompt: &dyn LoginPrompt,
    ) -> Result<Redeemed, PersonFault> {
        let (settings, discovered) = (&self.settings, &wanted.discovered);
        let Some(endpoint) = &discovered.server.authorization_endpoint else {
            return Err(AuthError::stop(
                "the authorization server has no page to log in, or none that protects its codes \
                 (PKCE with S256)",
            )
            .into());
        };
        let pending_login = prompt.begin().await?;
        let redirect: Box<str> = pending_login.redirect().into();
        let now = (self.now)();
        let (client, origin) =
            identify(&*self.fetch, &*self.store, settings, discovered, &redirect, now).await?;
        let advertised = discovered.server.abilities.authorization_response_iss_parameter_supported;
        let issuer_in_answer =
            if advertised { IssuerInAnswer::Advertised } else { IssuerInAnswer::NotAdvertised };
        let request = AuthorizationSettings {
            endpoint,
            issuer: &discovered.issuer,
            issuer_in_answer,
            client_id: &client.id,
            redirect: &redirect,
            resource: wanted.resource.as_ref().map(SecretText::expose),
            scopes: &wanted.scopes,
            extra: &settings.parameters,
        };
        let (page, pending) = begin_authorization(&request, now)?;
        let limit = Duration::from_secs(LOGIN_SECONDS);
        let answer = tokio::time::timeout(limit, pending_login.answer(page)).await;
        let answer = answer.map_err(|_| {
            AuthError::LoginAbandoned("nobody logged in in time; try again".into())
        })??;
        let redeemed = match pending.accept(&answer, (self.now)()) {
            Ok(code) => {
                let grant = SecretText::new("authorization_code");
                let redirect = SecretText::new(code.redirect);
                let parameters = [
                    ("grant_type", &grant),
                    ("code", &code.code),
                    ("redirect_uri", &redirect),
                    ("code_verifier", &code.verifier),
                ];
                self.redeem(wanted, Some(&client), &parameters).await
            }
            Err(error) => Err(error),
        };
        match redeemed {
            Ok(token) => Ok(Redeemed { client, token, redirect: Some(redirect) }),
            Err(error) => {
                let refused = ["invalid_client", "unauthorized_client"];
                let forgotten = refused.iter().any(|code| error.is_code(code));
                Err(match origin {
                    IdentityOrigin::Registration if forgotten => {
                        let issuer = discovered.issuer.clone();
                        PersonFault::ClientForgotten(RegistrationKey { issuer, redirect })
                    }
                    IdentityOrigin::Registration | IdentityOrigin::Settings => error.into(),
                })
            }
        }
    }

    /// A person logs in on another device, with a code.
    async fn by_device(
        &self,
        wanted: &Wanted,
        display: &DeviceDisplay,
    ) -> Result<Redeemed, AuthError> {
        let discovered = &wanted.discovered;
        let Some(endpoint) = &discovered.server.device_authorization_endpoint else {
            return Err(AuthError::Setting(
                "the authorization server offers no login on another device; log in with a browser"
                    .into(),
            ));
        };
        let now = (self.now)();
        // No answer comes back to this machine, so the registration has no redirect.
        let (client, _) =
            identify(&*self.fetch, &*self.store, &self.settings, discovered, "", now).await?;
        let proof = client.parts(&discovered.server.abilities, &discovered.issuer, now)?;
        let scopes = wanted.scope_parameter();
        let mut parameters: Vec<_> =
            scopes.iter().map(|scopes| ("scope", scopes.expose())).collect();
        parameters.extend(wanted.resource.iter().map(|it| ("resource", it.expose())));
        parameters.extend(proof.parameters.iter().map(|(name, value)| (*name, value.expose())));
        let body = SecretText::new(form(parameters));
        let mut request = FetchRequest::form(endpoint.clone(), body);
        request.headers.extend(proof.authorization.map(|value| ("authorization", value)));
        let rule = EndpointRule::for_server(&self.settings.server);
        let pending = PendingDevice::read(&self.fetch.fetch(request).await?, rule)?;
        display.0.show(&pending.code);
        let grant = SecretText::new(DEVICE_GRANT);
        let parameters = [("grant_type", &grant), ("device_code", &pending.secret)];
        let mut questions = pending.questions();
        loop {
            questions.next().await?;
            let answer = self.redeem(wanted, Some(&client), &parameters).await;
            if let Some(outcome) = questions.judge(answer) {
                return outcome.map(|token| Redeemed { client, token, redirect: None });
            }
        }
    }

    /// The client logs in as itself.
    async fn by_client(&self, wanted: &Wanted) -> Result<Redeemed, AuthError> {
        let client = self.configured()?;
        let (grant, scopes) = (SecretText::new("client_credentials"), wanted.scope_parameter());
        let mut parameters = vec![("grant_type", &grant)];
        parameters.extend(scopes.iter().map(|scopes| ("scope", scopes)));
        let token = self.redeem(wanted, Some(&client), &parameters).await?;
        Ok(Redeemed { client, token, redirect: None })
    }

    /// A company's identity provider issues an assertion for a person, and the authorization server
    /// exchanges it for a token.
    async fn by_enterprise(
        &self,
        wanted: &Wanted,
        enterprise: &EnterpriseLogin,
    ) -> Result<Redeemed, AuthError> {
        let client = self.configured()?;
        let rule = EndpointRule::for_server(&self.settings.server);
        let url = rule.check(&enterprise.token_endpoint, "identity provider's token endpoint")?;
        let subject = enterprise.id_token.read().await?;
        let fixed = |text: &str| SecretText::new(text);
        let (grant, requested, kind) = (fixed(TOKEN_EXCHANGE), fixed(ID_JAG), fixed(ID_TOKEN));
        let audience = fixed(&wanted.discovered.issuer);
        let resource =
            wanted.resource.clone().unwrap_or_else(|| fixed(self.settings.server.as_str()));
        let scopes = wanted.scope_parameter();
        let mut parameters = vec![
            ("grant_type", &grant),
            ("requested_token_type", &requested),
            ("audience", &audience),
            ("resource", &resource),
            ("subject_token", &subject),
            ("subject_token_type", &kind),
        ];
        parameters.extend(scopes.iter().map(|scopes| ("scope", scopes)));
        let provider = TokenEndpoint {
            fetch: &*self.fetch,
            url: &url,
            issuer: &enterprise.token_endpoint,
            abilities: &Abilities::default(),
            client: Some(&enterprise.client),
            possession: None,
            wanted: WantedToken::Assertion,
            now: (self.now)(),
        };
        let vouched = provider.request(&parameters).await.map_err(of_identity_provider);
        let assertion = vouched?.access_token;
        let token = self.by_assertion(wanted, Some(&client), &assertion).await?;
        Ok(Redeemed { client, token, redirect: None })
    }

    /// RFC 7523: exchanges an assertion, signed by an issuer that the authorization server trusts.
    async fn by_assertion(
        &self,
        wanted: &Wanted,
        client: Option<&ClientIdentity>,
        assertion: &SecretText,
    ) -> Result<IssuedToken, AuthError> {
        let (grant, scopes) = (SecretText::new(JWT_BEARER), wanted.scope_parameter());
        let mut parameters = vec![("grant_type", &grant), ("assertion", assertion)];
        parameters.extend(scopes.iter().map(|scopes| ("scope", scopes)));
        self.redeem(wanted, client, &parameters).await
    }

    /// Sends a token request, always for the same resource.
    async fn redeem(
        &self,
        wanted: &Wanted,
        client: Option<&ClientIdentity>,
        parameters: &[(&str, &SecretText)],
    ) -> Result<IssuedToken, AuthError> {
        let discovered = &wanted.discovered;
        let endpoint = TokenEndpoint {
            fetch: &*self.fetch,
            url: &discovered.server.token_endpoint,
            issuer: &discovered.issuer,
            abilities: &discovered.server.abilities,
            client,
            possession: wanted.possession.as_deref(),
            wanted: WantedToken::Access,
            now: (self.now)(),
        };
        let resource = wanted.resource.iter().map(|resource| ("resource", resource));
        let all: Vec<_> = parameters.iter().copied().chain(resource).collect();
        endpoint.request(&all).await
    }

    fn configured(&self) -> Result<ClientIdentity, AuthError> {
        let client = self.settings.client.clone();
        client.ok_or_else(|| AuthError::Setting("this grant needs a client id: set one".into()))
    }

    fn hold(&self, wanted: Wanted, redeemed: Redeemed) -> Result<HeldGrant, AuthError> {
        let Wanted { discovered, resource, scopes, possession } = wanted;
        let Redeemed { client, token, redirect } = redeemed;
        let method = client.method(&discovered.server.abilities)?.name();
        let secret = match &client.proof {
            // The secret is in the settings, so it is not stored a second time.
            _ if self.settings.client.is_some() => None,
            ClientProof::Secret(secret) => Some(secret.clone()),
            ClientProof::Public | ClientProof::Key(_) => None,
        };
        let mut known = scopes;
        // A response without scopes granted those that were requested.
        known.extend(token.scopes.iter().flat_map(Scopes::iter).cloned());
        let stored = StoredGrant {
            access_token: token.access_token,
            issued_at: (self.now)(),
            expires_at: token.expires_at,
            refresh_token: token.refresh_token,
            scopes: known,
            issuer: discovered.issuer,
            resource: resource.map(|resource| resource.expose().into()),
            client: RegisteredClient {
                id: client.id,
                secret,
                method: Some(method.into()),
                secret_expires_at: None,
            },
            redirect,
            token_endpoint: discovered.server.token_endpoint.as_str().into(),
            revocation_endpoint: discovered
                .server
                .revocation_endpoint
                .map(|url| url.as_str().into()),
        };
        let possession = possession.filter(|_| &*token.token_type == "dpop");
        Ok(HeldGrant::new(stored, Obtained::ByLogin, possession))
    }
}

/// Says in a refusal that the identity provider, not the authorization server, refused.
fn of_identity_provider(error: AuthError) -> AuthError {
    match error {
        AuthError::Refused { code, description } => AuthError::Setting(
            format!("the identity provider refused ({code}){description}").into(),
        ),
        other => other,
    }
}

/// Why a person is not logged in.
enum PersonFault {
    /// The authorization server no longer knows this registration.
    ClientForgotten(RegistrationKey),
    Other(AuthError),
}

impl PersonFault {
    fn into_error(self) -> AuthError {
        match self {
            Self::ClientForgotten(_) => AuthError::Setting(
                "the authorization server refuses the client that it has just registered; register \
                 one there and set its client id"
                    .into(),
            ),
            Self::Other(error) => error,
        }
    }
}

impl From<AuthError> for PersonFault {
    fn from(error: AuthError) -> Self {
        Self::Other(error)
    }
}

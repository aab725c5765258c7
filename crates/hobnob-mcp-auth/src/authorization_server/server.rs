//! The authorization server: routes its paths to the handlers, and verifies access tokens.
//!
//! A listener calls it for its open routes and to verify tokens. What must stay true: every answer
//! carries the issuer of the settings, and a failure of the store grants no access.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use hobnob_mcp_engine::{BoxFuture, ClientId, Principal};
use hobnob_mcp_http::{OpenRequest, OpenRoutes, ReplyBody};
use http::{Method, Request, Response, StatusCode};
use tokio_util::sync::CancellationToken;

use super::authorize::{decide, show};
use super::client_document::DocumentCache;
use super::consent_page::problem_page;
use super::events::{AuthorizationEvents, LoggedEvents};
use super::failure::ServerFailure;
use super::metadata::metadata;
use super::parts::{ChangeCount, Clock, ServerParts, Throttles};
use super::password_check::{PasswordCheck, check_password};
use super::record_store::AuthorizationStore;
use super::records::{AccessTokenBody, load};
use super::register::register;
use super::responses::{EndpointFault, OAuthRefusal, preflight, refusal, too_many, wrong_method};
use super::secrets::secret_digest;
use super::settings::AuthorizationServerSettings;
use super::sign_in::{SignInRefusal, sign_in, sign_out};
use super::token::{revoke, token};
use super::users::UserDirectory;
use crate::address_policy::AddressPolicy;
use crate::builder::seconds_since_1970;
use crate::fetch::Fetch;
use crate::guarded_fetch::GuardedFetch;
use crate::resource_server::{TokenRefusal, TokenVerifier, VerifiedToken};
use crate::scopes::Scopes;
use crate::secret::SecretText;

/// The longest token that is looked up, in bytes.
const MAX_TOKEN: usize = 256;
/// How often expired records are removed.
const PURGE_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// How long a revocation by another process may go unnoticed, in seconds.
const REVOCATION_DELAY_SECONDS: u64 = 15;

/// Stands for the client in events of the pages of logins to servers, which have no OAuth client.
const LOGIN_PAGE_CLIENT: &str = "upstream-login";

/// An authorization server within this process.
pub struct EmbeddedAuthorizationServer(ServerParts);

/// Builds an authorization server from its settings, its store and optional parts.
pub struct AuthorizationServerBuilder {
    settings: AuthorizationServerSettings,
    store: Arc<dyn AuthorizationStore>,
    fetch: Option<Arc<dyn Fetch>>,
    events: Arc<dyn AuthorizationEvents>,
    clock: Clock,
    changes: ChangeCount,
}

impl EmbeddedAuthorizationServer {
    /// A builder for a server with these settings, which stores all its records in this store.
    pub fn builder(
        settings: AuthorizationServerSettings,
        store: Arc<dyn AuthorizationStore>,
    ) -> AuthorizationServerBuilder {
        AuthorizationServerBuilder {
            settings,
            store,
            fetch: None,
            events: Arc::new(LoggedEvents),
            changes: Box::new(|| 0),
            clock: Box::new(seconds_since_1970),
        }
    }

    /// The server's issuer, which its metadata and all its answers carry.
    pub fn issuer(&self) -> &str {
        self.0.settings.issuer()
    }

    /// The users who may log in here.
    pub fn users(&self) -> &UserDirectory {
        &self.0.users
    }

    /// Whether this is the user's password. Attempts count as on the consent page, and a failure of
    /// the store counts as a wrong password.
    pub async fn is_password_of(&self, user: &str, password: SecretText, from: ClientId) -> bool {
        let given = (user, password);
        let checked = check_password(&self.0, given, from, LOGIN_PAGE_CLIENT).await;
        matches!(checked, Ok(PasswordCheck::Right))
    }

    /// Signs a user in at a page of this process: returns an access token for the first resource
    /// that the user may use, with all scopes that the role allows, valid as long as a browser
    /// stays logged in. Attempts count as on the consent page.
    ///
    /// # Errors
    /// When the password is wrong or was not checked, or the user may use nothing here.
    pub async fn sign_in(
        &self,
        user: &str,
        password: SecretText,
        from: ClientId,
    ) -> Result<SecretText, SignInRefusal> {
        sign_in(&self.0, (user, password), from).await
    }

    /// Ends the login that [`sign_in`](Self::sign_in) began with this token.
    pub async fn sign_out(&self, token: &str) {
        sign_out(&self.0, token).await;
    }

    /// Removes expired records periodically until `stop` is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        loop {
            if let Err(error) = self.0.store.purge(self.0.now()).await {
                tracing::warn!(%error, "logins that have expired cannot be removed");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PURGE_INTERVAL) => {}
            }
        }
    }

    async fn route(
        &self,
        path: ServerPath,
        request: &Request<Bytes>,
        from: ClientId,
    ) -> Result<Response<Bytes>, EndpointFault> {
        let parts = &self.0;
        match (path, request.method()) {
            (ServerPath::Authorize, &Method::GET) => Ok(show(parts, request, from).await?),
            (ServerPath::Authorize, &Method::POST) => Ok(decide(parts, request, from).await?),
            (ServerPath::Metadata, &Method::GET) => Ok(metadata(&parts.settings)),
            (ServerPath::Token, &Method::POST) => token(parts, request, from).await,
            (ServerPath::Register, &Method::POST) => register(parts, request, from).await,
            (ServerPath::Revoke, &Method::POST) => revoke(parts, request, from).await,
            (
                ServerPath::Metadata
                | ServerPath::Token
                | ServerPath::Register
                | ServerPath::Revoke,
                &Method::OPTIONS,
            ) => Ok(preflight(path.allowed())),
            (_, _) => Ok(wrong_method(path.allowed())),
        }
    }
}

impl AuthorizationServerBuilder {
    /// Fetches clients' documents by other means than the guarded fetch.
    #[must_use]
    pub fn fetch(mut self, fetch: Arc<dyn Fetch>) -> Self {
        self.fetch = Some(fetch);
        self
    }

    /// Where events are recorded; by default, each is a line in the log.
    #[must_use]
    pub fn events(mut self, events: Arc<dyn AuthorizationEvents>) -> Self {
        self.events = events;
        self
    }

    /// Uses another clock, which returns seconds since 1970.
    #[must_use]
    pub fn clock(mut self, now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.clock = Box::new(now);
        self
    }

    /// Counts how often other processes have changed users or ended logins, as far as is known.
    /// When the number grows, cached tokens are verified again. The server calls it on every
    /// request, so it must be very cheap. Without it, such changes take effect within 15 seconds.
    #[must_use]
    pub fn changes(mut self, count: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.changes = Box::new(count);
        self
    }

    /// Builds the server, for a listener's routes and its verifiers.
    pub fn build(self) -> Arc<EmbeddedAuthorizationServer> {
        let Self { settings, store, fetch, events, clock, changes } = self;
        Arc::new(EmbeddedAuthorizationServer(ServerParts {
            users: UserDirectory::new(Arc::clone(&store), settings.password_cost),
            settings,
            store,
            // Any client may name a document, even if this server is on the local machine.
            fetch: fetch
                .unwrap_or_else(|| Arc::new(GuardedFetch::new(AddressPolicy::public_only()))),
            documents: DocumentCache::default(),
            throttles: Throttles::default(),
            events,
            clock,
            changes,
            revocations: AtomicU64::new(0),
        }))
    }
}

/// The paths of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerPath {
    Metadata,
    Authorize,
    Token,
    Register,
    Revoke,
}

impl ServerPath {
    fn of(path: &str) -> Option<Self> {
        match path {
            "/.well-known/oauth-authorization-server" | "/.well-known/openid-configuration" => {
                Some(Self::Metadata)
            }
            "/oauth/authorize" => Some(Self::Authorize),
            "/oauth/token" => Some(Self::Token),
            "/oauth/register" => Some(Self::Register),
            "/oauth/revoke" => Some(Self::Revoke),
            _ => None,
        }
    }

    fn allowed(self) -> &'static str {
        match self {
            Self::Metadata => "GET, OPTIONS",
            Self::Authorize => "GET, POST",
            Self::Token | Self::Register | Self::Revoke => "POST, OPTIONS",
        }
    }
}

impl OpenRoutes for EmbeddedAuthorizationServer {
    fn has(&self, request: OpenRequest<'_>) -> bool {
        ServerPath::of(request.path).is_some()
    }

    fn answer(
        &self,
        request: Request<Bytes>,
        from: ClientId,
    ) -> BoxFuture<'_, Response<ReplyBody>> {
        Box::pin(async move { self.respond(request, from).await.map(ReplyBody::full) })
    }
}

impl EmbeddedAuthorizationServer {
    async fn respond(&self, request: Request<Bytes>, from: ClientId) -> Response<Bytes> {
        let Some(path) = ServerPath::of(request.uri().path()) else {
            return wrong_method("");
        };
        let settings = &self.0.settings;
        match self.route(path, &request, from).await {
            Ok(response) => response,
            Err(EndpointFault::Refused(why)) => refusal(settings.issuer(), why),
            Err(EndpointFault::TooMany(seconds)) => too_many(settings.issuer(), seconds),
            Err(EndpointFault::Failed(failure)) => {
                tracing::warn!(%failure, "a request of a login failed");
                let why = "this server has trouble of its own; try again later";
                match path {
                    ServerPath::Authorize => {
                        problem_page(settings, StatusCode::SERVICE_UNAVAILABLE, why)
                    }
                    ServerPath::Metadata
                    | ServerPath::Token
                    | ServerPath::Register
                    | ServerPath::Revoke => {
                        let why = OAuthRefusal::new("temporarily_unavailable", why);
                        refusal(settings.issuer(), why)
                    }
                }
            }
        }
    }
}

impl TokenVerifier for EmbeddedAuthorizationServer {
    fn verify<'a>(
        &'a self,
        token: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<VerifiedToken, TokenRefusal>> {
        Box::pin(async move {
            if MAX_TOKEN < token.len() {
                return Err(TokenRefusal::Unknown);
            }
            let failed = |error: ServerFailure| TokenRefusal::Unavailable(error.to_string().into());
            let found = load::<AccessTokenBody>(&*self.0.store, &secret_digest(token)).await;
            let Some(found) = found.map_err(failed)? else { return Err(TokenRefusal::Unknown) };
            if found.body.valid_until <= self.0.now() {
                return Err(TokenRefusal::Expired);
            }
            if *found.body.resource != *resource {
                return Err(TokenRefusal::OtherAudience);
            }
            // Checked at each use: the role may be lower than when the token was issued.
            let access = self.0.users.access(&found.record.user).await.map_err(failed)?;
            let Some(access) = access else { return Err(TokenRefusal::Unknown) };
            if !access.may_use(self.0.settings.profile(resource)) {
                return Err(TokenRefusal::NotForUser);
            }
            let expires_at = UNIX_EPOCH.checked_add(Duration::from_secs(found.body.valid_until));
            Ok(VerifiedToken {
                principal: Principal::named(&found.record.user),
                scopes: Scopes::parse(&access.cut(&found.body.scopes)),
                expires_at,
            })
        })
    }

    fn revocations(&self) -> u64 {
        // Commands change users in other processes. In case no change count is configured, the
        // clock's part of the sum makes caches ask again periodically.
        let others = (self.0.changes)().wrapping_add(self.0.now() / REVOCATION_DELAY_SECONDS);
        let ours = self.0.users.changes().wrapping_add(self.0.revocations.load(Ordering::Acquire));
        ours.wrapping_add(others)
    }
}

impl std::fmt::Debug for EmbeddedAuthorizationServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let issuer = self.0.settings.issuer();
        f.debug_struct("EmbeddedAuthorizationServer")
            .field("issuer", &issuer)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for AuthorizationServerBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let issuer = self.settings.issuer();
        f.debug_struct("AuthorizationServerBuilder")
            .field("issuer", &issuer)
            .finish_non_exhaustive()
    }
}

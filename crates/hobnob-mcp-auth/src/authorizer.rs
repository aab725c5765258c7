//! The authorizer of one server: adds a token to every request, and gets a new one after a refusal.
//!
//! A connection calls it through the `RequestAuthorizer` port of `hobnob-mcp-http`. What must stay
//! true: concurrent requests share one login or refresh, which completes even if the request that
//! began it is dropped; otherwise a refresh token could be spent and its successor lost.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_http::client::{
    AuthorizationFailed, CredentialRefusal, Initiative, RequestAuthorizer, RequestCredentials,
    RequestToAuthorize,
};
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::authorization_request::LOGIN_SECONDS;
use crate::challenge::AuthChallenge;
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::fetch::Fetch;
use crate::grant_store::{GrantKey, GrantStore};
use crate::held_grant::{HeldGrant, Obtained};
use crate::login::{EarlierLogin, LoginContext};
use crate::possession::ProvedRequest;
use crate::revocation::{Revocation, revoke};
use crate::settings::{GrantKind, LoginSettings};

const DPOP_HEADER: HeaderName = HeaderName::from_static("dpop");

/// How long no refresh is tried after the authorization server failed, in seconds.
const REFRESH_PAUSE_SECONDS: u64 = 30;

/// Logs in to one server with OAuth and authorizes every request to it.
#[derive(Debug)]
pub struct OAuthAuthorizer {
    shared: Arc<Shared>,
    tasks: TaskTracker,
}

/// The present state of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginStatus {
    /// There is no token: the server was not asked yet, or requires none.
    NotLoggedIn,
    /// There is a token.
    LoggedIn {
        /// When the token expires, in seconds since 1970.
        expires_at: Option<u64>,
        /// How the next token will be obtained.
        next: NextToken,
    },
}

/// The outcome of a logout. In each case the store no longer has the login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogoutOutcome {
    /// There was no login, or its record was damaged.
    NotLoggedIn,
    /// The authorization server has revoked the login.
    Revoked,
    /// The authorization server offers no revocation: tokens stay valid until they expire.
    Forgotten,
    /// The authorization server failed to revoke the login, for this reason.
    NotRevoked(AuthError),
}

/// How the next token is obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextToken {
    /// Without a person, with a refresh token.
    ByRefresh,
    /// Without a person: the client requests another one.
    ByClient,
    /// By a new login, which needs a person.
    ByLogin,
}

pub(crate) struct Shared {
    pub(crate) settings: LoginSettings,
    pub(crate) fetch: Arc<dyn Fetch>,
    pub(crate) store: Arc<dyn GrantStore>,
    pub(crate) key: GrantKey,
    pub(crate) now: Box<dyn Fn() -> u64 + Send + Sync>,
    pub(crate) state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    held: Option<Arc<HeldGrant>>,
    /// Counts the grants that were held; zero means none yet.
    version: u64,
    /// Whether the store has been read.
    loaded: bool,
    flight: Option<Flight>,
    /// Until when no refresh is tried.
    pause_until: u64,
    /// The version of a grant that was refused while new, so that another login would not help.
    hopeless_version: Option<u64>,
    /// The version of a grant that the authorization server refused to refresh.
    ended_version: Option<u64>,
    /// The DPoP nonce that the server's proofs must repeat.
    nonce: Option<Box<str>>,
    /// Why the stored login cannot be used.
    damaged: Option<Box<str>>,
    /// The last failure, until something succeeds.
    last_error: Option<AuthError>,
}

/// One running login or refresh; all requests that need it wait for the same one.
type Flight = watch::Receiver<Option<Result<(), AuthError>>>;

/// What a flight does.
#[derive(Debug, Clone)]
enum Work {
    Refresh,
    /// A refresh, and a login if the refresh is refused.
    RefreshOrLogin(Option<AuthChallenge>),
    Login(Option<AuthChallenge>),
}

impl OAuthAuthorizer {
    pub(crate) fn new(shared: Shared) -> Self {
        Self { shared: Arc::new(shared), tasks: TaskTracker::new() }
    }

    /// The present state of the login.
    pub fn status(&self) -> LoginStatus {
        let Some(held) = self.shared.state().held.clone() else { return LoginStatus::NotLoggedIn };
        let next = match &held.stored.refresh_token {
            Some(_) => NextToken::ByRefresh,
            None if self.shared.key.client.is_some() => NextToken::ByClient,
            None => NextToken::ByLogin,
        };
        LoginStatus::LoggedIn { expires_at: held.stored.expires_at, next }
    }

    /// The last failure, if nothing has succeeded since.
    pub fn last_error(&self) -> Option<AuthError> {
        self.shared.state().last_error.clone()
    }

    /// Whether the store has another login than the one in use, made by another process.
    pub async fn has_other_login(&self) -> bool {
        let Ok(Some(stored)) = self.shared.store.load(&self.shared.key).await else { return false };
        let held = self.shared.state().held.clone();
        held.is_none_or(|held| held.stored.access_token != stored.access_token)
    }

    /// Ends the login: at the authorization server if it can, and here in any case.
    pub async fn log_out(&self) -> Result<LogoutOutcome, AuthError> {
        let shared = &self.shared;
        let _lock = shared.store.lock(&shared.key).await?;
        let stored = match shared.store.load(&shared.key).await {
            Err(AuthError::Damaged(_)) => None,
            stored => stored?,
        };
        let outcome = match &stored {
            None => LogoutOutcome::NotLoggedIn,
            Some(grant) => {
                let rule = EndpointRule::for_server(&shared.settings.server);
                let client = shared.context().identity(grant);
                match revoke(&*shared.fetch, rule, grant, &client, (shared.now)()).await {
                    Ok(Revocation::Done) => LogoutOutcome::Revoked,
                    Ok(Revocation::NotOffered) => LogoutOutcome::Forgotten,
                    Err(error) => LogoutOutcome::NotRevoked(error),
                }
            }
        };
        shared.store.delete(&shared.key).await?;
        let mut state = shared.state();
        state.held = None;
        state.version += 1;
        Ok(outcome)
    }

    /// Waits for running logins and refreshes, so that no token is obtained but not saved.
    pub async fn close(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Joins the running flight, or begins one, unless the version `refused` was already replaced.
    async fn fly(&self, work: Work, refused: u64) -> Result<(), AuthError> {
        let mut flight = {
            let mut state = self.shared.state();
            if state.version != refused {
                return Ok(());
            }
            match state.flight.clone().filter(is_under_way) {
                Some(flight) => flight,
                None => {
                    let (done, flight) = watch::channel(None);
                    state.flight = Some(flight.clone());
                    let shared = Arc::clone(&self.shared);
                    drop(
                        self.tasks
                            .spawn(async move { done.send_replace(Some(shared.work(work).await)) }),
                    );
                    flight
                }
            }
        };
        let outcome = flight.wait_for(Option::is_some).await;
        let broken = || AuthError::Unavailable("the login broke off".into());
        outcome.map_err(|_| broken())?.clone().unwrap_or_else(|| Err(broken()))
    }
}

/// A flight whose task ended without an outcome is over.
fn is_under_way(flight: &Flight) -> bool {
    flight.has_changed().is_ok() && flight.borrow().is_none()
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned lock is as good as any.
        self.state.lock()
    }

    /// Does the work and applies its outcome, in one step with the end of the flight.
    async fn work(&self, work: Work) -> Result<(), AuthError> {
        let outcome = self.obtain(work).await;
        let mut state = self.state();
        state.flight = None;
        match outcome {
            Ok(held) => {
                state.held = Some(Arc::new(held));
                state.version += 1;
                state.pause_until = 0;
                state.last_error = None;
                state.damaged = None;
                Ok(())
            }
            Err(error) => {
                if matches!(error, AuthError::Unavailable(_)) {
                    state.pause_until = (self.now)() + REFRESH_PAUSE_SECONDS;
                }
                Err(error)
            }
        }
    }

    async fn obtain(&self, work: Work) -> Result<HeldGrant, AuthError> {
        let context = self.context();
        let held = self.state().held.clone();
        let earlier = held.as_ref().map(|held| EarlierLogin {
            issuer: Some(held.stored.issuer.clone()),
            scopes: held.stored.scopes.clone(),
        });
        let earlier = earlier.unwrap_or_default();
        let no_grant = || AuthError::LoginNeeded("nobody has logged in".into());
        match work {
            Work::Refresh => self.refresh(&*held.ok_or_else(no_grant)?).await,
            Work::RefreshOrLogin(challenge) => {
                match self.refresh(&*held.ok_or_else(no_grant)?).await {
                    Err(AuthError::LoginNeeded(_)) => {
                        context.log_in(challenge.as_ref(), &earlier).await
                    }
                    outcome => outcome,
                }
            }
            Work::Login(challenge) => context.log_in(challenge.as_ref(), &earlier).await,
        }
    }

    /// Refreshes the grant, unless the authorization server has refused that before.
    async fn refresh(&self, held: &HeldGrant) -> Result<HeldGrant, AuthError> {
        let version = {
            let state = self.state();
            if state.ended_version == Some(state.version) {
                return Err(AuthError::LoginNeeded("the login has ended".into()));
            }
            state.version
        };
        let refreshed = self.context().refresh(held).await;
        if matches!(refreshed, Err(AuthError::LoginNeeded(_))) {
            self.state().ended_version = Some(version);
        }
        refreshed
    }

    fn context(&self) -> LoginContext<'_> {
        LoginContext {
            settings: &self.settings,
            fetch: &*self.fetch,
            store: &*self.store,
            key: &self.key,
            now: &*self.now,
        }
    }

    /// Loads what an earlier process stored, once.
    async fn load(&self) -> Result<(), AuthError> {
        if self.state().loaded {
            return Ok(());
        }
        let (stored, damaged) = match self.store.load(&self.key).await {
            // A damaged login counts as none: if the server wants a login, the new one replaces it.
            Err(AuthError::Damaged(why)) => (None, Some(why)),
            stored => (stored?, None),
        };
        let mut state = self.state();
        state.damaged = damaged;
        if !state.loaded
            && state.held.is_none()
            && let Some(stored) = stored
        {
            state.held = Some(Arc::new(HeldGrant::new(stored, Obtained::FromStore, None)));
            state.version += 1;
        }
        state.loaded = true;
        Ok(())
    }

    /// Adopts what another process has stored since the grant with this version was refused;
    /// returns whether there was anything.
    async fn adopt(&self, refused: u64) -> bool {
        let held = self.state().held.clone();
        if held.as_ref().is_some_and(|held| held.possession.is_some()) {
            return false;
        }
        let Ok(Some(stored)) = self.store.load(&self.key).await else { return false };
        let newer = held.is_none_or(|held| {
            let ours = &held.stored;
            stored.access_token != ours.access_token && ours.issued_at <= stored.issued_at
        });
        let mut state = self.state();
        if !newer || state.version != refused {
            return false;
        }
        state.held = Some(Arc::new(HeldGrant::new(stored, Obtained::FromStore, None)));
        state.version += 1;
        state.last_error = None;
        true
    }

    /// The headers of one request, from the grant held now.
    fn headers(&self, request: RequestToAuthorize<'_>) -> Result<RequestCredentials, AuthError> {
        let (held, version, nonce) = {
            let state = self.state();
            (state.held.clone(), state.version, state.nonce.clone())
        };
        let mut credentials = RequestCredentials { version, ..RequestCredentials::default() };
        let Some(held) = held else { return Ok(credentials) };
        let bad = |_| AuthError::stop("the token has characters that no header takes");
        let token = &held.stored.access_token;
        let scheme = if held.possession.is_some() { "DPoP" } else { "Bearer" };
        let value = format!("{scheme} {}", token.expose());
        credentials.headers.insert(AUTHORIZATION, HeaderValue::try_from(value).map_err(bad)?);
        if let Some(key) = &held.possession {
            let proof = key.prove(&ProvedRequest {
                method: request.method.as_str(),
                url: request.url,
                token: Some(token),
                nonce: nonce.as_deref(),
                now: (self.now)(),
            })?;
            let proof = HeaderValue::from_str(proof.expose()).map_err(bad)?;
            credentials.headers.insert(DPOP_HEADER, proof);
        }
        Ok(credentials)
    }

    fn failed(&self, error: AuthError) -> AuthorizationFailed {
        let server = self.settings.server.origin().ascii_serialization();
        let error = {
            let mut state = self.state();
            let damaged = state.damaged.clone();
            let error = match (error, damaged) {
                (AuthError::LoginNeeded(_), Some(why)) => AuthError::Damaged(why),
                (error, _) => error,
            };
            state.last_error = Some(error.clone());
            error
        };
        AuthorizationFailed(format!("cannot log in to {server}: {error}").into())
    }
}

impl OAuthAuthorizer {
    async fn current(
        &self,
        request: RequestToAuthorize<'_>,
    ) -> Result<RequestCredentials, AuthError> {
        // A token is only for the server that it was obtained for.
        if request.url.origin() != self.shared.settings.server.origin() {
            return Ok(RequestCredentials::default());
        }
        self.shared.load().await?;
        let now = (self.shared.now)();
        let (held, version, pause_until) = {
            let state = self.shared.state();
            (state.held.clone(), state.version, state.pause_until)
        };
        if let Some(held) = held.filter(|held| held.is_due(now)) {
            let refreshed = if now < pause_until {
                Err(AuthError::Unavailable("the authorization server has trouble".into()))
            } else {
                self.fly(Work::Refresh, version).await
            };
            match refreshed {
                Err(error @ AuthError::Unavailable(_)) if held.is_over(now) => return Err(error),
                // The old token may still work; if not, the server says so and a login follows.
                Ok(()) | Err(_) => {}
            }
        }
        self.shared.headers(request)
    }

    /// Decides what the refusal calls for, and does it.
    async fn after(&self, refusal: CredentialRefusal) -> Result<(), AuthError> {
        let challenge = AuthChallenge::for_oauth(&refusal.challenges);
        let error = challenge.as_ref().and_then(|challenge| challenge.parameter("error"));
        if refusal.status == 401 && self.shared.adopt(refusal.version).await {
            return Ok(());
        }
        let (held, hopeless) = {
            let mut state = self.shared.state();
            let nonce = refusal.nonce.as_ref().and_then(|nonce| nonce.to_str().ok());
            if let (Some("use_dpop_nonce"), Some(nonce)) = (error, nonce) {
                state.nonce = Some(nonce.into());
                return Ok(());
            }
            if state.version != refusal.version {
                // The grant was replaced since this request was sent.
                return Ok(());
            }
            (state.held.clone(), state.hopeless_version == Some(state.version))
        };
        if hopeless
            || held.as_ref().is_some_and(|held| is_hopeless(held, &refusal, challenge.as_ref()))
        {
            self.shared.state().hopeless_version = Some(refusal.version);
            return Err(hopeless_error(refusal.status));
        }
        let refreshable = held.as_ref().is_some_and(|held| {
            let fresh = held.obtained == Obtained::ByRefresh && 0 < refusal.attempt;
            refusal.status == 401 && held.stored.refresh_token.is_some() && !fresh
        });
        let work = match (refusal.initiative, refreshable) {
            (Initiative::Background, true) => Work::Refresh,
            (Initiative::Background, false) if self.shared.key.client.is_none() => {
                let why = "a background request does not start a login";
                return Err(AuthError::LoginNeeded(why.into()));
            }
            (Initiative::Call, true) => Work::RefreshOrLogin(challenge),
            // This grant needs no person, so a background request may log in too.
            (Initiative::Background | Initiative::Call, false) => Work::Login(challenge),
        };
        self.fly(work, refusal.version).await
    }
}

/// Whether another login would end the same way: the server refused a brand-new token, or wants
/// scopes that were requested and not granted.
fn is_hopeless(
    held: &HeldGrant,
    refusal: &CredentialRefusal,
    challenge: Option<&AuthChallenge>,
) -> bool {
    if held.obtained != Obtained::ByLogin {
        return false;
    }
    match refusal.status {
        401 => 0 < refusal.attempt,
        _ => {
            let scopes = challenge.and_then(AuthChallenge::scopes).unwrap_or_default();
            held.stored.scopes.contains_all(&scopes)
        }
    }
}

fn hopeless_error(status: u16) -> AuthError {
    let why = match status {
        401 => "it refuses the token that its own authorization server has just issued",
        _ => "it wants scopes that were asked for and that this account does not get",
    };
    AuthError::stop(format!(
        "{why}; log in with another account, or tell the operator of the server"
    ))
}

impl RequestAuthorizer for OAuthAuthorizer {
    fn credentials<'a>(
        &'a self,
        request: RequestToAuthorize<'a>,
    ) -> BoxFuture<'a, Result<RequestCredentials, AuthorizationFailed>> {
        Box::pin(async move { self.current(request).await.map_err(|it| self.shared.failed(it)) })
    }

    fn renew(&self, refusal: CredentialRefusal) -> BoxFuture<'_, Result<(), AuthorizationFailed>> {
        Box::pin(async move { self.after(refusal).await.map_err(|it| self.shared.failed(it)) })
    }

    fn patience(&self) -> Duration {
        let settings = &self.shared.settings;
        match (&settings.grant, &settings.prompt) {
            (GrantKind::AuthorizationCode, Some(_)) | (GrantKind::Device(_), _) => {
                Duration::from_secs(LOGIN_SECONDS)
            }
            _ => Duration::ZERO,
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("server", &self.key.server).finish_non_exhaustive()
    }
}

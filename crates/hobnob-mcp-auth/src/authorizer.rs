//! The authorizer of one server: adds a token to every request, and gets a new one after a refusal.
//!
//! A connection calls it through the `RequestAuthorizer` port of `hobnob-mcp-http`. What must stay
//! true: concurrent requests share one login or refresh, which completes even if the request that
//! began it is dropped; otherwise a refresh token could be spent and its successor lost.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_http::client::{
    AuthorizationFailed, CredentialRefusal, RequestAuthorizer, RequestCredentials,
    RequestToAuthorize,
};
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::authorization_request::LOGIN_SECONDS;
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::held_grant::{HeldGrant, Obtained};
use crate::login::{EarlierLogin, LoginContext};
use crate::login_state::{CurrentLogin, Flight, LoginState, Work};
use crate::possession::ProvedRequest;
use crate::revocation::{Revocation, revoke};
use crate::settings::GrantKind;

const DPOP_HEADER: HeaderName = HeaderName::from_static("dpop");

/// How long no refresh is tried after the authorization server failed, in seconds.
const REFRESH_PAUSE_SECONDS: u64 = 30;

/// Logs in to one server with OAuth and authorizes every request to it.
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

struct Shared {
    context: LoginContext,
    state: Mutex<LoginState>,
}

impl OAuthAuthorizer {
    pub(crate) fn new(context: LoginContext) -> Self {
        let shared = Arc::new(Shared { context, state: Mutex::default() });
        Self { shared, tasks: TaskTracker::new() }
    }

    /// The present state of the login.
    pub fn status(&self) -> LoginStatus {
        let Some(held) = self.shared.state.lock().held() else { return LoginStatus::NotLoggedIn };
        let stored = &held.grant.stored;
        let next = match &stored.refresh_token {
            Some(_) => NextToken::ByRefresh,
            None if self.shared.context.key.client.is_some() => NextToken::ByClient,
            None => NextToken::ByLogin,
        };
        LoginStatus::LoggedIn { expires_at: stored.expires_at, next }
    }

    /// The last failure, if nothing has succeeded since.
    pub fn last_error(&self) -> Option<AuthError> {
        self.shared.state.lock().last_error.clone()
    }

    /// Whether the store has another login than the one in use, made by another process.
    pub async fn has_other_login(&self) -> bool {
        let context = &self.shared.context;
        let Ok(Some(stored)) = context.store.load(&context.key).await else { return false };
        let held = self.shared.state.lock().held();
        held.is_none_or(|held| held.grant.stored.access_token != stored.access_token)
    }

    /// Ends the login: at the authorization server if it can, and here in any case.
    pub async fn log_out(&self) -> Result<LogoutOutcome, AuthError> {
        let context = &self.shared.context;
        let _lock = context.store.lock(&context.key).await?;
        let stored = match context.store.load(&context.key).await {
            Err(AuthError::Damaged(_)) => None,
            stored => stored?,
        };
        let outcome = match &stored {
            None => LogoutOutcome::NotLoggedIn,
            Some(grant) => {
                let rule = EndpointRule::for_server(&context.settings.server);
                let client = context.identity(grant);
                match revoke(&*context.fetch, rule, grant, &client, (context.now)()).await {
                    Ok(Revocation::Done) => LogoutOutcome::Revoked,
                    Ok(Revocation::NotOffered) => LogoutOutcome::Forgotten,
                    Err(error) => LogoutOutcome::NotRevoked(error),
                }
            }
        };
        context.store.delete(&context.key).await?;
        let mut state = self.shared.state.lock();
        state.login = CurrentLogin::Absent;
        state.version += 1;
        Ok(outcome)
    }

    /// Waits for running logins and refreshes, so that no token is obtained but not saved.
    pub async fn close(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    async fn current(
        &self,
        request: RequestToAuthorize<'_>,
    ) -> Result<RequestCredentials, AuthError> {
        let shared = &self.shared;
        // A token is only for the server that it was obtained for.
        if request.url.origin() != shared.context.settings.server.origin() {
            return Ok(RequestCredentials::default());
        }
        shared.load().await?;
        let now = (shared.context.now)();
        let (held, version, pause_until) = {
            let state = shared.state.lock();
            (state.held(), state.version, state.pause_until)
        };
        if let Some(held) = held.filter(|held| held.grant.is_due(now)) {
            let refreshed = if now < pause_until {
                Err(AuthError::Unavailable("the authorization server has trouble".into()))
            } else {
                self.fly(Work::Refresh, version).await
            };
            match refreshed {
                Err(error @ AuthError::Unavailable(_)) if held.grant.is_over(now) => {
                    return Err(error);
                }
                // The old token may still work; if not, the server says so and a login follows.
                Ok(()) | Err(_) => {}
            }
        }
        shared.headers(request)
    }

    /// Decides what the refusal calls for, and does it.
    async fn after(&self, refusal: CredentialRefusal) -> Result<(), AuthError> {
        if refusal.status == 401 && self.shared.adopt(refusal.version).await {
            return Ok(());
        }
        let work = self.shared.state.lock().remedy(&refusal, &self.shared.context.key)?;
        match work {
            Some(work) => self.fly(work, refusal.version).await,
            None => Ok(()),
        }
    }

    /// Joins the running flight, or begins one, unless the version `refused` was already replaced.
    async fn fly(&self, work: Work, refused: u64) -> Result<(), AuthError> {
        let mut flight = {
            let mut state = self.shared.state.lock();
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
    /// Does the work and applies its outcome, in one step with the end of the flight.
    async fn work(&self, work: Work) -> Result<(), AuthError> {
        let outcome = self.obtain(work).await;
        let mut state = self.state.lock();
        state.flight = None;
        match outcome {
            Ok(grant) => {
                state.hold(grant);
                state.pause_until = 0;
                Ok(())
            }
            Err(error) => {
                if matches!(error, AuthError::Unavailable(_)) {
                    state.pause_until = (self.context.now)() + REFRESH_PAUSE_SECONDS;
                }
                Err(error)
            }
        }
    }

    async fn obtain(&self, work: Work) -> Result<HeldGrant, AuthError> {
        let challenge = match work {
            Work::Refresh => return self.refresh().await,
            Work::RefreshOrLogin(challenge) => match self.refresh().await {
                Err(AuthError::LoginNeeded(_)) => challenge,
                outcome => return outcome,
            },
            Work::Login(challenge) => challenge,
        };
        let earlier = self.state.lock().held().map(|held| EarlierLogin {
            issuer: Some(held.grant.stored.issuer.clone()),
            scopes: held.grant.stored.scopes.clone(),
        });
        self.context.log_in(challenge.as_ref(), &earlier.unwrap_or_default()).await
    }

    /// Refreshes the grant, unless the authorization server has refused that before.
    async fn refresh(&self) -> Result<HeldGrant, AuthError> {
        let needed = |why: &str| AuthError::LoginNeeded(why.into());
        let (held, version) = {
            let state = self.state.lock();
            (state.held().ok_or_else(|| needed("nobody has logged in"))?, state.version)
        };
        if held.ended {
            return Err(needed("the login has ended"));
        }
        let refreshed = self.context.refresh(&held.grant).await;
        if matches!(refreshed, Err(AuthError::LoginNeeded(_))) {
            self.state.lock().end(version);
        }
        refreshed
    }

    /// Loads what an earlier process stored, once.
    async fn load(&self) -> Result<(), AuthError> {
        if !matches!(self.state.lock().login, CurrentLogin::Unread) {
            return Ok(());
        }
        let stored = self.context.store.load(&self.context.key).await;
        self.state.lock().apply_stored(stored)
    }

    /// Adopts what another process has stored since the grant with this version was refused;
    /// returns whether there was anything.
    async fn adopt(&self, refused: u64) -> bool {
        let held = self.state.lock().held();
        if held.as_ref().is_some_and(|held| held.grant.possession.is_some()) {
            return false;
        }
        let stored = self.context.store.load(&self.context.key).await;
        let Ok(Some(stored)) = stored else { return false };
        let newer = held.is_none_or(|held| {
            let ours = &held.grant.stored;
            stored.access_token != ours.access_token && ours.issued_at <= stored.issued_at
        });
        let mut state = self.state.lock();
        if !newer || state.version != refused {
            return false;
        }
        state.hold(HeldGrant::new(stored, Obtained::FromStore, None));
        true
    }

    /// The headers of one request, from the grant held now.
    fn headers(&self, request: RequestToAuthorize<'_>) -> Result<RequestCredentials, AuthError> {
        let (held, version, nonce) = {
            let state = self.state.lock();
            (state.held(), state.version, state.nonce.clone())
        };
        let mut credentials = RequestCredentials { version, ..RequestCredentials::default() };
        let Some(held) = held else { return Ok(credentials) };
        let bad = |_| AuthError::stop("the token has characters that no header takes");
        let token = &held.grant.stored.access_token;
        let scheme = if held.grant.possession.is_some() { "DPoP" } else { "Bearer" };
        let value = format!("{scheme} {}", token.expose());
        credentials.headers.insert(AUTHORIZATION, HeaderValue::try_from(value).map_err(bad)?);
        if let Some(key) = &held.grant.possession {
            let proof = key.prove(&ProvedRequest {
                method: request.method.as_str(),
                url: request.url,
                token: Some(token),
                nonce: nonce.as_deref(),
                now: (self.context.now)(),
            })?;
            let proof = HeaderValue::from_str(proof.expose()).map_err(bad)?;
            credentials.headers.insert(DPOP_HEADER, proof);
        }
        Ok(credentials)
    }

    fn failed(&self, error: AuthError) -> AuthorizationFailed {
        let server = self.context.settings.server.origin().ascii_serialization();
        let error = self.state.lock().fail(error);
        AuthorizationFailed(format!("cannot log in to {server}: {error}").into())
    }
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
        match &self.shared.context.settings.grant {
            Some(GrantKind::AuthorizationCode(_) | GrantKind::Device(_)) => {
                Duration::from_secs(LOGIN_SECONDS)
            }
            _ => Duration::ZERO,
        }
    }
}

impl std::fmt::Debug for OAuthAuthorizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let server = &self.shared.context.key.server;
        f.debug_struct("OAuthAuthorizer").field("server", server).finish_non_exhaustive()
    }
}

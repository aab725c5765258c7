//! The logins to one upstream: an authorizer for each principal that calls it.
//!
//! Connections get their authorizers here, and the status asks for a report. This file never
//! prompts for a login: an error names the command that logs in.

use crate::upstream::configured::{Configured, Unavailable};
use crate::upstream::oauth_settings::{grant_key, needs_person, oauth_builder};
use crate::upstream::page_login::PageLogins;
use crate::upstream::status::LoginReport;
use hobnob_config::{ServerName, ServerSpec};
use hobnob_mcp_auth::{AuthError, FileGrantStore, LoginStatus, NextToken, OAuthAuthorizer};
use hobnob_mcp_engine::Principal;
use hobnob_text::shell_word;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[cfg(test)]
mod tests;

/// The most authorizers kept; at the limit, all are dropped and made again when needed.
const MAX_AUTHORIZERS: usize = 256;

/// How often the store is checked for a new login.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// How often a server that needs a login is tried again without one.
const RETRY_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// The beginning of the reason why such a server cannot be started.
const NEEDS_LOGIN: &str = "it needs a login";

/// The authorizers of one upstream.
#[derive(Debug)]
pub(crate) struct Logins {
    server: ServerName,
    pub(super) store: Arc<FileGrantStore>,
    authorizers: Mutex<HashMap<Principal, Arc<OAuthAuthorizer>>>,
    /// The logins that callers are asked for in the middle of a call.
    pub(crate) pages: PageLogins,
}

impl Logins {
    pub(super) fn new(server: ServerName, store: Arc<FileGrantStore>) -> Self {
        Self { server, store, authorizers: Mutex::default(), pages: PageLogins::default() }
    }

    /// The authorizer of this principal; `None` for a server without a login.
    pub(crate) fn authorizer(
        &self,
        spec: &ServerSpec,
        principal: &Principal,
    ) -> Result<Option<Arc<OAuthAuthorizer>>, AuthError> {
        let mut authorizers = self.authorizers();
        if let Some(authorizer) = authorizers.get(principal) {
            return Ok(Some(Arc::clone(authorizer)));
        }
        let Some(builder) = oauth_builder(spec, principal, &self.store)? else { return Ok(None) };
        let authorizer = builder.build();
        if MAX_AUTHORIZERS <= authorizers.len() {
            // Connections that are up keep their authorizers.
            authorizers.clear();
        }
        authorizers.insert(principal.clone(), Arc::clone(&authorizer));
        Ok(Some(authorizer))
    }

    /// Whether a login of this principal is in use.
    fn in_use(&self, principal: &Principal) -> bool {
        let authorizer = self.authorizers().get(principal).cloned();
        authorizer.is_some_and(|it| it.status() != LoginStatus::NotLoggedIn)
    }

    /// Whether what this principal's connection shows is for that principal only. The gateway's own
    /// connection shows what is for all, unless it uses the login of the person who runs Hobnob.
    pub(crate) fn is_personal(&self, principal: &Principal) -> bool {
        *principal != Principal::anonymous() || self.in_use(principal)
    }

    /// Whether the server may be started and this principal has logged in to it, here or in another
    /// process. Reads a small file.
    pub(crate) fn is_usable(&self, configured: &Configured, principal: &Principal) -> bool {
        let Ok((spec, _)) = &configured.spec else { return false };
        if !configured.is_startable() {
            return false;
        }
        let Some(key) = grant_key(spec, principal, &self.store) else { return false };
        self.in_use(principal) || self.store.read_grant(&key).is_ok_and(|grant| grant.is_some())
    }

    /// Why this principal has to log in, if the last request failed for lack of a login.
    pub(crate) fn needed(&self, principal: &Principal) -> Option<String> {
        let authorizer = self.authorizers().get(principal).cloned()?;
        let logged_in = authorizer.status() != LoginStatus::NotLoggedIn;
        match authorizer.last_error()? {
            AuthError::LoginNeeded(why) | AuthError::LoginAbandoned(why) if logged_in => {
                Some(format!("{NEEDS_LOGIN}: {why}"))
            }
            AuthError::LoginNeeded(_) | AuthError::LoginAbandoned(_) => Some(NEEDS_LOGIN.into()),
            error @ AuthError::Damaged(_) => Some(format!("{NEEDS_LOGIN}: {error}")),
            AuthError::Unavailable(_)
            | AuthError::Refused { .. }
            | AuthError::Unsafe(_)
            | AuthError::Setting(_)
            | AuthError::Store(_) => None,
        }
    }

    /// The error for this principal, if the last request failed for lack of a login.
    pub(crate) fn error(&self, principal: &Principal) -> Option<Unavailable> {
        let (name, why) = (&self.server, self.needed(principal)?);
        let command = login_command(name.as_str(), principal);
        Some(Unavailable(format!(
            "server `{name}` cannot be used yet: {why}; log in with: {command}"
        )))
    }

    /// Waits until this principal may have logged in, or until it is time to try again.
    pub(crate) async fn wait(&self, principal: &Principal) {
        let authorizer = self.authorizers().get(principal).cloned();
        let Some(authorizer) = authorizer else { return };
        for _ in 0..RETRY_INTERVAL.as_secs() / CHECK_INTERVAL.as_secs() {
            tokio::time::sleep(CHECK_INTERVAL).await;
            if authorizer.has_other_login().await {
                return;
            }
        }
    }

    /// Drops all authorizers, after a login or logout elsewhere.
    pub(crate) fn forget(&self) {
        self.authorizers().clear();
    }

    /// Waits until no token request is under way whose outcome would be lost.
    pub(crate) async fn close(&self) {
        let authorizers: Vec<_> = self.authorizers().values().cloned().collect();
        for authorizer in authorizers {
            authorizer.close().await;
        }
    }

    /// This principal's login: in use, or as stored.
    pub(crate) fn report(&self, spec: &ServerSpec, principal: &Principal) -> Option<LoginReport> {
        let authorizer = self.authorizers().get(principal).cloned();
        let last_error = authorizer.as_ref().and_then(|it| it.last_error());
        let last_error = last_error.map(|error| error.to_string());
        let status = authorizer.map_or(LoginStatus::NotLoggedIn, |it| it.status());
        let (expires_at, renews) = match status {
            LoginStatus::LoggedIn { expires_at, next } => (expires_at, next != NextToken::ByLogin),
            LoginStatus::NotLoggedIn => {
                let key = grant_key(spec, principal, &self.store)?;
                let stored = self.store.read_grant(&key).ok().flatten();
                let Some(stored) = stored else {
                    return last_error.map(|it| LoginReport {
                        logged_in: false,
                        expires_in_seconds: None,
                        renews: false,
                        last_error: Some(it),
                    });
                };
                (stored.expires_at, stored.refresh_token.is_some() || !needs_person(spec))
            }
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Some(LoginReport {
            logged_in: true,
            expires_in_seconds: expires_at.map(|at| at.saturating_sub(now)),
            renews,
            last_error,
        })
    }

    fn authorizers(&self) -> MutexGuard<'_, HashMap<Principal, Arc<OAuthAuthorizer>>> {
        self.authorizers.lock()
    }
}

/// Whether this reason says that the server needs a login.
pub(crate) fn is_login_needed(why: &str) -> bool {
    why.starts_with(NEEDS_LOGIN)
}

/// The command that logs this principal in.
pub(crate) fn login_command(server: &str, principal: &Principal) -> String {
    let server = shell_word(server);
    match principal.as_str() {
        "" => format!("hobnob login {server}"),
        name => format!("hobnob login {server} --as {}", shell_word(name)),
    }
}

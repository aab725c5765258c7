//! What the authorizer knows of the login to one server, and what each refusal calls for.
//!
//! The authorizer keeps it behind one lock; nothing here waits, and nothing here does I/O. What must
//! stay true: what is known of a grant ends with that grant.

use std::sync::Arc;

use hobnob_mcp_http::client::{CredentialRefusal, Initiative};
use tokio::sync::watch;

use crate::challenge::AuthChallenge;
use crate::error::AuthError;
use crate::grant_store::{GrantKey, StoredGrant};
use crate::held_grant::{HeldGrant, Obtained};

/// The login to one server, and the work on it.
#[derive(Default)]
pub(crate) struct LoginState {
    pub(crate) login: CurrentLogin,
    /// Counts the changes of the login, so that a refusal of an earlier one is recognised.
    pub(crate) version: u64,
    pub(crate) flight: Option<Flight>,
    /// Until when no refresh is tried.
    pub(crate) pause_until: u64,
    /// The DPoP nonce that the server's proofs must repeat.
    pub(crate) nonce: Option<Box<str>>,
    /// The last failure, until something succeeds.
    pub(crate) last_error: Option<AuthError>,
}

/// The login as this process knows it.
#[derive(Default)]
pub(crate) enum CurrentLogin {
    /// The store has not been read.
    #[default]
    Unread,
    Absent,
    /// The stored login cannot be read, for this reason. It counts as none: if the server wants a
    /// login, the new one replaces it.
    Damaged(Box<str>),
    Held(HeldLogin),
}

/// The grant in use, and what is known of its future.
#[derive(Clone)]
pub(crate) struct HeldLogin {
    pub(crate) grant: Arc<HeldGrant>,
    /// The authorization server has refused to refresh it.
    pub(crate) ended: bool,
    /// The server has refused it while it was new, so another login would not help.
    hopeless: bool,
}

/// One running login or refresh; all requests that need it wait for the same one.
pub(crate) type Flight = watch::Receiver<Option<Result<(), AuthError>>>;

/// What a flight does.
#[derive(Debug, Clone)]
pub(crate) enum Work {
    Refresh,
    /// A refresh, and a login if the refresh is refused.
    RefreshOrLogin(Option<AuthChallenge>),
    Login(Option<AuthChallenge>),
}

impl LoginState {
    pub(crate) fn held(&self) -> Option<HeldLogin> {
        match &self.login {
            CurrentLogin::Held(held) => Some(held.clone()),
            CurrentLogin::Unread | CurrentLogin::Absent | CurrentLogin::Damaged(_) => None,
        }
    }

    pub(crate) fn hold(&mut self, grant: HeldGrant) {
        let grant = Arc::new(grant);
        self.login = CurrentLogin::Held(HeldLogin { grant, ended: false, hopeless: false });
        self.version += 1;
        self.last_error = None;
    }

    /// Applies what the store has, unless there is a login by now.
    pub(crate) fn apply_stored(
        &mut self,
        stored: Result<Option<StoredGrant>, AuthError>,
    ) -> Result<(), AuthError> {
        match (&self.login, stored) {
            (CurrentLogin::Unread, Ok(Some(stored))) => {
                self.hold(HeldGrant::new(stored, Obtained::FromStore, None));
            }
            (CurrentLogin::Unread, Ok(None)) => self.login = CurrentLogin::Absent,
            (CurrentLogin::Unread, Err(AuthError::Damaged(why))) => {
                self.login = CurrentLogin::Damaged(why);
            }
            (_, Ok(_) | Err(AuthError::Damaged(_))) => {}
            (_, Err(error)) => return Err(error),
        }
        Ok(())
    }

    /// Notes that the authorization server has refused to refresh the grant with this version.
    pub(crate) fn end(&mut self, version: u64) {
        if let CurrentLogin::Held(held) = &mut self.login {
            held.ended |= self.version == version;
        }
    }

    /// Notes a failure; returns what to tell the user.
    pub(crate) fn fail(&mut self, error: AuthError) -> AuthError {
        let error = match (error, &self.login) {
            (AuthError::LoginNeeded(_), CurrentLogin::Damaged(why)) => {
                AuthError::Damaged(why.clone())
            }
            (error, _) => error,
        };
        self.last_error = Some(error.clone());
        error
    }

    /// The work that a refusal calls for; none if the request is worth sending again at once.
    pub(crate) fn remedy(
        &mut self,
        refusal: &CredentialRefusal,
        key: &GrantKey,
    ) -> Result<Option<Work>, AuthError> {
        let challenge = AuthChallenge::for_oauth(&refusal.challenges);
        let error = challenge.as_ref().and_then(|challenge| challenge.parameter("error"));
        let nonce = refusal.nonce.as_ref().and_then(|nonce| nonce.to_str().ok());
        if let (Some("use_dpop_nonce"), Some(nonce)) = (error, nonce) {
            self.nonce = Some(nonce.into());
            return Ok(None);
        }
        if self.version != refusal.version {
            // The grant was replaced since this request was sent.
            return Ok(None);
        }
        let mut refreshable = false;
        if let CurrentLogin::Held(held) = &mut self.login {
            held.hopeless |= is_hopeless(&held.grant, refusal, challenge.as_ref());
            if held.hopeless {
                return Err(hopeless_error(refusal.status));
            }
            let fresh = held.grant.obtained == Obtained::ByRefresh && 0 < refusal.attempt;
            let has_token = held.grant.stored.refresh_token.is_some();
            refreshable = refusal.status == 401 && has_token && !fresh;
        }
        Ok(Some(match (refusal.initiative, refreshable) {
            (Initiative::Background, true) => Work::Refresh,
            (Initiative::Background, false) if key.client.is_none() => {
                let why = "a background request does not start a login";
                return Err(AuthError::LoginNeeded(why.into()));
            }
            (Initiative::Call, true) => Work::RefreshOrLogin(challenge),
            // This grant needs no person, so a background request may log in too.
            (Initiative::Background | Initiative::Call, false) => Work::Login(challenge),
        }))
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

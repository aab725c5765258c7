//! Logins to servers for people at another machine: their pages and callbacks are below the public
//! address of a listener.
//!
//! A hub shows such a page to a caller of its own. What must stay true: the visitor proves that
//! they are the principal who gets the login, and the callback counts only from the browser that
//! proved it. Otherwise an attacker could have another person log in for them.

mod pages;

use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use hobnob_mcp_engine::{BoxFuture, ClientId, Principal};
use reqwest::Url;
use tokio::sync::oneshot;

use crate::encoding::random_text;
use crate::error::AuthError;
use crate::login_prompt::{LoginPrompt, PendingLogin};
use crate::resource_server::PublicUrl;
use crate::secret::SecretText;

/// The path of the pages below the public address.
const LOGIN_PATH: &str = "/upstream-login/";
/// The last segment of the callback's path, below [`LOGIN_PATH`].
const CALLBACK: &str = "callback";
/// How many logins may be open at once.
const MAX_OPEN: usize = 1024;
/// How many proofs of identity a visitor may try for each login.
const MAX_ATTEMPTS: u8 = 5;

/// Checks whether the visitor of a login page is a given principal.
pub trait PrincipalProof: fmt::Debug + Send + Sync + 'static {
    /// Whether `text` is this principal's secret: a token of theirs, or their password.
    fn proves<'a>(
        &'a self,
        principal: &'a Principal,
        text: SecretText,
        from: ClientId,
    ) -> BoxFuture<'a, bool>;
}

/// The open logins of principals, below one public address.
#[derive(Debug)]
pub struct PublicLogins {
    origin: PublicUrl,
    proof: Arc<dyn PrincipalProof>,
    open: Mutex<HashMap<Box<str>, OpenLogin>>,
}

/// One login that waits for its callback.
#[derive(Debug)]
struct OpenLogin {
    principal: Principal,
    server: Box<str>,
    /// The login page of the authorization server.
    page: Url,
    /// The `state` that the callback must carry.
    state: Box<str>,
    /// The digest of the cookie in the browser that proved to be the principal's.
    browser: Option<Box<str>>,
    attempts: u8,
    answer: oneshot::Sender<String>,
}

impl PublicLogins {
    /// Logins below this address. `proof` checks who visits their pages.
    pub fn new(origin: PublicUrl, proof: Arc<dyn PrincipalProof>) -> Arc<Self> {
        Arc::new(Self { origin, proof, open: Mutex::default() })
    }

    /// A prompt that has this principal log in to the server with this name. `show` gets the URL of
    /// the page to visit, which is below the public address.
    pub fn prompt(
        self: &Arc<Self>,
        principal: Principal,
        server: &str,
        show: impl Fn(&str) + Send + Sync + 'static,
    ) -> Arc<dyn LoginPrompt> {
        let logins = Arc::clone(self);
        Arc::new(PublicPrompt { logins, principal, server: server.into(), show: Arc::new(show) })
    }

    fn redirect(&self) -> String {
        format!("{}{LOGIN_PATH}{CALLBACK}", self.origin.as_str())
    }
}

/// The prompt for one principal and one server.
#[derive(Clone)]
struct PublicPrompt {
    logins: Arc<PublicLogins>,
    principal: Principal,
    server: Box<str>,
    show: Arc<dyn Fn(&str) + Send + Sync>,
}

impl LoginPrompt for PublicPrompt {
    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn PendingLogin>, AuthError>> {
        let pending = PendingPublicLogin { redirect: self.logins.redirect(), prompt: self.clone() };
        Box::pin(async move { Ok(Box::new(pending) as Box<dyn PendingLogin>) })
    }
}

/// A login that is ready to receive its callback.
struct PendingPublicLogin {
    redirect: String,
    prompt: PublicPrompt,
}

impl PendingLogin for PendingPublicLogin {
    fn redirect(&self) -> &str {
        &self.redirect
    }

    fn answer(self: Box<Self>, page: Url) -> BoxFuture<'static, Result<String, AuthError>> {
        Box::pin(async move {
            let state = page.query_pairs().find(|(name, _)| name == "state");
            let Some((_, state)) = state else {
                return Err(AuthError::stop("the page of the login has no state"));
            };
            let (id, state): (Box<str>, Box<str>) = (random_text()?.into(), (*state).into());
            let (answer, answered) = oneshot::channel();
            let PublicPrompt { logins, principal, server, show } = self.prompt;
            {
                let mut open = logins.open.lock();
                if MAX_OPEN <= open.len() {
                    let why = "too many people are logging in at once";
                    return Err(AuthError::Unavailable(why.into()));
                }
                let login = OpenLogin {
                    principal,
                    server,
                    page,
                    state,
                    browser: None,
                    attempts: 0,
                    answer,
                };
                open.insert(id.clone(), login);
            }
            // When the wait ends for any reason, dropping this removes the open login.
            let shown = format!("{}{LOGIN_PATH}{id}", logins.origin.as_str());
            let _ended = EndOfLogin { logins, id };
            show(&shown);
            let broken = || AuthError::LoginAbandoned("the page was left; try again".into());
            answered.await.map_err(|_| broken())
        })
    }
}

/// Removes an open login when its caller stops waiting.
struct EndOfLogin {
    logins: Arc<PublicLogins>,
    id: Box<str>,
}

impl Drop for EndOfLogin {
    fn drop(&mut self) {
        self.logins.open.lock().remove(&self.id);
    }
}

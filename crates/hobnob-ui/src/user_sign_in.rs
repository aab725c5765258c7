//! The port through which users of a hub sign in with their names and passwords: the listener's
//! logins check the password and issue a token, which then counts like every other token.
//!
//! `page_routes` signs in, `api/session` signs out. What must stay true: the page keeps no password,
//! and the browser never gets the token.

use hobnob_mcp_engine::{BoxFuture, ClientId};
use std::fmt;
use std::sync::Arc;

/// The users of a listener.
pub trait UserSignIn: fmt::Debug + Send + Sync + 'static {
    /// Checks a password, and returns a token of its user.
    fn sign_in<'a>(
        &'a self,
        user: &'a str,
        password: Box<str>,
        from: ClientId,
    ) -> BoxFuture<'a, Result<Box<str>, UserRefusal>>;

    /// Ends the login of such a token.
    fn sign_out<'a>(&'a self, token: &'a str) -> BoxFuture<'a, ()>;
}

/// Why a user was not signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserRefusal {
    /// There is no such user, or the password is wrong.
    Wrong,
    /// The password was not checked; the next attempt counts after this many seconds.
    TooOften(u64),
    /// The user may use nothing that this listener serves.
    NothingToUse,
    /// Logins cannot be read or written at the moment.
    Unavailable,
}

/// A login that began on the page and ends with it.
pub(crate) struct UserLogin {
    pub(crate) users: Arc<dyn UserSignIn>,
    pub(crate) token: Box<str>,
}

impl UserLogin {
    pub(crate) async fn end(&self) {
        self.users.sign_out(&self.token).await;
    }
}

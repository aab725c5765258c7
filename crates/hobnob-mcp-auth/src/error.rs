//! The errors of a login, sorted by what can be done about them.
//!
//! Every step of a login fails with [`AuthError`]. What must stay true: no variant holds a token, a
//! code or a text of a server whose identity was not checked.

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// A person has to log in, and this program cannot ask one; the text says what to do.
    #[error("{0}")]
    LoginNeeded(Box<str>),
    /// The person refused the login, went away, or took too long.
    #[error("the login was not finished: {0}")]
    LoginAbandoned(Box<str>),
    /// A server cannot be reached or fails; it may work later.
    #[error("{0}; try again later")]
    Unavailable(Box<str>),
    /// The authorization server refused, with an OAuth error code.
    #[error("the authorization server refused ({code}){description}")]
    Refused {
        /// The error code, such as `invalid_grant`.
        code: Box<str>,
        /// The server's description with a colon before it, or nothing.
        description: Box<str>,
    },
    /// A server broke a rule that protects the login, so the login was stopped.
    #[error("the login was stopped: {0}")]
    Unsafe(Box<str>),
    /// A setting is missing or wrong; the text says which.
    #[error("{0}")]
    Setting(Box<str>),
    /// The stored login cannot be read any more; a new login replaces it.
    #[error("the stored login cannot be used: {0}; log in again")]
    Damaged(Box<str>),
    /// The login cannot be stored or read.
    #[error("the login cannot be stored: {0}")]
    Store(Box<str>),
}

impl AuthError {
    /// Whether the authorization server refused with this code.
    pub fn is_code(&self, wanted: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if &**code == wanted)
    }

    pub(crate) fn stop(why: impl Into<Box<str>>) -> Self {
        Self::Unsafe(why.into())
    }
}

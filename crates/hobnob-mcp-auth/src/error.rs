//! Why there is no token, as far as somebody can do something about it.
//!
//! Every step of a login fails with [`AuthError`]. What must stay true: no variant holds a token, a
//! code or a text of a server whose identity was not checked.

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// A person has to log in, and nobody can be asked from here; says what to do.
    #[error("{0}")]
    LoginNeeded(Box<str>),
    /// The person did not log in: refused, went away, or took too long.
    #[error("the login was not finished: {0}")]
    LoginAbandoned(Box<str>),
    /// Somebody cannot be reached, or has trouble of their own; it may work later.
    #[error("{0}; try again later")]
    Unavailable(Box<str>),
    /// The authorization server refused, with a code of OAuth.
    #[error("the authorization server refused ({code}){description}")]
    Refused {
        /// The code, such as `invalid_grant`.
        code: Box<str>,
        /// What it says about it, with a colon before it, or nothing.
        description: Box<str>,
    },
    /// A server broke a rule that protects the login, so it was not gone on with.
    #[error("the login was stopped: {0}")]
    Unsafe(Box<str>),
    /// A setting is missing or wrong; says which.
    #[error("{0}")]
    Setting(Box<str>),
    /// What was stored cannot be read any more, and a login takes its place.
    #[error("the stored login cannot be used: {0}; log in again")]
    Damaged(Box<str>),
    /// What was got cannot be stored or read again.
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

//! What happens at an authorization server, for whoever keeps an audit log.
//!
//! The handlers report, the program that embeds the server writes it down. What must stay true: no
//! event has a secret in it, or a text that a client made up without a bound.

use hobnob_mcp_engine::BoxFuture;
use std::net::IpAddr;

/// Something that happened at the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthorizationEvent {
    /// A client registered itself.
    Registered {
        /// The id that it got.
        client: Box<str>,
    },
    /// A person agreed to a client's request.
    Approved {
        /// The user who agreed.
        user: Box<str>,
        /// The client it was for.
        client: Box<str>,
    },
    /// A person refused a client's request.
    Denied {
        /// The client it was for.
        client: Box<str>,
    },
    /// A password was wrong, or there is nobody of that name; the name is not written down, since
    /// people type passwords in its place.
    LoginFailed {
        /// The client it was for.
        client: Box<str>,
    },
    /// Passwords were tried too often.
    LoginThrottled {
        /// The client it was for.
        client: Box<str>,
    },
    /// A code was redeemed for tokens.
    Issued {
        /// Whose tokens they are.
        user: Box<str>,
        /// The client that got them.
        client: Box<str>,
    },
    /// Tokens were replaced by newer ones.
    Refreshed {
        /// Whose tokens they are.
        user: Box<str>,
        /// The client that got them.
        client: Box<str>,
    },
    /// A code or an old refresh token was used again, so the grant is gone.
    Replayed {
        /// Whose grant it was.
        user: Box<str>,
        /// The client that it was given to.
        client: Box<str>,
    },
    /// A client gave its tokens back.
    Revoked {
        /// The client that did.
        client: Box<str>,
    },
}

impl AuthorizationEvent {
    /// Its name in a log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Registered { .. } => "client_registered",
            Self::Approved { .. } => "login_approved",
            Self::Denied { .. } => "login_denied",
            Self::LoginFailed { .. } => "login_failed",
            Self::LoginThrottled { .. } => "login_throttled",
            Self::Issued { .. } => "tokens_issued",
            Self::Refreshed { .. } => "tokens_refreshed",
            Self::Replayed { .. } => "grant_revoked_after_replay",
            Self::Revoked { .. } => "tokens_revoked",
        }
    }

    /// The client it is about.
    pub fn client(&self) -> &str {
        match self {
            Self::Registered { client }
            | Self::Approved { client, .. }
            | Self::Denied { client }
            | Self::LoginFailed { client }
            | Self::LoginThrottled { client }
            | Self::Issued { client, .. }
            | Self::Refreshed { client, .. }
            | Self::Replayed { client, .. }
            | Self::Revoked { client } => client,
        }
    }

    /// The user it is about, if it is known.
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::Approved { user, .. }
            | Self::Issued { user, .. }
            | Self::Refreshed { user, .. }
            | Self::Replayed { user, .. } => Some(user),
            Self::Registered { .. }
            | Self::Denied { .. }
            | Self::LoginFailed { .. }
            | Self::LoginThrottled { .. }
            | Self::Revoked { .. } => None,
        }
    }
}

/// Keeps what happened for whoever asks later.
pub trait AuthorizationEvents: std::fmt::Debug + Send + Sync + 'static {
    /// Something happened because of a request from this address.
    ///
    /// The answer to the request leaves when this is done, so that what has to be on a disk is there
    /// before a client has its tokens. Must not block, and must end by itself.
    fn record<'a>(
        &'a self,
        event: &'a AuthorizationEvent,
        from: Option<IpAddr>,
    ) -> BoxFuture<'a, ()>;
}

/// Keeps nothing but a line in the log of the program.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoggedEvents;

impl AuthorizationEvents for LoggedEvents {
    fn record<'a>(
        &'a self,
        event: &'a AuthorizationEvent,
        _from: Option<IpAddr>,
    ) -> BoxFuture<'a, ()> {
        tracing::info!(
            event = event.name(),
            client = event.client(),
            user = event.user().unwrap_or_default(),
            "login"
        );
        Box::pin(std::future::ready(()))
    }
}

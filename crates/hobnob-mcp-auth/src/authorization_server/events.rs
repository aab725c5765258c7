//! What happens at an authorization server, for an audit log.
//!
//! The handlers report events; the program that embeds the server records them. What must stay
//! true: an event contains no secret, and no text of unbounded length that a client made up.

use hobnob_mcp_engine::BoxFuture;
use std::net::IpAddr;

/// Something that happened at the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthorizationEvent {
    /// A client registered itself.
    Registered {
        /// The client id that the server issued.
        client: Box<str>,
    },
    /// A person agreed to a client's request.
    Approved {
        /// The user who agreed.
        user: Box<str>,
        /// The client the user approved.
        client: Box<str>,
    },
    /// A person refused a client's request.
    Denied {
        /// The client the user refused.
        client: Box<str>,
    },
    /// The password was wrong, or no user has that name. The name is not recorded, because people
    /// sometimes type their password in its place.
    LoginFailed {
        /// The client that the login was for.
        client: Box<str>,
    },
    /// Too many passwords were tried, so this one was not checked.
    LoginThrottled {
        /// The client that the login was for.
        client: Box<str>,
    },
    /// A client redeemed a code for tokens.
    Issued {
        /// The user the tokens act for.
        user: Box<str>,
        /// The client that got the tokens.
        client: Box<str>,
    },
    /// A client used a refresh token, and got new tokens.
    Refreshed {
        /// The user the tokens act for.
        user: Box<str>,
        /// The client that got the tokens.
        client: Box<str>,
    },
    /// A code or an old refresh token was used again, so the server ended the grant.
    Replayed {
        /// The user who had agreed to the grant.
        user: Box<str>,
        /// The client that had the grant.
        client: Box<str>,
    },
    /// A client revoked its tokens.
    Revoked {
        /// The client whose tokens were revoked.
        client: Box<str>,
    },
}

impl AuthorizationEvent {
    /// The event's name in a log.
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

    /// The client that the event concerns.
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

    /// The user that the event concerns, if known.
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

/// Records events, for example in an audit log.
pub trait AuthorizationEvents: std::fmt::Debug + Send + Sync + 'static {
    /// Records an event, caused by a request from this address.
    ///
    /// The answer to the request is sent only after this future completes, so an event that must be
    /// on disk is there before a client has its tokens. It must not block, and must end by itself.
    fn record<'a>(
        &'a self,
        event: &'a AuthorizationEvent,
        from: Option<IpAddr>,
    ) -> BoxFuture<'a, ()>;
}

/// Writes each event to the program's log, and keeps nothing else.
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

//! The way to a server as a client sees it: a [`Carrier`] sends, a [`Receiver`] takes what comes.
//!
//! A pipe carries everything on one stream; HTTP gives each request an exchange of its own. The
//! client crate knows only these two traits. Neither side of them may block or wait.

use hobnob_mcp_types::{Incoming, Method, RequestId, Revision, Undecodable};
use std::fmt;
use std::time::Duration;

/// One message on its way to a server.
#[derive(Debug)]
pub struct Outgoing {
    /// The message, without framing.
    pub text: String,
    /// What it is to the transport.
    pub kind: OutgoingKind,
}

/// What a message is to the transport.
#[derive(Debug)]
pub enum OutgoingKind {
    /// A request: the server owes an answer under its id.
    Request(RequestHead),
    /// Wants none: a notification, or an answer to the server's own request.
    OneWay {
        /// The revision agreed on, once there is one.
        revision: Option<Revision>,
    },
}

/// What HTTP repeats of a request outside its body.
#[derive(Debug)]
pub struct RequestHead {
    /// The id the answer will carry; exchanges are named by it.
    pub id: RequestId,
    /// The method, which modern HTTP repeats as `Mcp-Method`.
    pub method: Method,
    /// The revision it is written in; `None` before one is agreed on (`initialize`).
    pub revision: Option<Revision>,
    /// `Mcp-Name`, where the method has one (modern only).
    pub name: Option<Box<str>>,
    /// `Mcp-Param-*`: the part of the header's name after the prefix, and the value (modern only).
    pub mirrored: Vec<(Box<str>, String)>,
}

/// Carries messages to one server.
pub trait Carrier: Send + Sync + 'static {
    /// Puts a message on its way. Never waits; a later failure is reported to the receiver.
    fn send(&self, message: Outgoing) -> Result<(), SendError>;

    /// Nobody waits for this request any more. HTTP lets its exchange go, which a modern server
    /// must take as a cancellation; on a pipe there is nothing to do.
    fn abandon(&self, id: &RequestId);

    /// The handshake is done: a transport with a stream for what belongs to no request opens it.
    fn greeted(&self, revision: Revision);

    /// Ends the connection; the receiver is not called any more.
    fn close(&self);
}

/// Why a message cannot be sent at all. Nothing of it has reached the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The connection has ended.
    #[error("the connection has ended")]
    Ended,
    /// The server does not read what it was sent before.
    #[error("the server does not take messages any more")]
    Full,
}

/// Takes what a server sends. Called from the transport's own task; must not wait.
pub trait Receiver: Send + Sync + 'static {
    /// A message came in. `exchange` is the request on whose own stream it came, where there is
    /// such a thing.
    fn received(&self, message: Result<Incoming, Undecodable>, exchange: Option<&RequestId>);

    /// A request was not answered and will not be.
    fn lost(&self, id: &RequestId, why: Loss);

    /// The connection is over; this is the last call.
    fn ended(&self, why: &str);
}

/// What became of a request instead of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// It never reached the server: trying again cannot run anything twice.
    Unsent(Box<str>),
    /// The server refused it with an HTTP status and no JSON-RPC answer.
    Status {
        /// The HTTP status code, such as 503.
        status: u16,
        /// The beginning of the body, for people.
        body: Box<str>,
        /// When to come back, if the server says so.
        retry_after: Option<Duration>,
    },
    /// The server does not know our session any more (HTTP 404): greet it again.
    SessionGone,
    /// The server wants credentials (HTTP 401 or 403).
    Unauthorized {
        /// `WWW-Authenticate`, if it was there.
        challenge: Option<Box<str>>,
    },
    /// There are no credentials that the server takes; says why and what to do.
    AuthorizationFailed(Box<str>),
    /// The connection broke after the request was sent: it may have run.
    Broken(Box<str>),
}

impl Loss {
    /// Whether the server cannot have run the request.
    pub fn cannot_have_run(&self) -> bool {
        match self {
            Self::Unsent(_)
            | Self::SessionGone
            | Self::Unauthorized { .. }
            | Self::AuthorizationFailed(_) => true,
            Self::Status { .. } | Self::Broken(_) => false,
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsent(why) => write!(f, "not sent: {why}"),
            Self::Status { status, body, .. } if body.is_empty() => write!(f, "HTTP {status}"),
            Self::Status { status, body, .. } => write!(f, "HTTP {status}: {body}"),
            Self::SessionGone => f.write_str("the server has forgotten the session"),
            Self::Unauthorized { .. } => f.write_str("the server wants credentials"),
            Self::AuthorizationFailed(why) => f.write_str(why),
            Self::Broken(why) => write!(f, "the connection broke: {why}"),
        }
    }
}

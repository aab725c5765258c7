//! The boundary between a client and its transport: the transport implements [`Carrier`], through
//! which the client sends; the client implements [`Receiver`], to which the transport delivers.
//!
//! A pipe carries everything on one stream; HTTP gives each request an exchange of its own. The
//! client crate knows only these two traits. Their methods must neither block nor wait.

use hobnob_mcp_types::{Incoming, Method, RequestId, Revision, Undecodable};
use std::fmt;
use std::time::Duration;

/// One message on its way to a server.
#[derive(Debug)]
pub struct Outgoing {
    /// The message, without framing.
    pub text: String,
    /// How the transport must treat it.
    pub kind: OutgoingKind,
}

/// How the transport must treat a message.
#[derive(Debug)]
pub enum OutgoingKind {
    /// A request: the server owes an answer under its id.
    Request(RequestHead),
    /// A message without an answer: a notification, or our answer to a request of the server.
    OneWay {
        /// The revision agreed on, once there is one.
        revision: Option<Revision>,
    },
}

/// The parts of a request that the transport needs apart from its text, mostly for HTTP headers.
#[derive(Debug)]
pub struct RequestHead {
    /// The id the answer will carry; it also names the request's exchange.
    pub id: RequestId,
    /// The method, which modern HTTP repeats as `Mcp-Method`.
    pub method: Method,
    /// The revision the request is written in; `None` before one is agreed on (`initialize`).
    pub revision: Option<Revision>,
    /// `Mcp-Name`, where the method has one (modern only).
    pub name: Option<Box<str>>,
    /// `Mcp-Param-*`: the part of the header's name after the prefix, and the value (modern only).
    pub mirrored: Vec<(Box<str>, String)>,
}

/// Carries messages to one server.
pub trait Carrier: Send + Sync + 'static {
    /// Sends a message. Never waits; a later failure is reported to the receiver.
    fn send(&self, message: Outgoing) -> Result<(), SendError>;

    /// The client no longer waits for this request. HTTP closes the request's exchange, which a
    /// modern server must take as a cancellation; on a pipe there is nothing to do.
    fn abandon(&self, id: &RequestId);

    /// The handshake is done: a transport with a stream for messages outside requests opens it.
    fn greeted(&self, revision: Revision);

    /// Ends the connection; afterwards the receiver is not called any more.
    fn close(&self);
}

/// Why a message cannot be sent at all. No byte of it has reached the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The connection has ended.
    #[error("the connection has ended")]
    Ended,
    /// The server has stopped reading, and the limit of waiting bytes is reached.
    #[error("the server does not take messages any more")]
    Full,
}

/// Takes what a server sends. Called from the transport's own task; must not wait.
pub trait Receiver: Send + Sync + 'static {
    /// A message arrived. `exchange` is the request on whose own stream it came, if the transport
    /// has such streams.
    fn received(&self, message: Result<Incoming, Undecodable>, exchange: Option<&RequestId>);

    /// A request was not answered and will not be.
    fn lost(&self, id: &RequestId, why: Loss);

    /// The connection has ended; this is the last call.
    fn ended(&self, why: &str);
}

/// Why a request got no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// It never reached the server, so trying again cannot run anything twice.
    Unsent(Box<str>),
    /// The server refused it with an HTTP status and no JSON-RPC answer.
    Status {
        /// The HTTP status code, such as 503.
        status: u16,
        /// The beginning of the body, for people.
        body: Box<str>,
        /// How long to wait before the next try, if the server says so.
        retry_after: Option<Duration>,
    },
    /// The server does not know our session any more (HTTP 404): initialize again.
    SessionGone,
    /// The server requires credentials (HTTP 401 or 403).
    Unauthorized {
        /// The `WWW-Authenticate` header, if there was one.
        challenge: Option<Box<str>>,
    },
    /// No available credentials satisfy the server; the text says why and what to do.
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

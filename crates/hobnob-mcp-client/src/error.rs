//! Why a request has no result, and what its caller may do about it.
//!
//! Everything in this crate that waits for an answer fails with [`RequestError`]. Whether the server
//! may have run the request must be told apart exactly: only what cannot have run is made again.

use hobnob_mcp_engine::CallError;
use hobnob_mcp_transport::Loss;
use hobnob_mcp_types::{ErrorCode, RpcError};
use std::time::Duration;

/// Why a request has no result.
#[derive(Debug, Clone)]
pub enum RequestError {
    /// The server answered with an error.
    Rpc(RpcError),
    /// The server answered, but not as the protocol says; holds what is wrong with the answer.
    Unreadable(RpcError),
    /// It never left, because the connection is over: the server cannot have run it.
    Unsent(Box<str>),
    /// It never left, because too much is under way already; the connection is as good as before.
    Busy(Box<str>),
    /// The transport lost it.
    Lost(Loss),
    /// The connection ended while it ran: it may have run.
    Ended(Box<str>),
    /// No answer came within this time, and the request was cancelled.
    Late(Duration),
}

impl RequestError {
    /// Whether the server cannot have run the request, so that asking again is safe.
    pub fn cannot_have_run(&self) -> bool {
        match self {
            Self::Unsent(_) | Self::Busy(_) => true,
            Self::Lost(loss) => loss.cannot_have_run(),
            Self::Rpc(_) | Self::Unreadable(_) | Self::Ended(_) | Self::Late(_) => false,
        }
    }

    /// Whether the connection is of no more use, so that another one has to be made.
    pub fn ends_connection(&self) -> bool {
        matches!(self, Self::Ended(_) | Self::Unsent(_) | Self::Lost(Loss::SessionGone))
    }

    /// An answer that breaks the protocol in this way.
    pub(crate) fn unreadable(why: impl Into<String>) -> Self {
        Self::Unreadable(RpcError::new(ErrorCode::INTERNAL, why.into()))
    }
}

impl std::fmt::Display for RequestError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rpc(error) => error.fmt(f),
            Self::Unreadable(error) => write!(f, "the answer cannot be read: {}", error.message),
            Self::Unsent(why) => write!(f, "not sent: {why}"),
            Self::Busy(why) => write!(f, "not sent: {why}; try again later"),
            Self::Lost(loss) => loss.fmt(f),
            Self::Ended(why) => write!(f, "the connection ended: {why}"),
            Self::Late(limit) => write!(f, "no answer within {limit:?}"),
        }
    }
}

impl std::error::Error for RequestError {}

impl From<RequestError> for CallError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Rpc(error) => Self::Other(error),
            RequestError::Late(_) => Self::Late(error.to_string().into()),
            RequestError::Busy(_) => Self::Other(RpcError::new(ErrorCode::BUSY, error.to_string())),
            other => Self::Other(RpcError::new(ErrorCode::INTERNAL, other.to_string())),
        }
    }
}

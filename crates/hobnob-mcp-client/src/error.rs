//! Why a request has no result, and what its caller can do about it.
//!
//! Every request in this crate fails with [`RequestError`]. Invariant: the error tells exactly
//! whether the server may have run the request; only requests that cannot have run are repeated.

use hobnob_mcp_engine::CallError;
use hobnob_mcp_transport::Loss;
use hobnob_mcp_types::{ErrorCode, RpcError};
use std::time::Duration;

/// Why a request has no result.
#[derive(Debug, Clone)]
pub enum RequestError {
    /// The server answered with an error.
    Rpc(RpcError),
    /// The server's answer violates the protocol; holds what is wrong with it.
    Unreadable(RpcError),
    /// It was never sent, because the connection has ended: the server cannot have run it.
    Unsent(Box<str>),
    /// It was never sent, because too many requests are in flight; the connection still works.
    Busy(Box<str>),
    /// The transport lost it.
    Lost(Loss),
    /// The connection ended while the request was in flight: the server may have run it.
    Ended(Box<str>),
    /// No answer came within this time, and the request was cancelled.
    Late(Duration),
}

impl RequestError {
    /// Whether the server cannot have run the request, so that sending it again is safe.
    pub fn cannot_have_run(&self) -> bool {
        match self {
            Self::Unsent(_) | Self::Busy(_) => true,
            Self::Lost(loss) => loss.cannot_have_run(),
            Self::Rpc(_) | Self::Unreadable(_) | Self::Ended(_) | Self::Late(_) => false,
        }
    }

    /// Whether the connection is unusable, so that a new one must be made.
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

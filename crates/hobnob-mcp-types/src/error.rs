//! The error object of JSON-RPC, and every code this protocol gives a meaning.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// An error code on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The text is not JSON, or not UTF-8.
    pub const PARSE: Self = Self(-32700);
    /// JSON, but no request; or a request out of place.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// The receiver does not know the method.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The receiver failed through no fault of the sender.
    pub const INTERNAL: Self = Self(-32603);
    /// No such resource; legacy revisions only.
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// The handshake is not done. The protocol has no code for that; earlier servers had this one.
    pub const NOT_INITIALIZED: Self = Self(-32002);
    /// A URL has to be visited first; 2025-11-25 only.
    pub const URL_ELICITATION_REQUIRED: Self = Self(-32042);
    /// Headers and body of a modern request disagree.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The request needs a capability that its client did not declare.
    pub const MISSING_CLIENT_CAPABILITY: Self = Self(-32021);
    /// The receiver does not speak the revision of the request.
    pub const UNSUPPORTED_VERSION: Self = Self(-32022);
    /// The receiver is overloaded. Our own code, outside the ranges the protocol reserves.
    pub const BUSY: Self = Self(-31001);
    /// The other side gave no answer in time. Our own code, outside the reserved ranges.
    pub const TIMEOUT: Self = Self(-31002);
    /// An upstream server cannot be used. Our own code, outside the reserved ranges.
    pub const UPSTREAM: Self = Self(-31003);
}

/// The `error` member of a response.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RpcError {
    /// What kind of error it is; peers act on this, not on the message.
    pub code: ErrorCode,
    /// What happened, to what, and what to do next.
    pub message: Cow<'static, str>,
    /// Details a program can read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The same error with data.
    pub fn with_data(mut self, data: &impl Serialize) -> Self {
        self.data = serde_json::value::to_raw_value(data).ok();
        self
    }

    /// An error with code `-32600`: the envelope is wrong, or the request came out of place.
    pub fn invalid_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::INVALID_REQUEST, message)
    }

    /// An error with code `-32601` that names the method.
    pub fn method_not_found(method: &str) -> Self {
        // The peer chose the name and its length; 100 characters are enough to recognise it.
        let shown = method.chars().take(100).collect::<String>();
        Self::new(ErrorCode::METHOD_NOT_FOUND, format!("method not found: {shown}"))
    }

    /// An error with code `-32602`: the parameters do not fit the method.
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, message)
    }

    /// An error with code `-32603`. The cause goes to the log, never to the peer.
    pub fn internal() -> Self {
        Self::new(ErrorCode::INTERNAL, "internal error")
    }
}

impl std::fmt::Display for RpcError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.message, self.code.0)
    }
}

impl std::error::Error for RpcError {}

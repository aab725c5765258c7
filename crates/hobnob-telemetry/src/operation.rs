//! A call that has ended, in the terms of OpenTelemetry's conventions for MCP.
//!
//! The hub makes one of each call that its gateway reports; `metrics` counts it. What must stay
//! true: there is no field for arguments, results or URIs.

use std::borrow::Cow;
use std::time::Duration;

/// A call that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Operation<'a> {
    /// The method: one of the protocol's, so there are few.
    pub method: &'static str,
    /// The public name of the tool, if the call is one of a tool.
    pub tool: Option<&'a str>,
    /// The part of an upstream, if the call reached one.
    pub upstream: Option<UpstreamOperation<'a>>,
    /// What went wrong, if anything did.
    pub error: Option<ErrorType>,
    /// From the request to its answer.
    pub duration: Duration,
    /// The size of the request's parameters.
    pub request_bytes: u64,
    /// The size of the result.
    pub result_bytes: u64,
    /// How the caller is connected.
    pub link: PeerLink,
}

/// The part of an upstream in a call.
#[derive(Debug, Clone, Copy)]
pub struct UpstreamOperation<'a> {
    /// Its name in the configuration.
    pub server: &'a str,
    /// Its own name of the tool, if the call is one of a tool.
    pub tool: Option<&'a str>,
    /// How it is connected; `None` if it never was.
    pub connection: Option<&'a UpstreamConnection>,
}

/// A connection to an upstream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UpstreamConnection {
    /// Its transport, and the revision that it speaks.
    pub link: PeerLink,
    /// Its host and port, if it is reached over HTTP.
    pub address: Option<(Box<str>, u16)>,
}

/// How a client and a server are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PeerLink {
    /// The transport between them.
    pub transport: Transport,
    /// The revision of the protocol that both speak.
    pub revision: &'static str,
}

/// A transport of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Standard input and output, or a private socket in their place.
    Pipe,
    /// Streamable HTTP, or HTTP+SSE.
    Http,
}

impl Transport {
    /// The value of `network.transport`.
    pub(crate) fn network(self) -> &'static str {
        match self {
            Self::Pipe => "pipe",
            Self::Http => "tcp",
        }
    }

    /// The value of `network.protocol.name`.
    pub(crate) fn protocol(self) -> Option<&'static str> {
        match self {
            Self::Pipe => None,
            Self::Http => Some("http"),
        }
    }
}

/// The value of `error.type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorType {
    /// A result with `isError`.
    Tool,
    /// The code of a JSON-RPC error.
    Code(i64),
    /// There was no answer: `timeout`, `cancelled`, `refused` and the like.
    Unanswered(&'static str),
}

impl ErrorType {
    /// The value as text.
    #[must_use]
    pub fn text(self) -> Cow<'static, str> {
        match self {
            Self::Tool => Cow::Borrowed("tool_error"),
            Self::Code(code) => Cow::Owned(code.to_string()),
            Self::Unanswered(word) => Cow::Borrowed(word),
        }
    }
}

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
}

/// The part of an upstream in a call.
#[derive(Debug, Clone, Copy)]
pub struct UpstreamOperation<'a> {
    /// Its name in the configuration.
    pub server: &'a str,
    /// Its own name of the tool, if the call is one of a tool.
    pub tool: Option<&'a str>,
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

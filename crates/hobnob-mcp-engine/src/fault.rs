//! Why a call failed, and the one place that maps failures to JSON-RPC codes.
//!
//! Services fail with a [`CallError`]; the edges convert it for the caller's era. The cause of an
//! internal error goes to the log and never to the peer.

use crate::caller::Caller;
use hobnob_mcp_types::capabilities::{CapabilitySettings, ClientCapabilities};
use hobnob_mcp_types::hello::MissingCapability;
use hobnob_mcp_types::{Era, ErrorCode, Method, RpcError, tasks_ext};
use serde::Serialize;
use std::fmt;

/// Why a call has no outcome. A tool that ran and reported an error has an outcome instead.
#[derive(Debug)]
pub enum CallError {
    /// The service does not answer this method.
    Method(Method),
    /// The parameters are invalid.
    Params(RpcError),
    /// A tool's arguments do not match its schema.
    Arguments(Box<ArgumentProblems>),
    /// There is no tool of that name; the text is the message for the caller.
    UnknownTool(Box<str>),
    /// There is no resource with this URI.
    Resource(Box<str>),
    /// The call needs capabilities that the caller did not declare.
    Capability(Box<ClientCapabilities>),
    /// A header contradicts the parameter that it repeats; the text is the message.
    Header(Box<str>),
    /// The call timed out; the text is the message.
    Late(Box<str>),
    /// A failure of ours, whose cause has been logged.
    Internal,
    /// An error with a code of its own, passed on unchanged.
    Other(RpcError),
}

/// Everything that is wrong with the arguments of one call.
#[derive(Debug, Clone)]
pub struct ArgumentProblems {
    /// All problems in one line of text.
    pub message: String,
    /// The single problems, as far as the schema check can tell them apart.
    pub problems: Vec<ArgumentProblem>,
}

/// One argument that does not match its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArgumentProblem {
    /// Its path, such as `arguments.limit`.
    pub path: String,
    /// What belongs there, such as `number`, `at least 1`, `a value` or `no such property`.
    pub expected: String,
    /// The JSON type that was received, or `nothing`; never the value.
    pub received: &'static str,
}

impl ArgumentProblem {
    /// The JSON type of a value that is valid JSON text.
    pub fn type_of(text: &str) -> &'static str {
        match text.trim_start().as_bytes().first() {
            Some(b'"') => "string",
            Some(b'{') => "object",
            Some(b'[') => "array",
            Some(b't' | b'f') => "boolean",
            Some(b'n') => "null",
            Some(_) if text.contains(['.', 'e', 'E']) => "number",
            Some(_) => "integer",
            None => "nothing",
        }
    }
}

impl ArgumentProblems {
    /// Builds the error for a single problem.
    pub fn one(message: impl Into<String>, problem: ArgumentProblem) -> Self {
        Self { message: message.into(), problems: vec![problem] }
    }
}

impl CallError {
    /// Invalid parameters, with a message for the caller.
    pub fn params(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::Params(RpcError::invalid_params(message))
    }

    /// The error for a caller that did not declare the tasks extension.
    pub fn tasks_needed() -> Self {
        let mut needed = ClientCapabilities::default();
        needed.extensions.insert(tasks_ext::EXTENSION, CapabilitySettings::default());
        Self::Capability(Box::new(needed))
    }

    /// A failure of ours. The log gets the cause, the peer does not.
    pub fn internal(cause: impl fmt::Display) -> Self {
        tracing::error!(%cause, "a call failed inside");
        Self::Internal
    }

    /// The JSON-RPC error for this caller.
    pub fn to_rpc(&self, caller: &Caller) -> RpcError {
        let modern = caller.revision.era() == Era::Modern;
        match self {
            Self::Method(method) => RpcError::method_not_found(method.as_str()),
            Self::Params(error) | Self::Other(error) => error.clone(),
            Self::Arguments(wrong) => {
                let error = RpcError::invalid_params(wrong.message.clone());
                match wrong.problems.as_slice() {
                    [] => error,
                    problems => error.with_data(&ArgumentData { problems }),
                }
            }
            Self::UnknownTool(message) => RpcError::invalid_params(message.to_string()),
            Self::Resource(uri) => {
                let code =
                    if modern { ErrorCode::INVALID_PARAMS } else { ErrorCode::RESOURCE_NOT_FOUND };
                RpcError::new(code, format!("resource not found: {uri}"))
                    .with_data(&ResourceData { uri })
            }
            Self::Capability(needed) => {
                let message = "the client did not declare a capability this needs";
                // A legacy peer does not know the modern code.
                let code = if modern {
                    ErrorCode::MISSING_CLIENT_CAPABILITY
                } else {
                    ErrorCode::INVALID_REQUEST
                };
                let data = MissingCapability { required_capabilities: (**needed).clone() };
                RpcError::new(code, message).with_data(&data)
            }
            Self::Header(message) => {
                let code =
                    if modern { ErrorCode::HEADER_MISMATCH } else { ErrorCode::INVALID_REQUEST };
                RpcError::new(code, message.to_string())
            }
            Self::Late(message) => RpcError::new(ErrorCode::TIMEOUT, message.to_string()),
            Self::Internal => RpcError::internal(),
        }
    }
}

#[derive(Serialize)]
struct ResourceData<'a> {
    uri: &'a str,
}

#[derive(Serialize)]
struct ArgumentData<'a> {
    problems: &'a [ArgumentProblem],
}

impl From<RpcError> for CallError {
    fn from(error: RpcError) -> Self {
        Self::Params(error)
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(method) => write!(f, "method not found: {}", method.as_str()),
            Self::Params(error) | Self::Other(error) => error.fmt(f),
            Self::Arguments(wrong) => f.write_str(&wrong.message),
            Self::Resource(uri) => write!(f, "no resource {uri}"),
            Self::Capability(_) => f.write_str("a client capability is missing"),
            Self::UnknownTool(message) | Self::Header(message) | Self::Late(message) => {
                f.write_str(message)
            }
            Self::Internal => f.write_str("internal error"),
        }
    }
}

impl std::error::Error for CallError {}

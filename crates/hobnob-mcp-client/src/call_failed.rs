//! Why a call of a program has no result: the tool failed, the server refused, or no answer came.
//!
//! The calls of `Client` fail with [`CallFailed`]. There is a variant for each case that a program
//! handles differently; everything else is its source.

use crate::error::RequestError;
use hobnob_mcp_engine::TooManyRounds;
use hobnob_mcp_types::RpcError;
use hobnob_mcp_types::tools::CallToolResult;
use std::fmt;

/// Why a call has no result.
///
/// ```
/// use hobnob_mcp_client::{CallFailed, Client};
///
/// async fn weather(client: &Client) -> String {
///     match client.call::<_, String>("weather", &()).await {
///         Ok(text) => text,
///         // The model may read this and try something else.
///         Err(CallFailed::Tool(failure)) => failure.text(),
///         Err(CallFailed::Refused(error)) => format!("code {}: {}", error.code.0, error.message),
///         Err(CallFailed::NoAnswer(error)) if error.cannot_have_run() => "try again".into(),
///         Err(other) => other.to_string(),
///     }
/// }
/// ```
#[derive(Debug)]
pub enum CallFailed {
    /// The tool ran and failed; the result says why, in words for a model or a person.
    Tool(Box<ToolFailure>),
    /// The server or the host refused the call, with a code.
    Refused(RpcError),
    /// No answer came: the connection ended, the call took too long, or it was never sent.
    NoAnswer(RequestError),
    /// The arguments are not a JSON object; holds what is wrong with them. Nothing was sent.
    Arguments(String),
    /// The result violates the protocol, or does not have the type you asked for.
    Unreadable(String),
    /// The server asked more questions than are allowed within one call.
    Endless,
}

impl CallFailed {
    /// Whether the server cannot have run the call, so that making it again is safe.
    pub fn cannot_have_run(&self) -> bool {
        match self {
            Self::Arguments(_) => true,
            Self::NoAnswer(error) => error.cannot_have_run(),
            Self::Tool(_) | Self::Refused(_) | Self::Unreadable(_) | Self::Endless => false,
        }
    }

    /// A result that does not fit the type it is read as.
    pub(crate) fn unreadable(error: &serde_json::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl fmt::Display for CallFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(failure) => f.write_str(&failure.text()),
            Self::Refused(error) => error.fmt(f),
            Self::NoAnswer(error) => error.fmt(f),
            Self::Arguments(why) => write!(f, "the arguments cannot be sent: {why}"),
            Self::Unreadable(why) => write!(f, "the result cannot be read: {why}"),
            Self::Endless => {
                f.write_str("the server kept asking questions, so the call was abandoned")
            }
        }
    }
}

impl std::error::Error for CallFailed {}

impl From<RequestError> for CallFailed {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Rpc(error) => Self::Refused(error),
            other => Self::NoAnswer(other),
        }
    }
}

impl From<TooManyRounds> for CallFailed {
    fn from(_: TooManyRounds) -> Self {
        Self::Endless
    }
}

/// The result of a tool that failed.
#[derive(Debug)]
pub struct ToolFailure {
    /// The name of the tool.
    pub tool: String,
    /// Everything the tool returned.
    pub result: CallToolResult,
}

impl ToolFailure {
    /// The texts of the result, separated by line breaks.
    pub fn text(&self) -> String {
        let texts = self.result.content.iter().filter_map(|content| content.as_text());
        let text = texts.collect::<Vec<_>>().join("\n");
        if text.is_empty() {
            format!("the tool `{}` failed without a text", self.tool)
        } else {
            text
        }
    }
}

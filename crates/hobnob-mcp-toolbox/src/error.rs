//! The mistakes of authors, and the ways a handler ends without a result.
//!
//! A [`KitError`] appears before a kit is served; a [`ToolError`] reaches the caller.

use hobnob_mcp_engine::{CallError, Questions, TaskRecord};
use hobnob_mcp_types::{ErrorCode, RpcError};
use std::any::Any;
use std::fmt;

/// Everything that is wrong with a kit. It tells the author before the kit is served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .problems.join("; "))]
pub struct KitError {
    problems: Vec<String>,
}

impl KitError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { problems: vec![message.into()] }
    }

    /// Fails if there are problems, and returns `fine` otherwise.
    pub(crate) fn unless_none<T>(problems: Vec<String>, fine: T) -> Result<T, Self> {
        if problems.is_empty() { Ok(fine) } else { Err(Self { problems }) }
    }

    /// One sentence for each mistake, in the order of the code.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    pub(crate) fn into_problems(self) -> Vec<String> {
        self.problems
    }
}

/// Why a handler returns no result of its own.
///
/// Every error converts to one with `?`: a [`CallError`] or an [`RpcError`] reaches the caller with
/// its code, and any other error becomes a failed call with its text for the model.
#[derive(Debug)]
pub enum ToolError {
    /// The tool ran and failed; the model reads the text and may try something else.
    Failed(String),
    /// The call itself is wrong or impossible.
    Protocol(CallError),
    /// The handler has questions first; it runs again with the answers.
    Questions(Box<Questions>),
    /// The work continues as a task.
    Started(Box<TaskRecord>),
}

impl ToolError {
    /// The tool ran and failed.
    pub fn failed(message: impl fmt::Display) -> Self {
        Self::Failed(message.to_string())
    }

    /// The parameters are invalid for a reason that the schema cannot express.
    pub fn params(message: impl Into<String>) -> Self {
        Self::Protocol(CallError::params(message.into()))
    }

    /// There is no resource with this URI.
    pub fn no_resource(uri: impl Into<Box<str>>) -> Self {
        Self::Protocol(CallError::Resource(uri.into()))
    }

    /// The error where a failure cannot be a result: only tools have failed results.
    pub(crate) fn into_call_error(self) -> CallError {
        match self {
            Self::Failed(text) => CallError::Other(RpcError::new(ErrorCode::INTERNAL, text)),
            Self::Protocol(error) => error,
            Self::Questions(_) | Self::Started(_) => CallError::Internal,
        }
    }
}

impl<E: std::error::Error + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        // A blanket conversion cannot be specialised, so the two errors that keep their code are
        // recognised at run time.
        let mut error = Some(error);
        let any: &mut dyn Any = &mut error;
        if let Some(Some(error)) = any.downcast_mut::<Option<CallError>>().map(Option::take) {
            return Self::Protocol(error);
        }
        if let Some(Some(error)) = any.downcast_mut::<Option<RpcError>>().map(Option::take) {
            return Self::Protocol(CallError::Other(error));
        }
        Self::Failed(error.map(|error| error.to_string()).unwrap_or_default())
    }
}

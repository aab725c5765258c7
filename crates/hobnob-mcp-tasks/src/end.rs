//! How a task ended, and what its owner sees of it. Everything else in this folder uses it.
//!
//! What must stay true: the same end reads the same, whether it is still in memory or was read back
//! from a [store](crate::TaskStore).

use hobnob_mcp_engine::{Answer, Arrival, CallError, Caller, ClientId, Principal};
use hobnob_mcp_types::{ErrorCode, Revision, RpcError};

/// How a task ended.
#[derive(Debug)]
pub enum TaskEnd {
    /// The call went through to its result.
    Answer(Answer),
    /// The call failed, or the task could not go on.
    Error(CallError),
    /// Its owner cancelled it.
    Cancelled,
    /// The process that ran the task has stopped, so nobody knows how far it got. The text says so
    /// to the owner.
    Lost(Box<str>),
}

impl TaskEnd {
    /// The error object for this caller, if the task ended with an error.
    pub fn error(&self, caller: &Caller) -> Option<RpcError> {
        match self {
            Self::Error(error) => Some(error.to_rpc(caller)),
            Self::Lost(text) => Some(lost(text)),
            Self::Answer(_) | Self::Cancelled => None,
        }
    }
}

/// The error of a task whose process is gone.
pub(crate) fn lost(text: &str) -> RpcError {
    RpcError::new(ErrorCode::INTERNAL, text.to_owned())
}

/// What the owner reads about a call whose process has stopped.
pub(crate) fn interrupted(tool: &str) -> String {
    format!(
        "the server was stopped or restarted while `{tool}` ran; \
         the call may or may not have taken effect"
    )
}

/// A caller of the newest revision: the extension writes errors of tasks in modern terms, whoever
/// asks about them.
pub(crate) fn modern_reader() -> Caller {
    Caller {
        revision: Revision::NEWEST,
        capabilities: std::sync::Arc::default(),
        client: None,
        client_id: ClientId::OURSELVES,
        principal: Principal::anonymous(),
        log_level: None,
        via: None,
        arrival: Arrival::next(),
    }
}

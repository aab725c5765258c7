//! How a task ended, and what its owner sees of that. The driver decides it, except that a task
//! without a store is cancelled at once; `detail.rs` encodes it for the store, and views show it.
//!
//! Invariant: an end looks the same whether it is still in memory or was read back from a
//! [store](crate::TaskStore).

use hobnob_mcp_engine::{Answer, CallError, Caller, ClientId, Principal};
use hobnob_mcp_types::{ErrorCode, RpcError};

/// How a task ended.
#[derive(Debug)]
pub enum TaskEnd {
    /// The call ended with a result.
    Answer(Answer),
    /// The call failed, or the task could not continue.
    Error(CallError),
    /// The owner cancelled the task.
    Cancelled,
    /// The process that ran the task has stopped, so its effects are unknown. The text tells the
    /// owner so.
    Lost(Box<str>),
}

impl TaskEnd {
    /// The error for this caller, if the task ended with one.
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

/// The message for the owner of a call whose process has stopped.
pub(crate) fn interrupted(tool: &str) -> String {
    format!(
        "the server was stopped or restarted while `{tool}` ran; \
         the call may or may not have taken effect"
    )
}

/// A caller of the newest revision: the tasks extension writes task errors in their modern form,
/// even for legacy callers.
pub(crate) fn modern_reader() -> Caller {
    Caller::new(ClientId::OURSELVES, Principal::anonymous())
}

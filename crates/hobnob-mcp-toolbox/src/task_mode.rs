//! Whether a call runs at once or as a task, and who may decide that in which revision. `call_tool`
//! asks before it runs a tool.

use hobnob_mcp_engine::{CallError, TaskOffer, TaskOwner};
use hobnob_mcp_types::tools::TaskSupport;
use hobnob_mcp_types::{Era, ErrorCode, Revision, RpcError};

/// Whether calls of a tool may become tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaskMode {
    /// Calls never become tasks.
    #[default]
    Never,
    /// Calls become tasks whenever the caller can take one.
    Optional,
    /// Calls always become tasks; a caller that cannot take one gets an error.
    Required,
    /// The handler decides, by calling [`Context::start_task`](crate::Context::start_task). For
    /// callers of 2025-11-25, the caller decides.
    Chosen,
}

impl TaskMode {
    /// The value in the list entry; none means never.
    pub(crate) fn support(self) -> Option<TaskSupport> {
        match self {
            Self::Never => None,
            Self::Optional | Self::Chosen => Some(TaskSupport::Optional),
            Self::Required => Some(TaskSupport::Required),
        }
    }
}

/// How to run a call.
#[derive(Debug)]
pub(crate) enum TaskPlan {
    /// Run at once; its end is the answer.
    Here,
    /// Run at once; the handler may continue as a task.
    HereOrTask { owner: TaskOwner },
    /// Run as a task from the start.
    Task { owner: TaskOwner, ttl_ms: Option<u64> },
}

/// Whether this server declares tasks at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declared {
    Yes,
    No,
}

/// Decides how to run one call.
pub(crate) fn plan(
    tool: &str,
    mode: TaskMode,
    offer: TaskOffer,
    declared: Declared,
    revision: Revision,
) -> Result<TaskPlan, CallError> {
    match (mode, offer) {
        // Spec 2025-11-25, tasks: a receiver without the capability ignores the request for a task.
        (TaskMode::Never, TaskOffer::Asked { .. }) if declared == Declared::No => {
            Ok(TaskPlan::Here)
        }
        (TaskMode::Never, TaskOffer::Asked { .. }) => {
            Err(refused(format!("tool `{tool}` cannot be called as a task")))
        }
        (TaskMode::Never, _) => Ok(TaskPlan::Here),
        (_, TaskOffer::Asked { owner, ttl_ms }) => Ok(TaskPlan::Task { owner, ttl_ms }),
        (TaskMode::Chosen, TaskOffer::Able { owner }) => Ok(TaskPlan::HereOrTask { owner }),
        (_, TaskOffer::Able { owner }) => Ok(TaskPlan::Task { owner, ttl_ms: None }),
        (TaskMode::Required, TaskOffer::No) if revision.era() == Era::Modern => {
            Err(CallError::tasks_needed())
        }
        (TaskMode::Required, TaskOffer::No | TaskOffer::NotAsked) => {
            Err(refused(format!("tool `{tool}` must be called as a task")))
        }
        (TaskMode::Optional | TaskMode::Chosen, TaskOffer::No | TaskOffer::NotAsked) => {
            Ok(TaskPlan::Here)
        }
    }
}

fn refused(message: String) -> CallError {
    CallError::Other(RpcError::new(ErrorCode::METHOD_NOT_FOUND, message))
}

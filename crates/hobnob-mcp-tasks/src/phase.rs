//! The phases of a task. The table keeps one [`TaskPhase`] per task; its status follows from it.

use crate::end::TaskEnd;
use hobnob_mcp_engine::{Refusable, RoundAnswers, TaskStatus};
use hobnob_mcp_types::input::{InputRequest, InputRequests};
use std::sync::Arc;

/// The phase that a task is in.
pub(crate) enum TaskPhase {
    /// The task is not stored yet, so it must not be visible.
    Starting,
    Working,
    /// The questions still open, and the answers given in this round so far.
    Waiting {
        open: InputRequests,
        given: RoundAnswers,
        refusable: Refusable,
    },
    Ended(Arc<TaskEnd>),
}

impl TaskPhase {
    /// Waits for the answers to these questions, except for those that are given already.
    pub(crate) fn waiting(
        mut open: InputRequests,
        refusable: Refusable,
        given: RoundAnswers,
    ) -> Self {
        // No client could answer a question of an unknown kind.
        open.0.retain(|key, request| {
            !matches!(request, InputRequest::Unknown(_)) && !given.contains_key(key)
        });
        Self::Waiting { open, given, refusable }
    }

    pub(crate) fn ended(end: TaskEnd) -> Self {
        Self::Ended(Arc::new(end))
    }

    pub(crate) fn status(&self) -> TaskStatus {
        match self {
            Self::Starting | Self::Working => TaskStatus::Working,
            Self::Waiting { .. } => TaskStatus::InputRequired,
            Self::Ended(end) => match &**end {
                TaskEnd::Answer(_) => TaskStatus::Completed,
                TaskEnd::Error(_) | TaskEnd::Lost(_) => TaskStatus::Failed,
                TaskEnd::Cancelled => TaskStatus::Cancelled,
            },
        }
    }

    /// The `statusMessage` of the task while it is in this phase.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::Ended(end) => match &**end {
                TaskEnd::Lost(text) => Some(text.to_string()),
                TaskEnd::Answer(_) | TaskEnd::Error(_) | TaskEnd::Cancelled => None,
            },
            Self::Starting | Self::Working | Self::Waiting { .. } => None,
        }
    }
}

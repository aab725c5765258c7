//! What a task is doing. The table keeps one [`TaskPhase`] for each task; its status follows from it.

use crate::end::TaskEnd;
use hobnob_mcp_engine::{Refusable, RoundAnswers, TaskStatus};
use hobnob_mcp_types::input::{InputRequest, InputRequests};
use std::sync::Arc;

/// What a task is doing.
pub(crate) enum TaskPhase {
    /// The store does not have it yet, so nobody may see it.
    Starting,
    Working,
    /// Questions still open, and the answers to those of this round that are not.
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
        // Nobody could answer a question of a kind we do not know.
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

//! A task as its owner may see it, whichever process runs it.

use super::POLL;
use super::detail::{self, Detail};
use super::keeper::KeptTask;
use super::table::TaskEnd;
use hobnob_mcp_engine::{Refusable, TaskRecord};
use hobnob_mcp_types::input::InputRequests;
use std::sync::Arc;
use tokio::sync::watch;

/// A task as its owner may see it.
pub(crate) struct TaskView {
    pub(crate) record: TaskRecord,
    pub(crate) open: Option<InputRequests>,
    /// Whether the task wants to hear that a question stays without an answer.
    pub(crate) refusable: Refusable,
    pub(crate) end: Option<Arc<TaskEnd>>,
    pub(crate) run_by: RunBy,
}

/// Who runs a task, or ran it.
pub(crate) enum RunBy {
    /// This process, which counts the changes.
    Us(watch::Receiver<u64>),
    /// Another one, whose record is read.
    Others,
}

impl RunBy {
    /// Whether an answer that is given here reaches the task.
    pub(crate) fn takes_answers(&self) -> bool {
        matches!(self, Self::Us(_))
    }

    /// Waits until there may be something new to see; `None` if the task is gone.
    pub(crate) async fn changed(&mut self) -> Option<()> {
        match self {
            Self::Us(changes) => changes.changed().await.ok(),
            Self::Others => {
                tokio::time::sleep(POLL).await;
                Some(())
            }
        }
    }
}

impl TaskView {
    /// The task that a record tells of.
    pub(super) fn of_others(kept: KeptTask) -> Result<Self, serde_json::Error> {
        let (open, end) = match detail::read(kept.status, kept.detail.as_deref())? {
            Detail::None => (None, None),
            Detail::Questions(open) => (Some(open), None),
            Detail::End(end) => (None, Some(Arc::new(end))),
        };
        let refusable = Refusable::No;
        Ok(Self { record: record(kept), open, refusable, end, run_by: RunBy::Others })
    }
}

/// What is told of a kept task.
pub(super) fn record(kept: KeptTask) -> TaskRecord {
    TaskRecord {
        id: kept.id,
        status: kept.status,
        message: kept.message,
        created: kept.created,
        updated: kept.updated,
        ttl: kept.ttl,
        poll: POLL,
    }
}

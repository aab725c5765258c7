//! The tools that claim tasks, renew claims and release them.
//!
//! A claim is a lease: it expires, so a worker that disappears blocks no task for long.

use super::change::PriorityWord;
use super::service::{PresentedTasks, TaskCall};
use super::views::Shown;
use crate::presentation::ToolResult;
use hobnob_store::tasks::TaskFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Seconds of a lease if the caller sets none.
const DEFAULT_LEASE: u32 = 900;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    /// Id of the task to take; the most important one that is ready if not given
    id: Option<String>,
    /// Name of the list to take one from; the project's own if not given, `*` for all lists
    list: Option<String>,
    /// Take one with this priority only
    priority: Option<PriorityWord>,
    /// Who takes it; your client's name if not given
    worker: Option<String>,
    /// For how many seconds, unless renewed; 900 if not given
    #[schemars(range(min = 1, max = 86_400))]
    lease_seconds: Option<u32>,
}

#[derive(Debug, Serialize)]
struct Claimed<'a> {
    claimed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Shown<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
}

pub(super) async fn claim(arguments: Claim, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let which = arguments.id.map(|id| presented.id(&id)).transpose()?;
    let filter = TaskFilter {
        list: presented.lists(arguments.list.as_deref())?,
        priorities: arguments.priority.into_iter().map(Into::into).collect(),
        ..TaskFilter::default()
    };
    let worker = presented.worker(arguments.worker.as_deref(), &call)?;
    let (access, lease) = (PresentedTasks::access(&call), lease(arguments.lease_seconds));
    let task = presented.tasks().claim(access, which, filter, worker, lease).await;
    match task.map_err(|error| presented.refused(error))? {
        Some(task) => {
            let task = Some(Shown::of(&task));
            presented.presentation.reply(&Claimed { claimed: true, task, message: None })
        }
        None => {
            let message = Some("nothing is ready: all tasks are done, blocked or taken");
            presented.presentation.reply(&Claimed { claimed: false, task: None, message })
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Renew {
    #[schemars(description = "Task id")]
    id: String,
    /// Who has claimed it; your client's name if not given
    worker: Option<String>,
    /// For how many seconds from now on; 900 if not given
    #[schemars(range(min = 1, max = 86_400))]
    lease_seconds: Option<u32>,
}

pub(super) async fn renew(arguments: Renew, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let id = presented.id(&arguments.id)?;
    let worker = presented.worker(arguments.worker.as_deref(), &call)?;
    let lease = lease(arguments.lease_seconds);
    let task = presented.tasks().renew(PresentedTasks::access(&call), id, worker, lease).await;
    presented.presentation.reply(&Shown::of(&task.map_err(|error| presented.refused(error))?))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Release {
    #[schemars(description = "Task id")]
    id: String,
    /// Who has claimed it; your client's name if not given
    worker: Option<String>,
}

pub(super) async fn release(arguments: Release, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let id = presented.id(&arguments.id)?;
    let worker = presented.worker(arguments.worker.as_deref(), &call)?;
    let task = presented.tasks().release(PresentedTasks::access(&call), id, worker).await;
    presented.presentation.reply(&Shown::of(&task.map_err(|error| presented.refused(error))?))
}

fn lease(seconds: Option<u32>) -> Duration {
    Duration::from_secs(seconds.unwrap_or(DEFAULT_LEASE).into())
}

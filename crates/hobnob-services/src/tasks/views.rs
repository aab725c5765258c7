//! The wire form of tasks. Absent values are left out; lists are always lists.
//!
//! The order of the fields is the order on the wire.

use crate::shown_page::ShownPage;
use crate::time_text::time_text;
use hobnob_store::memory::Page;
use hobnob_store::tasks::{
    ListName, Priority, StoredTask, StoredTaskStatus, TaskEvent, TaskId, Worker,
};
use serde::Serialize;

/// The answer to a tool that created a task: only the values that are not defaults.
#[derive(Debug, Serialize)]
pub(super) struct CreatedTask<'a> {
    id: &'a str,
    description: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blockers: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<&'a str>,
}

impl<'a> CreatedTask<'a> {
    pub(super) fn of(task: &'a StoredTask, default_list: &ListName) -> Self {
        Self {
            id: task.id.as_str(),
            description: &task.description,
            status: task.status.as_str(),
            priority: (task.priority != Priority::Normal).then(|| task.priority.as_str()),
            parent: task.parent.as_ref().map(TaskId::as_str),
            blockers: words(&task.blockers),
            list: (task.list != *default_list).then(|| task.list.as_str()),
        }
    }
}

/// A task with all its fields.
#[derive(Debug, Serialize)]
pub(super) struct Shown<'a> {
    id: &'a str,
    description: &'a str,
    status: &'static str,
    priority: &'static str,
    list: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
    blockers: Vec<&'a str>,
    open_blockers: Vec<&'a str>,
    ready: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a str>,
    created_at: String,
    updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finished_at: Option<String>,
}

impl<'a> Shown<'a> {
    pub(super) fn of(task: &'a StoredTask) -> Self {
        Self {
            id: task.id.as_str(),
            description: &task.description,
            status: task.status.as_str(),
            priority: task.priority.as_str(),
            list: task.list.as_str(),
            parent: task.parent.as_ref().map(TaskId::as_str),
            blockers: words(&task.blockers),
            open_blockers: words(&task.open_blockers),
            ready: task.status == StoredTaskStatus::Pending && task.open_blockers.is_empty(),
            claimed_by: task.claim.as_ref().map(|claim| claim.worker.as_str()),
            lease_until: task.claim.as_ref().map(|claim| time_text(claim.until)),
            result: task.result.as_deref(),
            created_at: time_text(task.created),
            updated_at: time_text(task.updated),
            started_at: task.started.map(time_text),
            finished_at: task.finished.map(time_text),
        }
    }
}

/// A complete list of tasks.
pub(super) fn all_tasks(tasks: &[StoredTask]) -> ShownPage<'_, Shown<'_>> {
    ShownPage::whole("tasks", tasks, Shown::of)
}

/// One page of a list of tasks.
pub(super) fn task_page(part: &Page<StoredTask>) -> ShownPage<'_, Shown<'_>> {
    ShownPage::of("tasks", part, Shown::of)
}

/// One event in the history of a task.
#[derive(Debug, Serialize)]
pub(super) struct ShownStep<'a> {
    at: String,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
}

impl<'a> ShownStep<'a> {
    pub(super) fn of(step: &'a TaskEvent) -> Self {
        Self {
            at: time_text(step.at),
            action: step.action.as_str(),
            worker: step.worker.as_ref().map(Worker::as_str),
            detail: step.detail.as_deref(),
        }
    }
}

fn words(ids: &[TaskId]) -> Vec<&str> {
    ids.iter().map(TaskId::as_str).collect()
}

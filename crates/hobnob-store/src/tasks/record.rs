//! The task record, and the types it is made of: ids, lists, workers, statuses, priorities.
//!
//! Services make these from what callers send.

use crate::owner::Owner;
use crate::time::Time;
use std::{fmt, io};

/// A task's id: `task_` and ten random characters of `[a-z0-9]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(Box<str>);

impl TaskId {
    /// A new, unguessable id.
    pub fn random() -> io::Result<Self> {
        Ok(Self(crate::random::random_id("task_", 10)?.into()))
    }

    /// Takes an id from a caller unchecked; a lookup of an impossible id finds nothing.
    pub fn given(raw: &str) -> Self {
        Self(raw.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The name of a task list: a project's list, or one that a caller named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListName(Box<str>);

impl ListName {
    /// The list of this name.
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name that an agent gives itself as a worker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Worker(Box<str>);

impl Worker {
    /// The worker of this name.
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The status of a task in its life cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoredTaskStatus {
    /// No worker has started it, or its claim has expired.
    Pending,
    /// A worker has started it.
    InProgress,
    /// It is done, and blocks no other task any more.
    Completed,
    /// It was given up, and still blocks the tasks that wait for it.
    Failed,
}

impl StoredTaskStatus {
    /// Every status there is.
    pub const ALL: [Self; 4] = [Self::Pending, Self::InProgress, Self::Completed, Self::Failed];

    /// The word in tools and filters.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// Reads the word that `as_str` writes.
    pub fn parse(raw: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == raw)
    }
}

/// The priority of a task; higher ones are offered first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Priority {
    /// Offered after all other tasks.
    Low,
    /// The priority used by default.
    #[default]
    Normal,
    /// Offered before normal tasks.
    High,
    /// Offered before all other tasks.
    Urgent,
}

impl Priority {
    /// All priorities, lowest first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Normal, Self::High, Self::Urgent];

    /// The word in tools and filters.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Urgent => "urgent",
        }
    }

    /// Reads the word that `as_str` writes.
    pub fn parse(raw: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|priority| priority.as_str() == raw)
    }
}

/// The owner of a query and the time at which it evaluates leases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskAccess {
    /// The owner whose tasks are visible.
    pub owner: Owner,
    /// The time that leases are compared with.
    pub now: Time,
}

/// The current record of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTask {
    /// Unique among the owner's tasks.
    pub id: TaskId,
    /// The list it is on.
    pub list: ListName,
    /// What is to be done.
    pub description: String,
    /// The status at the time of the access.
    pub status: StoredTaskStatus,
    /// Higher priorities are offered first.
    pub priority: Priority,
    /// The task that this one is a part of.
    pub parent: Option<TaskId>,
    /// All tasks that must be completed first, in the order they were added.
    pub blockers: Vec<TaskId>,
    /// The blockers that are not completed yet.
    pub open_blockers: Vec<TaskId>,
    /// The outcome, as text.
    pub result: Option<String>,
    /// The worker who has it, and until when.
    pub claim: Option<Claim>,
    /// When it was created.
    pub created: Time,
    /// When it last changed.
    pub updated: Time,
    /// When a worker started it, if one has.
    pub started: Option<Time>,
    /// When it was completed or given up.
    pub finished: Option<Time>,
}

/// A worker's lease on a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The worker who has the task.
    pub worker: Worker,
    /// When the lease expires unless it is renewed; then the task is free again.
    pub until: Time,
}

/// A task to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// The list it is added to.
    pub list: ListName,
    /// What is to be done.
    pub description: String,
    /// Higher priorities are offered first.
    pub priority: Priority,
    /// The task that it is a part of.
    pub parent: Option<TaskId>,
    /// The tasks it waits for.
    pub blockers: Vec<TaskId>,
}

/// A change to a task; a field that is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskEdit {
    /// The new description of the task.
    pub description: Option<String>,
    /// A new status; times and claim follow it.
    pub status: Option<StoredTaskStatus>,
    /// The new priority of the task.
    pub priority: Option<Priority>,
    /// Another parent; the inner `None` removes it.
    pub parent: Option<Option<TaskId>>,
    /// The outcome, as text.
    pub result: Option<String>,
    /// The worker who makes the change; required if the task is claimed.
    pub worker: Option<Worker>,
}

/// Which tasks a query asks for; the default is all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// On this list; on all lists if `None`.
    pub list: Option<ListName>,
    /// Any of these statuses; all if empty.
    pub statuses: Vec<StoredTaskStatus>,
    /// Any of these priorities; all if empty.
    pub priorities: Vec<Priority>,
    /// The direct parts of this task.
    pub parent: Option<TaskId>,
    /// Claimed by this worker now.
    pub worker: Option<Worker>,
    /// With this text in the description, ignoring case.
    pub contains: Option<String>,
}

/// One change of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEvent {
    /// When the change was made.
    pub at: Time,
    /// The worker who made it, if one was given.
    pub worker: Option<Worker>,
    /// What happened to the task.
    pub action: TaskAction,
    /// Details of the change, as text.
    pub detail: Option<String>,
}

/// The kinds of changes of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskAction {
    /// A caller created the task.
    Created,
    /// Its description, priority, parent or result changed.
    Updated,
    /// A worker started it without a claim.
    Started,
    /// A worker completed the task.
    Completed,
    /// A worker gave up the task.
    Failed,
    /// It was set to pending again.
    Reopened,
    /// A worker claimed the task.
    Claimed,
    /// Its worker extended the lease.
    Renewed,
    /// Its worker released it, or the lease expired.
    Released,
    /// A blocker was added to it.
    BlockerAdded,
    /// A blocker was removed from it.
    BlockerRemoved,
}

impl TaskAction {
    /// Every action there is.
    pub const ALL: [Self; 11] = [
        Self::Created,
        Self::Updated,
        Self::Started,
        Self::Completed,
        Self::Failed,
        Self::Reopened,
        Self::Claimed,
        Self::Renewed,
        Self::Released,
        Self::BlockerAdded,
        Self::BlockerRemoved,
    ];

    /// The word in histories.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Started => "started",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Reopened => "reopened",
            Self::Claimed => "claimed",
            Self::Renewed => "renewed",
            Self::Released => "released",
            Self::BlockerAdded => "blocker_added",
            Self::BlockerRemoved => "blocker_removed",
        }
    }

    /// Reads the word that `as_str` writes.
    pub fn parse(raw: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == raw)
    }
}

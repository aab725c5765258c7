//! A task, and the names and words that place it: ids, lists, workers, statuses, priorities.
//!
//! Services make these from what callers send.

use crate::owner::Owner;
use crate::time::Time;
use std::{fmt, io};

/// A task's name: `task_` and ten of `[a-z0-9]`, made at random.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(Box<str>);

impl TaskId {
    /// A new id, which nobody can guess.
    pub fn random() -> io::Result<Self> {
        Ok(Self(crate::random::random_id("task_", 10)?.into()))
    }

    /// Takes an id somebody gave us; one that cannot exist is simply not found later.
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

/// Which list a task is on: a project's, or one that somebody named.
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

/// Who works on a task: what an agent calls itself.
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

/// Where a task is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoredTaskStatus {
    /// Nobody has begun it, or its claim has ended.
    Pending,
    /// Somebody works on it.
    InProgress,
    /// It is done, and blocks nothing any more.
    Completed,
    /// It was given up, and still blocks what waits for it.
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

/// How much it matters. Higher comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Priority {
    /// Offered after everything else.
    Low,
    /// What a task has if nobody says otherwise.
    #[default]
    Normal,
    /// Before what is normal.
    High,
    /// Offered before everything else.
    Urgent,
}

impl Priority {
    /// All of them, least first.
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

/// Whose tasks are asked about, and when. A lease that has ended by then has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskAccess {
    /// Whose tasks are seen and changed.
    pub owner: Owner,
    /// The time that leases are compared with.
    pub now: Time,
}

/// A task as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTask {
    /// Unique among the owner's tasks.
    pub id: TaskId,
    /// Which list it is on.
    pub list: ListName,
    /// What is to be done.
    pub description: String,
    /// Where it is in its life.
    pub status: StoredTaskStatus,
    /// How much it matters.
    pub priority: Priority,
    /// What it is a part of.
    pub parent: Option<TaskId>,
    /// All tasks that must be completed first, in the order they were named.
    pub blockers: Vec<TaskId>,
    /// Those of them that are not completed yet.
    pub open_blockers: Vec<TaskId>,
    /// What came of it.
    pub result: Option<String>,
    /// Who has it, and until when.
    pub claim: Option<Claim>,
    /// When it was made.
    pub created: Time,
    /// When it last changed.
    pub updated: Time,
    /// When somebody began it, if anybody has.
    pub started: Option<Time>,
    /// When it was completed or given up.
    pub finished: Option<Time>,
}

/// Who has a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The worker who has it.
    pub worker: Worker,
    /// Until when, unless renewed. Then it is free again.
    pub until: Time,
}

/// A task to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// The list it goes on.
    pub list: ListName,
    /// What is to be done.
    pub description: String,
    /// How much it matters.
    pub priority: Priority,
    /// A part of what.
    pub parent: Option<TaskId>,
    /// The tasks it waits for.
    pub blockers: Vec<TaskId>,
}

/// What to change of a task; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskEdit {
    /// A new text of what is to be done.
    pub description: Option<String>,
    /// Another status; the times go with it.
    pub status: Option<StoredTaskStatus>,
    /// How much it matters from now on.
    pub priority: Option<Priority>,
    /// Another parent; the inner `None` removes it.
    pub parent: Option<Option<TaskId>>,
    /// What came of it.
    pub result: Option<String>,
    /// Who changes it; needed where somebody has claimed it.
    pub worker: Option<Worker>,
}

/// Which tasks are meant; the default means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// On this list; on all if `None`.
    pub list: Option<ListName>,
    /// Any of these; all if empty.
    pub statuses: Vec<StoredTaskStatus>,
    /// Any of these; all if empty.
    pub priorities: Vec<Priority>,
    /// Parts of this one, directly.
    pub parent: Option<TaskId>,
    /// Claimed by this worker now.
    pub worker: Option<Worker>,
    /// With this text in the description, in any case.
    pub contains: Option<String>,
}

/// One change of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEvent {
    /// When the change was made.
    pub at: Time,
    /// By whom, if that was said.
    pub worker: Option<Worker>,
    /// What happened to the task.
    pub action: TaskAction,
    /// More about it, in words.
    pub detail: Option<String>,
}

/// What can happen to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskAction {
    /// Somebody made the task.
    Created,
    /// Its words, its priority, its parent or its result changed.
    Updated,
    /// Somebody began without claiming it.
    Started,
    /// Somebody completed the task.
    Completed,
    /// It was given up.
    Failed,
    /// It is to be done, again or still.
    Reopened,
    /// A worker took it.
    Claimed,
    /// Its worker keeps it for longer.
    Renewed,
    /// Its worker gave it back, or had it for too long.
    Released,
    /// It waits for one more.
    BlockerAdded,
    /// It waits for one less.
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

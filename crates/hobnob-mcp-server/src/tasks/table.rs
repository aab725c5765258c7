//! The tasks that are kept, each by its id and under its owner. Only `Tasks` uses it, under its
//! lock.
//!
//! An owner's tasks are found without looking at anyone else's. A task whose time is over counts
//! as absent, whether it has been swept out already or not.

use super::detail;
use super::keeper::KeptTask;
use super::view::{RunBy, TaskView};
use hobnob_mcp_engine::{Answer, CallError, Caller, Refusable, TaskOwner, TaskRecord, TaskStatus};
use hobnob_mcp_types::input::{InputRequest, InputRequests};
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::watch;
use tokio::time::Instant;

pub(super) struct Table {
    entries: HashMap<Box<str>, Entry>,
    /// The ids of each owner who has any.
    owners: HashMap<Option<Arc<str>>, BTreeSet<Box<str>>>,
    most: usize,
    most_per_owner: usize,
}

pub(super) struct Entry {
    pub(super) record: TaskRecord,
    pub(super) owner: TaskOwner,
    /// The tool whose call it is.
    pub(super) tool: Box<str>,
    pub(super) phase: Phase,
    /// Tells whoever drives the task to stop. So does its end, when the task is forgotten.
    pub(super) stop: watch::Sender<Option<Stop>>,
    /// Counts changes, so that a waiter misses none.
    pub(super) changes: watch::Sender<u64>,
    /// What the time to live is measured from: the clock on the wall may be set meanwhile.
    pub(super) begun: Instant,
}

/// Why a task that is still kept should stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Cancelled,
    ShutDown,
}

/// What a task is doing; its status follows from it.
pub(super) enum Phase {
    /// Not recorded yet, so nobody may see it.
    Starting,
    Working,
    /// Questions still open, and the answers to those of this round that are not.
    Waiting {
        open: InputRequests,
        given: BTreeMap<Box<str>, Box<RawValue>>,
        refusable: Refusable,
    },
    Ended(Arc<TaskEnd>),
}

/// How a task ended.
#[derive(Debug)]
pub(crate) enum TaskEnd {
    Answer(Answer),
    Error(CallError),
    Cancelled,
    /// Nobody knows: its process was stopped. In words.
    Lost(Box<str>),
}

impl TaskEnd {
    /// The error that this caller is told, if it ended with one.
    pub(crate) fn error(&self, caller: &Caller) -> Option<RpcError> {
        match self {
            Self::Error(error) => Some(error.to_rpc(caller)),
            Self::Lost(text) => Some(detail::lost(text)),
            Self::Answer(_) | Self::Cancelled => None,
        }
    }
}

impl Table {
    pub(super) fn new(most: usize, most_per_owner: usize) -> Self {
        // With no place at all for an owner, nobody could ever start a task.
        let most_per_owner = most_per_owner.max(1);
        Self { entries: HashMap::new(), owners: HashMap::new(), most, most_per_owner }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Everything that is kept.
    pub(super) fn all(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// A task, whoever's it is and however old.
    pub(super) fn any(&mut self, id: &str) -> Option<&mut Entry> {
        self.entries.get_mut(id)
    }

    /// A task, if it is this owner's, may be seen and its time is not over.
    pub(super) fn of(&mut self, owner: &TaskOwner, id: &str) -> Option<&mut Entry> {
        let now = Instant::now();
        let entry = self.entries.get_mut(id)?;
        (entry.owner == *owner && entry.is_shown(now)).then_some(entry)
    }

    /// All tasks of an owner that may be seen and whose time is not over, by id.
    pub(super) fn all_of(&self, owner: &TaskOwner) -> impl Iterator<Item = &Entry> {
        let now = Instant::now();
        let ids = self.owners.get(&owner.0).into_iter().flatten();
        ids.filter_map(|id| self.entries.get(id)).filter(move |entry| entry.is_shown(now))
    }

    /// Takes a task in, if there is room or room can be made.
    pub(super) fn insert(&mut self, entry: Entry) -> Result<(), CallError> {
        self.sweep();
        let mine = self.owners.get(&entry.owner.0).map_or(0, BTreeSet::len);
        if mine >= self.most_per_owner || self.entries.len() >= self.most {
            // Nobody loses a result to somebody else who could give up one of their own.
            let own = oldest_ended(self.all_of(&entry.owner));
            let others = || oldest_ended(self.all()).filter(|_| mine < self.most_per_owner);
            let Some(id) = own.or_else(others) else {
                let message = "too many tasks are running; try again later";
                return Err(CallError::Other(RpcError::new(ErrorCode::BUSY, message)));
            };
            self.remove(&id);
        }
        let id = entry.record.id.clone();
        self.owners.entry(entry.owner.0.clone()).or_default().insert(id.clone());
        self.entries.insert(id, entry);
        Ok(())
    }

    /// Stops and forgets a task.
    pub(super) fn remove(&mut self, id: &str) {
        let Some(entry) = self.entries.remove(id) else { return };
        if let Some(ids) = self.owners.get_mut(&entry.owner.0) {
            ids.remove(id);
            if ids.is_empty() {
                self.owners.remove(&entry.owner.0);
            }
        }
    }

    /// Stops and forgets all tasks of an owner.
    pub(super) fn forget(&mut self, owner: &TaskOwner) {
        for id in self.owners.remove(&owner.0).into_iter().flatten() {
            self.remove(&id);
        }
    }

    /// Stops and forgets the tasks whose time is over.
    fn sweep(&mut self) {
        let now = Instant::now();
        let over = self.entries.iter().filter(|(_, entry)| !entry.is_kept(now));
        let over: Vec<_> = over.map(|(id, _)| id.clone()).collect();
        for id in over {
            self.remove(&id);
        }
    }
}

fn oldest_ended<'a>(entries: impl Iterator<Item = &'a Entry>) -> Option<Box<str>> {
    let ended = entries.filter(|entry| entry.record.status.is_terminal());
    ended.min_by_key(|entry| entry.record.updated).map(|entry| entry.record.id.clone())
}

impl Phase {
    /// Waits for the answers to these questions, but for those that are given already.
    pub(super) fn waiting(
        mut open: InputRequests,
        refusable: Refusable,
        given: BTreeMap<Box<str>, Box<RawValue>>,
    ) -> Self {
        // Nobody could answer a question of a kind we do not know.
        open.0.retain(|key, request| {
            !matches!(request, InputRequest::Unknown(_)) && !given.contains_key(key)
        });
        Self::Waiting { open, given, refusable }
    }

    pub(super) fn ended(end: TaskEnd) -> Self {
        Self::Ended(Arc::new(end))
    }

    fn status(&self) -> TaskStatus {
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

    fn message(&self) -> Option<String> {
        match self {
            Self::Ended(end) => match &**end {
                TaskEnd::Lost(text) => Some(text.to_string()),
                TaskEnd::Answer(_) | TaskEnd::Error(_) | TaskEnd::Cancelled => None,
            },
            Self::Starting | Self::Working | Self::Waiting { .. } => None,
        }
    }
}

impl Entry {
    pub(super) fn view(&self) -> TaskView {
        let (open, refusable, end) = match &self.phase {
            Phase::Starting | Phase::Working => (None, Refusable::No, None),
            Phase::Waiting { open, refusable, .. } => (Some(open.clone()), *refusable, None),
            Phase::Ended(end) => (None, Refusable::No, Some(Arc::clone(end))),
        };
        let (record, run_by) = (self.record.clone(), RunBy::Us(self.changes.subscribe()));
        TaskView { record, open, refusable, end, run_by }
    }

    /// What is kept of the task once it is in this phase, but for the phase's own detail.
    pub(super) fn kept(&self, phase: &Phase, now: SystemTime, instance: &str) -> KeptTask {
        KeptTask {
            id: self.record.id.clone(),
            owner: self.owner.clone(),
            instance: instance.into(),
            tool: self.tool.clone(),
            status: phase.status(),
            message: phase.message(),
            created: self.record.created,
            updated: now,
            ttl: self.record.ttl,
            detail: None,
        }
    }

    /// Goes on to this phase.
    pub(super) fn enter(&mut self, phase: Phase, now: SystemTime) {
        self.record.status = phase.status();
        self.record.message = phase.message();
        self.phase = phase;
        self.touch(now);
    }

    pub(super) fn touch(&mut self, now: SystemTime) {
        self.record.updated = now;
        self.changes.send_modify(|count| *count += 1);
    }

    fn is_shown(&self, now: Instant) -> bool {
        !matches!(self.phase, Phase::Starting) && self.is_kept(now)
    }

    fn is_kept(&self, now: Instant) -> bool {
        // One that nobody has seen yet is not over.
        matches!(self.phase, Phase::Starting) || now.duration_since(self.begun) < self.record.ttl
    }
}

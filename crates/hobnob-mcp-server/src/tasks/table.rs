//! The tasks that are kept, each by its id and under its owner. Only `Tasks` uses it, under its
//! lock.
//!
//! An owner's tasks are found without looking at anyone else's. A task whose time is over counts
//! as absent, whether it has been swept out already or not.

use futures_util::future::AbortHandle;
use mcp_engine::{Answer, CallError, Refusable, TaskOwner, TaskRecord, TaskStatus};
use mcp_types::input::{InputRequest, InputRequests};
use mcp_types::{ErrorCode, RpcError};
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
    pub(super) phase: Phase,
    pub(super) abort: AbortHandle,
    /// Counts changes, so that a waiter misses none.
    pub(super) changes: watch::Sender<u64>,
    /// What the time to live is measured from: the clock on the wall may be set meanwhile.
    pub(super) begun: Instant,
}

/// What a task is doing; its status follows from it.
pub(super) enum Phase {
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
}

/// A task as its owner may see it.
pub(crate) struct TaskView {
    pub(crate) record: TaskRecord,
    pub(crate) open: Option<InputRequests>,
    /// Whether the task wants to hear that a question stays without an answer.
    pub(crate) refusable: Refusable,
    pub(crate) end: Option<Arc<TaskEnd>>,
    pub(crate) changes: watch::Receiver<u64>,
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

    /// A task, if it is this owner's and its time is not over.
    pub(super) fn of(&mut self, owner: &TaskOwner, id: &str) -> Option<&mut Entry> {
        let now = Instant::now();
        let entry = self.entries.get_mut(id)?;
        (entry.owner == *owner && entry.is_kept(now)).then_some(entry)
    }

    /// All tasks of an owner whose time is not over, by id.
    pub(super) fn all_of(&self, owner: &TaskOwner) -> impl Iterator<Item = &Entry> {
        let now = Instant::now();
        let ids = self.owners.get(&owner.0).into_iter().flatten();
        ids.filter_map(|id| self.entries.get(id)).filter(move |entry| entry.is_kept(now))
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
        entry.abort.abort();
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

impl Entry {
    pub(super) fn view(&self) -> TaskView {
        let (open, refusable, end) = match &self.phase {
            Phase::Working => (None, Refusable::No, None),
            Phase::Waiting { open, refusable, .. } => (Some(open.clone()), *refusable, None),
            Phase::Ended(end) => (None, Refusable::No, Some(Arc::clone(end))),
        };
        let (record, changes) = (self.record.clone(), self.changes.subscribe());
        TaskView { record, open, refusable, end, changes }
    }

    /// Waits for the answers to these questions, but for those that are given already.
    pub(super) fn wait_for(
        &mut self,
        mut open: InputRequests,
        refusable: Refusable,
        given: BTreeMap<Box<str>, Box<RawValue>>,
    ) {
        // Nobody could answer a question of a kind we do not know.
        open.0.retain(|key, request| {
            !matches!(request, InputRequest::Unknown(_)) && !given.contains_key(key)
        });
        self.phase = Phase::Waiting { open, given, refusable };
        self.record.status = TaskStatus::InputRequired;
        self.touch();
    }

    pub(super) fn resume(&mut self) {
        self.phase = Phase::Working;
        self.record.status = TaskStatus::Working;
        self.touch();
    }

    pub(super) fn end(&mut self, end: TaskEnd) {
        self.record.status = match &end {
            TaskEnd::Answer(_) => TaskStatus::Completed,
            TaskEnd::Error(_) => TaskStatus::Failed,
            TaskEnd::Cancelled => TaskStatus::Cancelled,
        };
        self.phase = Phase::Ended(Arc::new(end));
        self.touch();
    }

    pub(super) fn touch(&mut self) {
        self.record.updated = SystemTime::now();
        self.changes.send_modify(|count| *count += 1);
    }

    fn is_kept(&self, now: Instant) -> bool {
        now.duration_since(self.begun) < self.record.ttl
    }
}

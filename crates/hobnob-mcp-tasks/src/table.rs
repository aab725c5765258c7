//! The tasks this process has, each by its id and under its owner. Only `Tasks` uses the table,
//! under its lock.
//!
//! An owner's tasks are found without looking at anyone else's. An expired task counts as absent,
//! whether it has been removed already or not.

use crate::phase::TaskPhase;
use crate::store::PersistedTask;
use crate::view::{RunBy, TaskView};
use hobnob_mcp_engine::{CallError, Refusable, TaskOwner, TaskRecord};
use hobnob_mcp_types::{ErrorCode, RpcError};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::watch;
use tokio::time::Instant;

pub(crate) struct TaskTable {
    entries: HashMap<Box<str>, Entry>,
    /// The ids of each owner who has any.
    owners: HashMap<Option<Arc<str>>, BTreeSet<Box<str>>>,
    max_tasks: usize,
    max_per_owner: usize,
}

pub(crate) struct Entry {
    pub(crate) record: TaskRecord,
    pub(crate) owner: TaskOwner,
    /// The tool whose call it is.
    pub(crate) tool: Box<str>,
    pub(crate) phase: TaskPhase,
    /// Tells the task's driver to stop. Dropping it with the entry says the same.
    pub(crate) stop: watch::Sender<Option<Stop>>,
    /// Counts changes, so that a waiter misses none.
    pub(crate) changes: watch::Sender<u64>,
    /// What the time to live is measured from: the clock on the wall may be set meanwhile.
    pub(crate) begun: Instant,
}

/// Why a task that is still in the table has to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Cancelled,
    ShutDown,
}

impl TaskTable {
    pub(crate) fn new(max_tasks: usize, max_per_owner: usize) -> Self {
        // With no place at all for an owner, nobody could ever start a task.
        let max_per_owner = max_per_owner.max(1);
        Self { entries: HashMap::new(), owners: HashMap::new(), max_tasks, max_per_owner }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Every entry, expired or not.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// A task of any owner, expired or not.
    pub(crate) fn any(&mut self, id: &str) -> Option<&mut Entry> {
        self.entries.get_mut(id)
    }

    /// A task of this owner that may be seen and has not expired.
    pub(crate) fn of(&mut self, owner: &TaskOwner, id: &str) -> Option<&mut Entry> {
        let now = Instant::now();
        let entry = self.entries.get_mut(id)?;
        (entry.owner == *owner && entry.is_shown(now)).then_some(entry)
    }

    /// All tasks of an owner that may be seen and have not expired, in the order of their ids.
    pub(crate) fn all_of(&self, owner: &TaskOwner) -> impl Iterator<Item = &Entry> {
        let now = Instant::now();
        let ids = self.owners.get(&owner.0).into_iter().flatten();
        ids.filter_map(|id| self.entries.get(id)).filter(move |entry| entry.is_shown(now))
    }

    /// Adds a task. In a full table it takes the place of an ended one.
    pub(crate) fn insert(&mut self, entry: Entry) -> Result<(), CallError> {
        self.sweep();
        let mine = self.owners.get(&entry.owner.0).map_or(0, BTreeSet::len);
        if mine >= self.max_per_owner || self.entries.len() >= self.max_tasks {
            // Nobody loses a result to somebody else who could give up one of their own.
            let own = oldest_ended(self.all_of(&entry.owner));
            let others = || oldest_ended(self.all()).filter(|_| mine < self.max_per_owner);
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
    pub(crate) fn remove(&mut self, id: &str) {
        let Some(entry) = self.entries.remove(id) else { return };
        if let Some(ids) = self.owners.get_mut(&entry.owner.0) {
            ids.remove(id);
            if ids.is_empty() {
                self.owners.remove(&entry.owner.0);
            }
        }
    }

    /// Stops and forgets all tasks of an owner.
    pub(crate) fn forget(&mut self, owner: &TaskOwner) {
        for id in self.owners.remove(&owner.0).into_iter().flatten() {
            self.remove(&id);
        }
    }

    /// Stops and forgets expired tasks.
    fn sweep(&mut self) {
        let now = Instant::now();
        let expired = self.entries.iter().filter(|(_, entry)| entry.is_expired(now));
        let expired: Vec<_> = expired.map(|(id, _)| id.clone()).collect();
        for id in expired {
            self.remove(&id);
        }
    }
}

fn oldest_ended<'a>(entries: impl Iterator<Item = &'a Entry>) -> Option<Box<str>> {
    let ended = entries.filter(|entry| entry.record.status.is_terminal());
    ended.min_by_key(|entry| entry.record.updated).map(|entry| entry.record.id.clone())
}

impl Entry {
    pub(crate) fn view(&self) -> TaskView {
        let (open, refusable, end) = match &self.phase {
            TaskPhase::Starting | TaskPhase::Working => (None, Refusable::No, None),
            TaskPhase::Waiting { open, refusable, .. } => (Some(open.clone()), *refusable, None),
            TaskPhase::Ended(end) => (None, Refusable::No, Some(Arc::clone(end))),
        };
        let (record, run_by) = (self.record.clone(), RunBy::ThisProcess(self.changes.subscribe()));
        TaskView { record, open, refusable, end, run_by }
    }

    /// What a store has to hold of the task in this phase, without the phase's own detail.
    pub(crate) fn persisted(
        &self,
        phase: &TaskPhase,
        now: SystemTime,
        instance: &str,
    ) -> PersistedTask {
        PersistedTask {
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
    pub(crate) fn enter(&mut self, phase: TaskPhase, now: SystemTime) {
        self.record.status = phase.status();
        self.record.message = phase.message();
        self.phase = phase;
        self.touch(now);
    }

    pub(crate) fn touch(&mut self, now: SystemTime) {
        self.record.updated = now;
        self.changes.send_modify(|count| *count += 1);
    }

    fn is_shown(&self, now: Instant) -> bool {
        !matches!(self.phase, TaskPhase::Starting) && !self.is_expired(now)
    }

    fn is_expired(&self, now: Instant) -> bool {
        // A task that nobody has seen yet does not expire.
        !matches!(self.phase, TaskPhase::Starting)
            && now.duration_since(self.begun) >= self.record.ttl
    }
}

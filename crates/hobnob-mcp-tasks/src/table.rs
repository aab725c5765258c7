//! The tasks of this process, by id and by owner. Only `Tasks` uses the table, under its lock.
//!
//! Finding an owner's tasks does not visit those of other owners. An expired task counts as absent,
//! even before it is removed.

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
    /// The ids of each owner's tasks; owners without tasks have no entry.
    owners: HashMap<Option<Arc<str>>, BTreeSet<Box<str>>>,
    max_tasks: usize,
    max_per_owner: usize,
}

pub(crate) struct Entry {
    pub(crate) record: TaskRecord,
    pub(crate) owner: TaskOwner,
    /// The tool that was called.
    pub(crate) tool: Box<str>,
    pub(crate) phase: TaskPhase,
    /// Tells the task's driver to stop. Dropping the sender with the entry stops it too.
    pub(crate) stop: watch::Sender<Option<Stop>>,
    /// Counts changes, so that a waiter misses none.
    pub(crate) changes: watch::Sender<u64>,
    /// The start of the time to live: a monotonic clock, because the system time may be set.
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
        // A limit of zero would mean that no task could ever start.
        let max_per_owner = max_per_owner.max(1);
        Self { entries: HashMap::new(), owners: HashMap::new(), max_tasks, max_per_owner }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// All entries, expired or not.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// The task with this id, of any owner, expired or not.
    pub(crate) fn entry(&mut self, id: &str) -> Option<&mut Entry> {
        self.entries.get_mut(id)
    }

    /// The task with this id, if it is visible to this owner and has not expired.
    pub(crate) fn entry_of(&mut self, owner: &TaskOwner, id: &str) -> Option<&mut Entry> {
        let now = Instant::now();
        let entry = self.entries.get_mut(id)?;
        (entry.owner == *owner && entry.is_shown(now)).then_some(entry)
    }

    /// The visible tasks of an owner that have not expired, sorted by id.
    pub(crate) fn all_of(&self, owner: &TaskOwner) -> impl Iterator<Item = &Entry> {
        let now = Instant::now();
        let ids = self.owners.get(&owner.0).into_iter().flatten();
        ids.filter_map(|id| self.entries.get(id)).filter(move |entry| entry.is_shown(now))
    }

    /// Adds a task. If the table is full, the task replaces an ended one.
    pub(crate) fn insert(&mut self, entry: Entry) -> Result<(), CallError> {
        self.sweep();
        let mine = self.owners.get(&entry.owner.0).map_or(0, BTreeSet::len);
        if mine >= self.max_per_owner || self.entries.len() >= self.max_tasks {
            // An owner at its limit replaces a task of its own, so that others lose no results to
            // it.
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

    /// Stops a task and drops it.
    pub(crate) fn remove(&mut self, id: &str) {
        let Some(entry) = self.entries.remove(id) else { return };
        if let Some(ids) = self.owners.get_mut(&entry.owner.0) {
            ids.remove(id);
            if ids.is_empty() {
                self.owners.remove(&entry.owner.0);
            }
        }
    }

    /// Stops all tasks of an owner and drops them.
    pub(crate) fn forget(&mut self, owner: &TaskOwner) {
        for id in self.owners.remove(&owner.0).into_iter().flatten() {
            self.remove(&id);
        }
    }

    /// Stops expired tasks and drops them.
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

    /// The stored form of the task in this phase, without the detail.
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

    /// Moves to this phase.
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
        // A task that is not visible yet does not expire.
        !matches!(self.phase, TaskPhase::Starting)
            && now.duration_since(self.begun) >= self.record.ttl
    }
}

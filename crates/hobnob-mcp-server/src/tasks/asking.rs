//! What the owner of a task may ask about it, whichever process runs it.
//!
//! What this process runs is in the table. Of the rest, a keeper tells what was written last.

use super::Tasks;
use super::table::{Phase, Stop, TaskEnd};
use super::view::TaskView;
use hobnob_mcp_engine::{CallError, TaskOwner, TaskRecord, TaskStatus};
use hobnob_mcp_types::RpcError;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::time::SystemTime;
use tokio::sync::watch;

/// What became of the wish to cancel a task.
pub(crate) enum Cancelled {
    /// It is cancelled.
    Now(TaskRecord),
    /// It had ended before.
    TooLate(TaskRecord),
}

/// Where that wish got at once.
enum Stopping {
    Done(Cancelled),
    /// Its leader has been told; here it is heard of.
    Begun(watch::Receiver<u64>),
}

impl Tasks {
    /// A task, if it is this owner's, whichever process runs it.
    pub(crate) async fn find(
        &self,
        id: &str,
        owner: &TaskOwner,
    ) -> Result<Option<TaskView>, CallError> {
        let here = self.view(id, owner);
        match self.keeping() {
            Some(keeping) if here.is_none() => keeping.view(id, owner).await,
            Some(_) | None => Ok(here),
        }
    }

    /// The tasks of an owner after an id, by id, at most so many.
    pub(crate) async fn list(
        &self,
        owner: &TaskOwner,
        after: Option<&str>,
        most: usize,
    ) -> Result<Vec<TaskRecord>, CallError> {
        let kept = match self.keeping() {
            Some(keeping) => keeping.list(owner, after, most).await?,
            None => Vec::new(),
        };
        let table = self.lock();
        let ours = table.all_of(owner).map(|entry| entry.record.clone());
        let ours = ours.filter(|record| after.is_none_or(|after| *record.id > *after));
        // What we run ourselves we know best.
        let all = kept.into_iter().chain(ours).map(|record| (record.id.clone(), record));
        let all: BTreeMap<_, _> = all.collect();
        Ok(all.into_values().take(most).collect())
    }

    /// Takes answers; keys that are not open are ignored. Whether there is such a task.
    pub(crate) async fn answer(
        &self,
        id: &str,
        owner: &TaskOwner,
        answers: BTreeMap<Box<str>, Box<RawValue>>,
    ) -> Result<bool, CallError> {
        if self.answer_here(id, owner, answers) {
            return Ok(true);
        }
        Ok(self.ended_elsewhere(id, owner).await?.is_some())
    }

    fn answer_here(
        &self,
        id: &str,
        owner: &TaskOwner,
        answers: BTreeMap<Box<str>, Box<RawValue>>,
    ) -> bool {
        let mut table = self.lock();
        let Some(entry) = table.of(owner, id) else { return false };
        if let Phase::Waiting { open, given, .. } = &mut entry.phase {
            let before = open.0.len();
            for (key, answer) in answers {
                if open.0.remove(&key).is_some() {
                    given.insert(key, answer);
                }
            }
            if open.0.len() != before {
                entry.touch(SystemTime::now());
            }
        }
        true
    }

    /// Stops a task if it still runs. `None` if there is no such task.
    pub(crate) async fn cancel(
        &self,
        id: &str,
        owner: &TaskOwner,
    ) -> Result<Option<Cancelled>, CallError> {
        match self.stop(id, owner) {
            Some(Stopping::Done(done)) => Ok(Some(done)),
            Some(Stopping::Begun(changes)) => Ok(self.stopped(id, owner, changes).await),
            None => Ok(self.ended_elsewhere(id, owner).await?.map(Cancelled::TooLate)),
        }
    }

    /// Has a task stopped that this process runs; `None` if there is no such task.
    fn stop(&self, id: &str, owner: &TaskOwner) -> Option<Stopping> {
        let mut table = self.lock();
        let entry = table.of(owner, id)?;
        if entry.record.status.is_terminal() {
            return Some(Stopping::Done(Cancelled::TooLate(entry.record.clone())));
        }
        entry.stop.send_replace(Some(Stop::Cancelled));
        if self.keeping().is_some() {
            return Some(Stopping::Begun(entry.changes.subscribe()));
        }
        // There is nothing to write first.
        entry.enter(Phase::ended(TaskEnd::Cancelled), SystemTime::now());
        let record = entry.record.clone();
        drop(table);
        self.published(id, owner.clone());
        Some(Stopping::Done(Cancelled::Now(record)))
    }

    /// Waits for whoever leads the task to end it; no wait of theirs is without an end.
    async fn stopped(
        &self,
        id: &str,
        owner: &TaskOwner,
        mut changes: watch::Receiver<u64>,
    ) -> Option<Cancelled> {
        loop {
            changes.changed().await.ok()?;
            let record = self.view(id, owner)?.record;
            match record.status {
                TaskStatus::Working | TaskStatus::InputRequired => {}
                TaskStatus::Cancelled => return Some(Cancelled::Now(record)),
                TaskStatus::Completed | TaskStatus::Failed => {
                    return Some(Cancelled::TooLate(record));
                }
            }
        }
    }

    /// A task that another process ran to its end. One that still runs there is out of reach.
    async fn ended_elsewhere(
        &self,
        id: &str,
        owner: &TaskOwner,
    ) -> Result<Option<TaskRecord>, CallError> {
        match self.find(id, owner).await? {
            Some(view) if !view.record.status.is_terminal() => {
                let message = format!(
                    "task `{id}` is run by another process of this server; \
                     only that one can take answers for it or cancel it"
                );
                Err(CallError::Other(RpcError::invalid_request(message)))
            }
            view => Ok(view.map(|view| view.record)),
        }
    }
}

//! The requests of a task's owner, no matter which process runs the task.
//!
//! `tasks/*` of both edges ends here. Tasks of this process are in the table; for all others, the
//! store has the last saved state.

use crate::end::TaskEnd;
use crate::phase::TaskPhase;
use crate::registry::Tasks;
use crate::table::Stop;
use crate::view::TaskView;
use hobnob_mcp_engine::{CallError, RoundAnswers, TaskOwner, TaskRecord, TaskStatus};
use hobnob_mcp_types::RpcError;
use std::collections::BTreeMap;
use std::time::SystemTime;
use tokio::sync::watch;

/// The result of a request to cancel a task.
pub enum Cancelled {
    /// The task was running and is cancelled now.
    Now(TaskRecord),
    /// The task had already ended.
    TooLate(TaskRecord),
}

/// The first step of a cancellation, which does not wait.
enum Stopping {
    Done(Cancelled),
    /// The task's driver has to save the end first; this counter changes once it has.
    Begun(watch::Receiver<u64>),
}

impl Tasks {
    /// Finds a task of this owner, no matter which process runs it.
    pub async fn find(&self, id: &str, owner: &TaskOwner) -> Result<Option<TaskView>, CallError> {
        let here = self.view(id, owner);
        match self.persistence() {
            Some(persistence) if here.is_none() => persistence.view(id, owner).await,
            Some(_) | None => Ok(here),
        }
    }

    /// At most `limit` tasks of an owner that come after an id, sorted by id.
    pub async fn list(
        &self,
        owner: &TaskOwner,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<TaskRecord>, CallError> {
        let stored = match self.persistence() {
            Some(persistence) => persistence.list(owner, after, limit).await?,
            None => Vec::new(),
        };
        let table = self.lock();
        let ours = table.all_of(owner).map(|entry| entry.record.clone());
        let ours = ours.filter(|record| after.is_none_or(|after| *record.id > *after));
        // This process's own tasks come last and win: the table is newer than the store.
        let all = stored.into_iter().chain(ours).map(|record| (record.id.clone(), record));
        let all: BTreeMap<_, _> = all.collect();
        Ok(all.into_values().take(limit).collect())
    }

    /// Passes answers on; ignores keys that are not open. `false` if there is no such task.
    pub async fn answer(
        &self,
        id: &str,
        owner: &TaskOwner,
        answers: RoundAnswers,
    ) -> Result<bool, CallError> {
        let task = OwnedTask { tasks: self, id, owner };
        if task.answer(answers) {
            return Ok(true);
        }
        Ok(task.ended_elsewhere().await?.is_some())
    }

    /// Stops a task if it is still running; `None` if there is no such task.
    pub async fn cancel(
        &self,
        id: &str,
        owner: &TaskOwner,
    ) -> Result<Option<Cancelled>, CallError> {
        let task = OwnedTask { tasks: self, id, owner };
        match task.stop() {
            Some(Stopping::Done(done)) => Ok(Some(done)),
            Some(Stopping::Begun(changes)) => Ok(task.stopped(changes).await),
            None => Ok(task.ended_elsewhere().await?.map(Cancelled::TooLate)),
        }
    }
}

/// A task as its owner names it. It may be a task of another process, or of none.
struct OwnedTask<'a> {
    tasks: &'a Tasks,
    id: &'a str,
    owner: &'a TaskOwner,
}

impl OwnedTask<'_> {
    /// Passes answers on to a task of this process; `false` if there is no such task.
    fn answer(&self, answers: RoundAnswers) -> bool {
        let mut table = self.tasks.lock();
        let Some(entry) = table.entry_of(self.owner, self.id) else { return false };
        if let TaskPhase::Waiting { open, given, .. } = &mut entry.phase {
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

    /// Signals a task of this process to stop; `None` if there is no such task.
    fn stop(&self) -> Option<Stopping> {
        let mut table = self.tasks.lock();
        let entry = table.entry_of(self.owner, self.id)?;
        if entry.record.status.is_terminal() {
            return Some(Stopping::Done(Cancelled::TooLate(entry.record.clone())));
        }
        entry.stop.send_replace(Some(Stop::Cancelled));
        if self.tasks.persistence().is_some() {
            return Some(Stopping::Begun(entry.changes.subscribe()));
        }
        // Without a store there is nothing to save first.
        entry.enter(TaskPhase::ended(TaskEnd::Cancelled), SystemTime::now());
        let record = entry.record.clone();
        drop(table);
        self.tasks.publish_change(self.id, self.owner.clone());
        Some(Stopping::Done(Cancelled::Now(record)))
    }

    /// Waits for the task's driver to end the task; each of the driver's steps has a deadline.
    async fn stopped(&self, mut changes: watch::Receiver<u64>) -> Option<Cancelled> {
        loop {
            changes.changed().await.ok()?;
            let record = self.tasks.view(self.id, self.owner)?.record;
            match record.status {
                TaskStatus::Working | TaskStatus::InputRequired => {}
                TaskStatus::Cancelled => return Some(Cancelled::Now(record)),
                TaskStatus::Completed | TaskStatus::Failed => {
                    return Some(Cancelled::TooLate(record));
                }
            }
        }
    }

    /// Finds an ended task of another process. One still running there is out of reach.
    async fn ended_elsewhere(&self) -> Result<Option<TaskRecord>, CallError> {
        let id = self.id;
        match self.tasks.find(id, self.owner).await? {
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

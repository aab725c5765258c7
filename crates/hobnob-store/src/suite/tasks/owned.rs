//! One owner's tasks at times given in seconds, for the cases of tasks.

use crate::memory::PageRequest;
use crate::owner::Owner;
use crate::suite::case_result::{CaseResult, Failed, equal};
use crate::tasks::{
    ListName, NewTask, Priority, StoredTask, StoredTaskStatus, TaskAccess, TaskAction, TaskEdit,
    TaskError, TaskEvent, TaskFilter, TaskId, TaskRepository, Worker,
};
use crate::time::Time;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

pub(super) type TasksUnderTest = Arc<dyn TaskRepository>;

/// The port with the owner and the clock filled in.
#[derive(Clone)]
pub(super) struct OwnedTasks {
    pub(super) tasks: TasksUnderTest,
    owner: Owner,
}

impl OwnedTasks {
    pub(super) fn new(tasks: TasksUnderTest) -> Self {
        Self { tasks, owner: Owner::named("ada") }
    }

    /// The tasks of another owner on the same backend.
    pub(super) fn of(&self, owner: &str) -> Self {
        Self { tasks: Arc::clone(&self.tasks), owner: Owner::named(owner) }
    }

    pub(super) fn at(&self, seconds: i64) -> TaskAccess {
        TaskAccess { owner: self.owner.clone(), now: time(seconds) }
    }

    /// Creates a task on the list `home` at that time.
    pub(super) async fn make(&self, seconds: i64, description: &str) -> Result<StoredTask, Failed> {
        Ok(self.tasks.create(self.at(seconds), new_task(description)).await?)
    }

    /// Creates a task that these tasks block.
    pub(super) async fn make_after(
        &self,
        seconds: i64,
        description: &str,
        blockers: &[&StoredTask],
    ) -> Result<StoredTask, Failed> {
        let blockers = ids(blockers);
        let new = NewTask { blockers, ..new_task(description) };
        Ok(self.tasks.create(self.at(seconds), new).await?)
    }

    pub(super) async fn get(&self, seconds: i64, task: &StoredTask) -> Result<StoredTask, Failed> {
        Ok(self.tasks.get(self.at(seconds), task.id.clone()).await?)
    }

    /// Sets a status without naming a worker.
    pub(super) async fn set(
        &self,
        seconds: i64,
        task: &StoredTask,
        status: StoredTaskStatus,
    ) -> Result<StoredTask, TaskError> {
        self.edit(seconds, task, TaskEdit { status: Some(status), ..TaskEdit::default() }).await
    }

    pub(super) async fn edit(
        &self,
        seconds: i64,
        task: &StoredTask,
        edit: TaskEdit,
    ) -> Result<StoredTask, TaskError> {
        self.tasks.update(self.at(seconds), task.id.clone(), edit).await
    }

    /// Claims the first ready task for a hundred seconds.
    pub(super) async fn claim(
        &self,
        seconds: i64,
        who: &str,
    ) -> Result<Option<StoredTask>, TaskError> {
        self.claim_of(seconds, None, TaskFilter::default(), who).await
    }

    /// Claims this task for a hundred seconds.
    pub(super) async fn claim_this(
        &self,
        seconds: i64,
        task: &StoredTask,
        who: &str,
    ) -> Result<Option<StoredTask>, TaskError> {
        self.claim_of(seconds, Some(&task.id), TaskFilter::default(), who).await
    }

    pub(super) async fn claim_of(
        &self,
        seconds: i64,
        which: Option<&TaskId>,
        filter: TaskFilter,
        who: &str,
    ) -> Result<Option<StoredTask>, TaskError> {
        let (access, lease) = (self.at(seconds), Duration::from_secs(100));
        self.tasks.claim(access, which.cloned(), filter, Worker::new(who), lease).await
    }

    pub(super) async fn block(
        &self,
        seconds: i64,
        task: &StoredTask,
        blocker: &StoredTask,
    ) -> Result<StoredTask, TaskError> {
        let (id, blocker) = (task.id.clone(), blocker.id.clone());
        self.tasks.add_blocker(self.at(seconds), id, blocker).await
    }

    /// The descriptions of all tasks that match.
    pub(super) async fn listed(
        &self,
        seconds: i64,
        filter: TaskFilter,
    ) -> Result<Vec<String>, Failed> {
        let page = PageRequest { after: None, limit: 1_000 };
        let part = self.tasks.list(self.at(seconds), filter, page).await?;
        Ok(descriptions(&part.items))
    }

    /// The descriptions of all ready tasks.
    pub(super) async fn ready(&self, seconds: i64) -> Result<Vec<String>, Failed> {
        let filter = TaskFilter::default();
        Ok(descriptions(&self.tasks.ready(self.at(seconds), filter, 1_000).await?))
    }

    pub(super) async fn history(
        &self,
        seconds: i64,
        task: &StoredTask,
    ) -> Result<Vec<TaskEvent>, Failed> {
        Ok(self.tasks.history(self.at(seconds), task.id.clone()).await?)
    }
}

/// A task of the list `home` without parent and blockers.
#[must_use]
pub fn new_task(description: &str) -> NewTask {
    NewTask {
        list: ListName::new("home"),
        description: description.into(),
        priority: Priority::Normal,
        parent: None,
        blockers: Vec::new(),
    }
}

pub(super) fn time(seconds: i64) -> Time {
    Time::from_millis(seconds * 1_000)
}

pub(super) fn ids(tasks: &[&StoredTask]) -> Vec<TaskId> {
    tasks.iter().map(|task| task.id.clone()).collect()
}

pub(super) fn descriptions(tasks: &[StoredTask]) -> Vec<String> {
    tasks.iter().map(|task| task.description.clone()).collect()
}

/// An expected event of a history.
pub(super) fn event(
    seconds: i64,
    who: Option<&str>,
    action: TaskAction,
    detail: Option<&str>,
) -> TaskEvent {
    let (worker, detail) = (who.map(Worker::new), detail.map(str::to_owned));
    TaskEvent { at: time(seconds), worker, action, detail }
}

/// Fails unless the operation was refused with these words.
pub(super) fn refused<T: Debug>(found: Result<T, TaskError>, words: &str) -> CaseResult {
    match found {
        Err(error) => equal(&*error.to_string(), words, "the refusal"),
        Ok(done) => Err(Failed::because(format!("done, not refused with `{words}`: {done:?}"))),
    }
}

/// Fails unless a task was claimed.
pub(super) fn some(claimed: Option<StoredTask>) -> Result<StoredTask, Failed> {
    claimed.ok_or_else(|| Failed::because("nothing was claimed"))
}

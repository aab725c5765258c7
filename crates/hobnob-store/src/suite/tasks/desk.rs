//! What cases ask with: one owner's tasks, at times that are given in seconds.

use crate::memory::Page;
use crate::owner::Owner;
use crate::suite::verdict::{Failed, Verdict, equal};
use crate::tasks::{
    Action, ListName, NewTask, Priority, Step, Task, TaskEdit, TaskError, TaskFilter, TaskId,
    TaskReach, TaskStatus, Tasks, Worker,
};
use crate::time::Time;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

pub(super) type Store = Arc<dyn Tasks>;

/// One owner's tasks.
#[derive(Clone)]
pub(super) struct Desk {
    pub(super) tasks: Store,
    owner: Owner,
}

impl Desk {
    pub(super) fn new(tasks: Store) -> Self {
        Self { tasks, owner: Owner::named("ada") }
    }

    /// Somebody else's, on the same backend.
    pub(super) fn of(&self, owner: &str) -> Self {
        Self { tasks: Arc::clone(&self.tasks), owner: Owner::named(owner) }
    }

    pub(super) fn at(&self, seconds: i64) -> TaskReach {
        TaskReach { owner: self.owner.clone(), now: time(seconds) }
    }

    /// A task on the list `home`, made at that time.
    pub(super) async fn make(&self, seconds: i64, description: &str) -> Result<Task, Failed> {
        Ok(self.tasks.create(self.at(seconds), new(description)).await?)
    }

    /// A task that waits for these.
    pub(super) async fn make_after(
        &self,
        seconds: i64,
        description: &str,
        blockers: &[&Task],
    ) -> Result<Task, Failed> {
        let blockers = ids(blockers);
        let new = NewTask { blockers, ..new(description) };
        Ok(self.tasks.create(self.at(seconds), new).await?)
    }

    pub(super) async fn get(&self, seconds: i64, task: &Task) -> Result<Task, Failed> {
        Ok(self.tasks.get(self.at(seconds), task.id.clone()).await?)
    }

    /// Sets a status without saying who does.
    pub(super) async fn set(
        &self,
        seconds: i64,
        task: &Task,
        status: TaskStatus,
    ) -> Result<Task, TaskError> {
        self.edit(seconds, task, TaskEdit { status: Some(status), ..TaskEdit::default() }).await
    }

    pub(super) async fn edit(
        &self,
        seconds: i64,
        task: &Task,
        edit: TaskEdit,
    ) -> Result<Task, TaskError> {
        self.tasks.update(self.at(seconds), task.id.clone(), edit).await
    }

    /// Claims whatever is first, for a hundred seconds.
    pub(super) async fn claim(&self, seconds: i64, who: &str) -> Result<Option<Task>, TaskError> {
        self.claim_of(seconds, None, TaskFilter::default(), who).await
    }

    /// Claims this one, for a hundred seconds.
    pub(super) async fn claim_this(
        &self,
        seconds: i64,
        task: &Task,
        who: &str,
    ) -> Result<Option<Task>, TaskError> {
        self.claim_of(seconds, Some(&task.id), TaskFilter::default(), who).await
    }

    pub(super) async fn claim_of(
        &self,
        seconds: i64,
        which: Option<&TaskId>,
        filter: TaskFilter,
        who: &str,
    ) -> Result<Option<Task>, TaskError> {
        let (reach, lease) = (self.at(seconds), Duration::from_secs(100));
        self.tasks.claim(reach, which.cloned(), filter, Worker::new(who), lease).await
    }

    pub(super) async fn block(
        &self,
        seconds: i64,
        task: &Task,
        blocker: &Task,
    ) -> Result<Task, TaskError> {
        let (id, blocker) = (task.id.clone(), blocker.id.clone());
        self.tasks.add_blocker(self.at(seconds), id, blocker).await
    }

    /// What a list of everything that fits says, as descriptions.
    pub(super) async fn listed(
        &self,
        seconds: i64,
        filter: TaskFilter,
    ) -> Result<Vec<String>, Failed> {
        let page = Page { after: None, most: 1_000 };
        let part = self.tasks.list(self.at(seconds), filter, page).await?;
        Ok(descriptions(&part.items))
    }

    /// What is ready, as descriptions.
    pub(super) async fn ready(&self, seconds: i64) -> Result<Vec<String>, Failed> {
        let filter = TaskFilter::default();
        Ok(descriptions(&self.tasks.ready(self.at(seconds), filter, 1_000).await?))
    }

    pub(super) async fn history(&self, seconds: i64, task: &Task) -> Result<Vec<Step>, Failed> {
        Ok(self.tasks.history(self.at(seconds), task.id.clone()).await?)
    }
}

pub(super) fn new(description: &str) -> NewTask {
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

pub(super) fn ids(tasks: &[&Task]) -> Vec<TaskId> {
    tasks.iter().map(|task| task.id.clone()).collect()
}

pub(super) fn descriptions(tasks: &[Task]) -> Vec<String> {
    tasks.iter().map(|task| task.description.clone()).collect()
}

/// A step of a history that should be.
pub(super) fn step(seconds: i64, who: Option<&str>, action: Action, detail: Option<&str>) -> Step {
    let (worker, detail) = (who.map(Worker::new), detail.map(str::to_owned));
    Step { at: time(seconds), worker, action, detail }
}

/// Fails unless it was refused in these words.
pub(super) fn refused<T: Debug>(found: Result<T, TaskError>, words: &str) -> Verdict {
    match found {
        Err(error) => equal(&*error.to_string(), words, "the refusal"),
        Ok(done) => Err(Failed::because(format!("done, not refused with `{words}`: {done:?}"))),
    }
}

/// Fails unless a task was claimed.
pub(super) fn some(claimed: Option<Task>) -> Result<Task, Failed> {
    claimed.ok_or_else(|| Failed::because("nothing was claimed"))
}

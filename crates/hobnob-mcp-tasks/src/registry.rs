//! All tasks of one server: one table, one lock, never held across an `.await`.
//!
//! The edges look tasks up, and a task's driver moves it from phase to phase. An ended task is
//! dropped when it expires, or earlier for a new one: the new task's owner gives up its own first.

use crate::detail;
use crate::persistence::Persistence;
use crate::phase::TaskPhase;
use crate::store::{PersistedTask, TaskStore};
use crate::table::{Entry, Stop, TaskTable};
use crate::view::TaskView;
use hobnob_mcp_engine::{CallError, Change, ChangeHub, Limits, TaskOwner};
use hobnob_mcp_types::{ErrorCode, RpcError};
use parking_lot::{Mutex, MutexGuard};
use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};
use tokio_util::task::TaskTracker;

/// All tasks of one server.
#[derive(Clone)]
pub struct Tasks(Arc<Shared>);

struct Shared {
    table: Mutex<TaskTable>,
    /// Set if tasks outlive the process.
    persistence: OnceLock<Persistence>,
    hub: ChangeHub,
    tracker: TaskTracker,
    limits: TaskLimits,
}

/// The limits of one task.
pub(crate) struct TaskLimits {
    /// The longest time to live, and the default.
    pub(crate) max_ttl: Duration,
    /// How many rounds of questions it may take.
    pub(crate) ask_rounds: usize,
}

impl Tasks {
    /// An empty registry that publishes changes of tasks on `hub`.
    pub fn new(hub: ChangeHub, limits: &Limits) -> Self {
        Self(Arc::new(Shared {
            table: Mutex::new(TaskTable::new(limits.tasks, limits.tasks_per_owner)),
            persistence: OnceLock::new(),
            hub,
            tracker: TaskTracker::new(),
            limits: TaskLimits { max_ttl: limits.task_ttl, ask_rounds: limits.ask_rounds },
        }))
    }

    /// Stores all tasks from now on. Only the first call has an effect.
    pub fn store_in(&self, store: Arc<dyn TaskStore>) {
        if self.0.persistence.set(Persistence::new(store)).is_err() {
            tracing::error!("the server has a task store already; the second one is ignored");
        }
    }

    /// A task of this process, if it belongs to this owner.
    pub fn view(&self, id: &str, owner: &TaskOwner) -> Option<TaskView> {
        self.lock().entry_of(owner, id).map(|entry| entry.view())
    }

    /// The number of an owner's tasks that have not ended.
    pub fn running(&self, owner: &TaskOwner) -> usize {
        let table = self.lock();
        table.all_of(owner).filter(|entry| !entry.record.status.is_terminal()).count()
    }

    /// Stops and drops all tasks of an owner that is gone.
    pub fn forget(&self, owner: &TaskOwner) {
        self.lock().forget(owner);
    }

    /// Stops every task and waits for its driver. Starting a task fails from now on.
    pub async fn shut_down(&self) {
        self.0.tracker.close();
        for entry in self.lock().all() {
            entry.stop.send_replace(Some(Stop::ShutDown));
        }
        self.0.tracker.wait().await;
    }

    /// Adds a task; the caller must then pass its driver to [`Self::spawn`].
    pub(crate) fn insert(&self, entry: Entry) -> Result<(), CallError> {
        let mut table = self.lock();
        if self.0.tracker.is_closed() {
            // No code would stop this task.
            return Err(CallError::Other(RpcError::new(ErrorCode::BUSY, "the server is stopping")));
        }
        table.insert(entry)
    }

    pub(crate) fn spawn(&self, driver: impl Future<Output = ()> + Send + 'static) {
        self.0.tracker.spawn(driver);
    }

    /// Moves a task that has not ended to its next phase: first in the store, if there is one, then
    /// in the table, and then it is published. `None` if the task is gone.
    pub(crate) async fn advance(&self, id: &str, phase: TaskPhase) -> Option<()> {
        let now = SystemTime::now();
        if let Some(persistence) = self.persistence() {
            // A result may be large, so it is serialised before the table is locked.
            let detail = detail::write(&phase);
            let task = self.lock().entry(id)?.persisted(&phase, now, persistence.instance());
            persistence.try_save(PersistedTask { detail, ..task }).await;
        }
        let mut table = self.lock();
        let entry = table.entry(id)?;
        if !entry.record.status.is_terminal() {
            entry.enter(phase, now);
            let owner = entry.owner.clone();
            drop(table);
            self.publish_change(id, owner);
        }
        Some(())
    }

    pub(crate) fn publish_change(&self, id: &str, owner: TaskOwner) {
        self.0.hub.publish(&Change::Task { id: id.into(), owner });
    }

    pub(crate) fn persistence(&self) -> Option<&Persistence> {
        self.0.persistence.get()
    }

    pub(crate) fn limits(&self) -> &TaskLimits {
        &self.0.limits
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, TaskTable> {
        self.0.table.lock()
    }
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tasks({})", self.lock().len())
    }
}

//! Wraps a [`TaskStore`] and gives each of its operations a deadline.
//!
//! If the first save of a task fails, the task does not start; if a later save or a removal fails,
//! that is only logged. If the store cannot be read, the owner's request fails.
//!
//! A task that another process left unfinished counts as failed once that process is gone.

use crate::detail;
use crate::end::interrupted;
use crate::store::{PersistedTask, TaskStore, TaskStoreError};
use crate::view::{self, TaskView};
use hobnob_mcp_engine::{BoxFuture, CallError, TaskOwner, TaskRecord, TaskStatus};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::time::{Instant, timeout};

/// How long one operation of the store may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How often expired tasks of other processes are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// The longest id that is looked up. Ids of this server are far shorter.
const MAX_ID_BYTES: usize = 64;

/// The store of a server, and the time of the last sweep.
pub(crate) struct Persistence {
    store: Arc<dyn TaskStore>,
    swept: Mutex<Option<Instant>>,
}

impl Persistence {
    pub(crate) fn new(store: Arc<dyn TaskStore>) -> Self {
        Self { store, swept: Mutex::default() }
    }

    pub(crate) fn instance(&self) -> &str {
        self.store.instance()
    }

    /// Saves a task; durable when this returns.
    pub(crate) async fn save(&self, task: PersistedTask) -> Result<(), TaskStoreError> {
        in_time(self.store.save(task)).await
    }

    /// Saves a task that continues in memory even if saving fails.
    pub(crate) async fn try_save(&self, task: PersistedTask) {
        let tool = task.tool.clone();
        if let Err(error) = self.save(task).await {
            tracing::error!(%error, tool, "a task's change could not be stored");
        }
    }

    pub(crate) async fn remove(&self, id: &str) {
        if let Err(error) = in_time(self.store.remove(id)).await {
            tracing::warn!(%error, "an expired task could not be removed from the store");
        }
    }

    /// Removes expired tasks that other processes left behind, at most once per [`SWEEP_INTERVAL`].
    pub(crate) async fn sweep(&self) {
        let is_due = {
            let mut swept = self.swept.lock();
            let is_due = swept.is_none_or(|last| last.elapsed() >= SWEEP_INTERVAL);
            if is_due {
                *swept = Some(Instant::now());
            }
            is_due
        };
        if is_due && let Err(error) = in_time(self.store.sweep(SystemTime::now())).await {
            tracing::warn!(%error, "expired tasks could not be removed from the store");
        }
    }

    /// A task of another process, if it belongs to this owner and has not expired.
    pub(crate) async fn view(
        &self,
        id: &str,
        owner: &TaskOwner,
    ) -> Result<Option<TaskView>, CallError> {
        if id.len() > MAX_ID_BYTES {
            return Ok(None);
        }
        let task = in_time(self.store.load(id)).await.map_err(CallError::internal)?;
        let Some(task) = task.filter(|task| task.owner == *owner) else { return Ok(None) };
        if task.is_expired(SystemTime::now()) {
            return Ok(None);
        }
        let task = self.resolve(task).await.map_err(CallError::internal)?;
        task.map(TaskView::from_store).transpose().map_err(CallError::internal)
    }

    /// The tasks of an owner that come after an id, sorted by id.
    pub(crate) async fn list(
        &self,
        owner: &TaskOwner,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<TaskRecord>, CallError> {
        let page = in_time(self.store.list(owner, after, limit, SystemTime::now())).await;
        let mut records = Vec::new();
        for task in page.map_err(CallError::internal)? {
            let task = self.resolve(task).await.map_err(CallError::internal)?;
            records.extend(task.map(view::record));
        }
        Ok(records)
    }

    /// Reads an unfinished task as failed if the process that ran it is gone.
    async fn resolve(&self, task: PersistedTask) -> Result<Option<PersistedTask>, TaskStoreError> {
        if task.status.is_terminal() || self.is_alive(&task.instance).await? {
            return Ok(Some(task));
        }
        // The process may have finished it just before its end; now it cannot write any more.
        let last = in_time(self.store.load(&task.id)).await?;
        Ok(last.map(|last| if last.status.is_terminal() { last } else { failed(last) }))
    }

    async fn is_alive(&self, instance: &str) -> Result<bool, TaskStoreError> {
        if instance == self.instance() {
            return Ok(true);
        }
        in_time(self.store.is_alive(instance)).await
    }
}

fn failed(task: PersistedTask) -> PersistedTask {
    let text = interrupted(&task.tool);
    let detail = Some(detail::write_lost(&text).into());
    PersistedTask { status: TaskStatus::Failed, message: Some(text), detail, ..task }
}

async fn in_time<T>(work: BoxFuture<'_, Result<T, TaskStoreError>>) -> Result<T, TaskStoreError> {
    let late = || Err(TaskStoreError::new(format!("no answer within {} s", TIMEOUT.as_secs())));
    timeout(TIMEOUT, work).await.unwrap_or_else(|_| late())
}

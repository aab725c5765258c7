//! What goes through a keeper: never waited for without an end, and a failure is no surprise.
//!
//! A record that another process left unfinished is read as a failure once that process is gone.

use super::detail;
use super::keeper::{KeeperError, KeptTask, TaskKeeper};
use super::view::{self, TaskView};
use hobnob_mcp_engine::{BoxFuture, CallError, TaskOwner, TaskRecord, TaskStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::{Instant, timeout};

/// How long a keeper may take for anything.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the records of others are looked through for what is over.
const SWEEP: Duration = Duration::from_secs(60);

/// Bytes of an id. Ours are far shorter, so nobody need look for a longer one.
const LONGEST_ID: usize = 64;

/// A keeper in use.
pub(super) struct Keeping {
    keeper: Arc<dyn TaskKeeper>,
    swept: Mutex<Option<Instant>>,
}

impl Keeping {
    pub(super) fn new(keeper: Arc<dyn TaskKeeper>) -> Self {
        Self { keeper, swept: Mutex::default() }
    }

    pub(super) fn instance(&self) -> &str {
        self.keeper.instance()
    }

    /// Makes a record durable, or fails.
    pub(super) async fn keep(&self, task: KeptTask) -> Result<(), KeeperError> {
        in_time(self.keeper.keep(task)).await
    }

    /// The same for a task that goes on in memory whatever becomes of its record.
    pub(super) async fn note(&self, task: KeptTask) {
        let tool = task.tool.clone();
        if let Err(error) = self.keep(task).await {
            tracing::error!(%error, tool, "a change of a task was not recorded");
        }
    }

    /// Takes a record out.
    pub(super) async fn remove(&self, id: &str) {
        if let Err(error) = in_time(self.keeper.remove(id)).await {
            tracing::warn!(%error, "the record of a task that is over stays for now");
        }
    }

    /// Takes out what other processes left behind and is over, now and then.
    pub(super) async fn sweep(&self) {
        let is_due = {
            let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
            let is_due = swept.is_none_or(|last| last.elapsed() >= SWEEP);
            if is_due {
                *swept = Some(Instant::now());
            }
            is_due
        };
        if is_due && let Err(error) = in_time(self.keeper.sweep(SystemTime::now())).await {
            tracing::warn!(%error, "task records that are over stay for now");
        }
    }

    /// A task that this process does not run, if it is this owner's and its time is not over.
    pub(super) async fn view(
        &self,
        id: &str,
        owner: &TaskOwner,
    ) -> Result<Option<TaskView>, CallError> {
        if id.len() > LONGEST_ID {
            return Ok(None);
        }
        let kept = in_time(self.keeper.load(id)).await.map_err(CallError::internal)?;
        let Some(kept) = kept.filter(|kept| kept.owner == *owner) else { return Ok(None) };
        if kept.is_over(SystemTime::now()) {
            return Ok(None);
        }
        let kept = self.settled(kept).await.map_err(CallError::internal)?;
        kept.map(TaskView::of_others).transpose().map_err(CallError::internal)
    }

    /// The tasks of an owner after an id, by id.
    pub(super) async fn list(
        &self,
        owner: &TaskOwner,
        after: Option<&str>,
        most: usize,
    ) -> Result<Vec<TaskRecord>, CallError> {
        let page = in_time(self.keeper.list(owner, after, most, SystemTime::now())).await;
        let mut records = Vec::new();
        for kept in page.map_err(CallError::internal)? {
            let kept = self.settled(kept).await.map_err(CallError::internal)?;
            records.extend(kept.map(view::record));
        }
        Ok(records)
    }

    /// A record as it is to be told: one that nobody will ever finish has failed.
    async fn settled(&self, kept: KeptTask) -> Result<Option<KeptTask>, KeeperError> {
        if kept.status.is_terminal() || self.is_alive(&kept.instance).await? {
            return Ok(Some(kept));
        }
        // The process may have finished it just before it ended. It writes no more now.
        let last = in_time(self.keeper.load(&kept.id)).await?;
        Ok(last.map(|last| if last.status.is_terminal() { last } else { failed(last) }))
    }

    async fn is_alive(&self, instance: &str) -> Result<bool, KeeperError> {
        if instance == self.instance() {
            return Ok(true);
        }
        in_time(self.keeper.is_alive(instance)).await
    }
}

/// What is said of a call whose process was stopped.
pub(super) fn interrupted(tool: &str) -> String {
    format!(
        "the server was stopped or restarted while `{tool}` ran; \
         the call may or may not have taken effect"
    )
}

fn failed(kept: KeptTask) -> KeptTask {
    let text = interrupted(&kept.tool);
    let detail = Some(detail::write_lost(&text).into());
    KeptTask { status: TaskStatus::Failed, message: Some(text), detail, ..kept }
}

async fn in_time<T>(work: BoxFuture<'_, Result<T, KeeperError>>) -> Result<T, KeeperError> {
    let late = || Err(KeeperError::new(format!("no answer within {} s", PATIENCE.as_secs())));
    timeout(PATIENCE, work).await.unwrap_or_else(|_| late())
}

//! Calls that go on after their answer: started by the toolbox, asked about through the edges.
//!
//! One table, one lock, never held across an `.await`. A task is kept until its time is over;
//! ended ones make room for new ones first, an owner's own before anyone else's.

mod asking;
mod detail;
mod keeper;
mod keeping;
mod life;
mod table;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use asking::Cancelled;
pub(crate) use detail::bystander;
pub use keeper::{KeeperError, KeptTask, TaskKeeper};
pub(crate) use table::TaskEnd;
pub(crate) use view::TaskView;

use hobnob_mcp_engine::{
    Answers, BoxFuture, CallError, Caller, Change, ChangeHub, Limits, Outcome, SealKey, TaskOwner,
    TaskRecord, TaskStatus,
};
use hobnob_mcp_types::{ErrorCode, RpcError};
use keeping::Keeping;
use life::Life;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};
use table::{Entry, Phase, Stop, Table};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

/// Runs a task's work, again after each round of questions, with all answers so far.
pub type Runner =
    Arc<dyn Fn(Answers) -> BoxFuture<'static, Result<Outcome, CallError>> + Send + Sync>;

/// How often a client is told to ask.
const POLL: Duration = Duration::from_millis(500);

/// All tasks of one server.
#[derive(Clone)]
pub struct Tasks(Arc<Shared>);

struct Shared {
    table: Mutex<Table>,
    /// Where records outlive the process, if anywhere.
    keeping: OnceLock<Keeping>,
    hub: ChangeHub,
    key: Arc<SealKey>,
    tracker: TaskTracker,
    longest: Duration,
    /// Rounds of questions within one task.
    rounds: usize,
}

impl Tasks {
    /// An empty table.
    pub fn new(hub: ChangeHub, key: Arc<SealKey>, limits: &Limits) -> Self {
        Self(Arc::new(Shared {
            table: Mutex::new(Table::new(limits.tasks, limits.tasks_per_owner)),
            keeping: OnceLock::new(),
            hub,
            key,
            tracker: TaskTracker::new(),
            longest: limits.task_ttl,
            rounds: limits.ask_rounds,
        }))
    }

    /// Has all records kept from now on. Only the first keeper is taken.
    pub(crate) fn keep_in(&self, keeper: Arc<dyn TaskKeeper>) {
        if self.0.keeping.set(Keeping::new(keeper)).is_err() {
            tracing::error!("tasks have a keeper already");
        }
    }

    /// Starts a task, the call of a tool; it can be asked about as soon as this ends.
    pub async fn start(
        &self,
        tool: &str,
        owner: TaskOwner,
        ttl_ms: Option<u64>,
        run: Runner,
    ) -> Result<TaskRecord, CallError> {
        self.begin(tool, None, owner, ttl_ms, run).await
    }

    /// The same for a runner that does not know itself what this caller can be asked: it hears
    /// of the questions that cannot be, or fails with them, as a call would.
    pub async fn start_for(
        &self,
        tool: &str,
        caller: Caller,
        owner: TaskOwner,
        ttl_ms: Option<u64>,
        run: Runner,
    ) -> Result<TaskRecord, CallError> {
        self.begin(tool, Some(caller), owner, ttl_ms, run).await
    }

    async fn begin(
        &self,
        tool: &str,
        caller: Option<Caller>,
        owner: TaskOwner,
        ttl_ms: Option<u64>,
        run: Runner,
    ) -> Result<TaskRecord, CallError> {
        let longest = self.0.longest;
        let ttl = ttl_ms.map_or(longest, |ms| Duration::from_millis(ms).min(longest));
        let (now, begun) = (SystemTime::now(), Instant::now());
        let record = TaskRecord {
            id: self.0.key.token().map_err(CallError::internal)?,
            status: TaskStatus::Working,
            message: None,
            created: now,
            updated: now,
            ttl,
            poll: POLL,
        };
        let is_kept = self.keeping().is_some();
        let (stop, stopped) = watch::channel(None);
        self.insert(Entry {
            record: record.clone(),
            owner,
            tool: tool.into(),
            phase: if is_kept { Phase::Starting } else { Phase::Working },
            stop,
            changes: watch::Sender::new(0),
            begun,
        })?;
        let (tasks, id, tool) = (self.clone(), record.id.clone(), tool.into());
        let life = Life { tasks, id, tool, stop: stopped, begun, ttl };
        if is_kept {
            let (told, hears) = oneshot::channel();
            self.0.tracker.spawn(life.record_and_lead(caller, run, told));
            hears.await.map_err(CallError::internal)??;
        } else {
            self.0.tracker.spawn(life.lead(caller, run));
        }
        Ok(record)
    }

    fn insert(&self, entry: Entry) -> Result<(), CallError> {
        let mut table = self.lock();
        if self.0.tracker.is_closed() {
            // Nobody would stop this one.
            return Err(CallError::Other(RpcError::new(ErrorCode::BUSY, "the server is stopping")));
        }
        table.insert(entry)
    }

    /// A task that this process runs, if it is this owner's.
    pub(crate) fn view(&self, id: &str, owner: &TaskOwner) -> Option<TaskView> {
        self.lock().of(owner, id).map(|entry| entry.view())
    }

    /// How many tasks of an owner have not ended.
    pub(crate) fn running(&self, owner: &TaskOwner) -> usize {
        let table = self.lock();
        table.all_of(owner).filter(|entry| !entry.record.status.is_terminal()).count()
    }

    /// Stops and forgets all tasks of an owner that is gone.
    pub(crate) fn forget(&self, owner: &TaskOwner) {
        self.lock().forget(owner);
    }

    /// Stops everything.
    pub(crate) async fn shut_down(&self) {
        self.0.tracker.close();
        for entry in self.lock().all() {
            entry.stop.send_replace(Some(Stop::ShutDown));
        }
        self.0.tracker.wait().await;
    }

    /// Moves a task that has not ended on: recorded first, where there is a keeper, and told only
    /// then. `None` if the task is gone.
    async fn advance(&self, id: &str, phase: Phase) -> Option<()> {
        let now = SystemTime::now();
        if let Some(keeping) = self.keeping() {
            // A result may be large, and is copied before the table is locked.
            let detail = detail::write(&phase);
            let kept = self.lock().any(id)?.kept(&phase, now, keeping.instance());
            keeping.note(KeptTask { detail, ..kept }).await;
        }
        let mut table = self.lock();
        let entry = table.any(id)?;
        if !entry.record.status.is_terminal() {
            entry.enter(phase, now);
            let owner = entry.owner.clone();
            drop(table);
            self.published(id, owner);
        }
        Some(())
    }

    fn keeping(&self) -> Option<&Keeping> {
        self.0.keeping.get()
    }

    fn published(&self, id: &str, owner: TaskOwner) {
        self.0.hub.publish(&Change::Task { id: id.into(), owner });
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tasks({})", self.lock().len())
    }
}

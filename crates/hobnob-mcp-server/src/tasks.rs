//! Calls that go on after their answer: started by the toolbox, asked about through the edges.
//!
//! One table, one lock, never held across an `.await`. A task is kept until its time is over;
//! ended ones make room for new ones first.

use futures_util::future::{AbortHandle, Abortable};
use mcp_engine::{
    Answer, Answers, BoxFuture, CallError, Change, ChangeHub, Limits, Outcome, Questions, SealKey,
    TaskOwner, TaskRecord, TaskStatus,
};
use mcp_types::input::{InputRequest, InputRequests};
use mcp_types::{ErrorCode, RpcError};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::watch;
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
    table: Mutex<BTreeMap<Box<str>, Entry>>,
    hub: ChangeHub,
    key: Arc<SealKey>,
    tracker: TaskTracker,
    most: usize,
    longest: Duration,
}

struct Entry {
    record: TaskRecord,
    owner: TaskOwner,
    phase: Phase,
    abort: AbortHandle,
    /// Counts changes, so that a waiter misses none.
    changes: watch::Sender<u64>,
}

/// What a task is doing; its status follows from it.
enum Phase {
    Working,
    /// Questions still open, and the answers to those of this round that are not.
    Waiting {
        open: InputRequests,
        given: BTreeMap<Box<str>, Box<RawValue>>,
    },
    Ended(Arc<TaskEnd>),
}

/// How a task ended.
#[derive(Debug)]
pub(crate) enum TaskEnd {
    Answer(Answer),
    Error(CallError),
    Cancelled,
}

/// A task as its owner may see it.
pub(crate) struct TaskView {
    pub(crate) record: TaskRecord,
    pub(crate) open: Option<InputRequests>,
    pub(crate) end: Option<Arc<TaskEnd>>,
    pub(crate) changes: watch::Receiver<u64>,
}

impl Tasks {
    /// An empty table.
    pub fn new(hub: ChangeHub, key: Arc<SealKey>, limits: &Limits) -> Self {
        Self(Arc::new(Shared {
            table: Mutex::default(),
            hub,
            key,
            tracker: TaskTracker::new(),
            most: limits.tasks,
            longest: limits.task_ttl,
        }))
    }

    /// Starts a task; it can be asked about as soon as this returns.
    pub fn start(
        &self,
        owner: TaskOwner,
        ttl_ms: Option<u64>,
        run: Runner,
    ) -> Result<TaskRecord, CallError> {
        let longest = self.0.longest;
        let ttl = ttl_ms.map_or(longest, |ms| Duration::from_millis(ms).min(longest));
        let now = SystemTime::now();
        let record = TaskRecord {
            id: self.0.key.token().map_err(CallError::internal)?,
            status: TaskStatus::Working,
            message: None,
            created: now,
            updated: now,
            ttl,
            poll: POLL,
        };
        let (abort, registration) = AbortHandle::new_pair();
        let entry = Entry {
            record: record.clone(),
            owner,
            phase: Phase::Working,
            abort,
            changes: watch::Sender::new(0),
        };
        self.insert(entry, now)?;
        // Whoever looks for it later finds it expired; what it does must end by itself.
        let work = tokio::time::timeout(ttl, drive(self.clone(), record.id.clone(), run));
        self.0.tracker.spawn(Abortable::new(work, registration));
        Ok(record)
    }

    /// A task, if it is this owner's.
    pub(crate) fn view(&self, id: &str, owner: &TaskOwner) -> Option<TaskView> {
        let mut table = self.lock();
        expire(&mut table, SystemTime::now());
        table.get(id).filter(|entry| entry.owner == *owner).map(Entry::view)
    }

    /// All tasks of an owner, by id.
    pub(crate) fn list(&self, owner: &TaskOwner) -> Vec<TaskRecord> {
        let mut table = self.lock();
        expire(&mut table, SystemTime::now());
        let mine = table.values().filter(|entry| entry.owner == *owner);
        mine.map(|entry| entry.record.clone()).collect()
    }

    /// Takes answers; keys that are not open are ignored. Whether there is such a task.
    pub(crate) fn answer(
        &self,
        id: &str,
        owner: &TaskOwner,
        answers: BTreeMap<Box<str>, Box<RawValue>>,
    ) -> bool {
        let mut table = self.lock();
        let Some(entry) = table.get_mut(id).filter(|entry| entry.owner == *owner) else {
            return false;
        };
        if let Phase::Waiting { open, given } = &mut entry.phase {
            let before = open.0.len();
            for (key, answer) in answers {
                if open.0.remove(&key).is_some() {
                    given.insert(key, answer);
                }
            }
            if open.0.len() != before {
                entry.touch();
            }
        }
        true
    }

    /// Stops a task if it still runs. `None` if there is no such task; otherwise its record, and
    /// whether it was this call that stopped it.
    pub(crate) fn cancel(&self, id: &str, owner: &TaskOwner) -> Option<(TaskRecord, bool)> {
        let mut table = self.lock();
        let entry = table.get_mut(id).filter(|entry| entry.owner == *owner)?;
        let stopped = !entry.record.status.is_terminal();
        if stopped {
            entry.abort.abort();
            entry.end(TaskEnd::Cancelled);
        }
        let record = entry.record.clone();
        drop(table);
        if stopped {
            self.published(id);
        }
        Some((record, stopped))
    }

    /// Stops and forgets all tasks of an owner that is gone.
    pub(crate) fn forget(&self, owner: &TaskOwner) {
        self.lock().retain(|_, entry| {
            let keep = entry.owner != *owner;
            if !keep {
                entry.abort.abort();
            }
            keep
        });
    }

    /// Stops everything.
    pub(crate) async fn shut_down(&self) {
        for entry in self.lock().values() {
            entry.abort.abort();
        }
        self.0.tracker.close();
        self.0.tracker.wait().await;
    }

    fn insert(&self, entry: Entry, now: SystemTime) -> Result<(), CallError> {
        let mut table = self.lock();
        expire(&mut table, now);
        if table.len() >= self.0.most {
            let ended = table.iter().filter(|(_, entry)| entry.record.status.is_terminal());
            let oldest = ended.min_by_key(|(_, entry)| entry.record.updated);
            let Some(id) = oldest.map(|(id, _)| id.clone()) else {
                let message = "too many tasks are running; try again later";
                return Err(CallError::Other(RpcError::new(ErrorCode::BUSY, message)));
            };
            table.remove(&id);
        }
        table.insert(entry.record.id.clone(), entry);
        Ok(())
    }

    /// Changes one task that has not ended, and tells everyone.
    fn change(&self, id: &str, change: impl FnOnce(&mut Entry)) {
        let mut table = self.lock();
        let Some(entry) = table.get_mut(id).filter(|entry| !entry.record.status.is_terminal())
        else {
            return;
        };
        change(entry);
        drop(table);
        self.published(id);
    }

    fn published(&self, id: &str) {
        self.0.hub.publish(&Change::Task(id.into()));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Box<str>, Entry>> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tasks({})", self.lock().len())
    }
}

/// Runs a task to its end, round by round.
async fn drive(tasks: Tasks, id: Box<str>, run: Runner) {
    let mut answers = Answers::default();
    loop {
        match crate::call::caught(run(answers.clone())).await {
            Ok(Outcome::Complete(answer)) => {
                return tasks.change(&id, |entry| entry.end(TaskEnd::Answer(answer)));
            }
            Ok(Outcome::NeedsInput(questions)) => {
                let Some(round) = rounds(&tasks, &id, &questions).await else { return };
                answers.end_round(questions.state);
                answers.add(round);
            }
            Ok(Outcome::Started(_)) => {
                tracing::error!("a task tried to start a task");
                return tasks.change(&id, |entry| entry.end(TaskEnd::Error(CallError::Internal)));
            }
            Err(error) => {
                return tasks.change(&id, |entry| entry.end(TaskEnd::Error(error)));
            }
        }
    }
}

/// Waits until every question of a round is answered; `None` if the task is gone.
async fn rounds(
    tasks: &Tasks,
    id: &str,
    questions: &Questions,
) -> Option<BTreeMap<Box<str>, Box<RawValue>>> {
    let open = questions.requests.clone();
    tasks.change(id, |entry| entry.wait_for(open));
    let mut changes = tasks.lock().get(id)?.changes.subscribe();
    loop {
        {
            let mut table = tasks.lock();
            let entry = table.get_mut(id)?;
            if let Phase::Waiting { open, given } = &mut entry.phase
                && open.0.is_empty()
            {
                let round = std::mem::take(given);
                entry.resume();
                drop(table);
                tasks.published(id);
                return Some(round);
            }
        }
        changes.changed().await.ok()?;
    }
}

impl Entry {
    fn view(&self) -> TaskView {
        let (open, end) = match &self.phase {
            Phase::Working => (None, None),
            Phase::Waiting { open, .. } => (Some(open.clone()), None),
            Phase::Ended(end) => (None, Some(Arc::clone(end))),
        };
        TaskView { record: self.record.clone(), open, end, changes: self.changes.subscribe() }
    }

    fn wait_for(&mut self, mut open: InputRequests) {
        // Nobody could answer a question of a kind we do not know.
        open.0.retain(|_, request| !matches!(request, InputRequest::Unknown(_)));
        self.phase = Phase::Waiting { open, given: BTreeMap::new() };
        self.record.status = TaskStatus::InputRequired;
        self.touch();
    }

    fn resume(&mut self) {
        self.phase = Phase::Working;
        self.record.status = TaskStatus::Working;
        self.touch();
    }

    fn end(&mut self, end: TaskEnd) {
        self.record.status = match &end {
            TaskEnd::Answer(_) => TaskStatus::Completed,
            TaskEnd::Error(_) => TaskStatus::Failed,
            TaskEnd::Cancelled => TaskStatus::Cancelled,
        };
        self.phase = Phase::Ended(Arc::new(end));
        self.touch();
    }

    fn touch(&mut self) {
        self.record.updated = SystemTime::now();
        self.changes.send_modify(|count| *count += 1);
    }
}

/// Forgets tasks whose time is over, running or not.
fn expire(table: &mut BTreeMap<Box<str>, Entry>, now: SystemTime) {
    table.retain(|_, entry| {
        let age = now.duration_since(entry.record.created).unwrap_or_default();
        let keep = age < entry.record.ttl;
        if !keep {
            entry.abort.abort();
        }
        keep
    });
}

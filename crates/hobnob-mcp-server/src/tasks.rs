//! Calls that go on after their answer: started by the toolbox, asked about through the edges.
//!
//! One table, one lock, never held across an `.await`. A task is kept until its time is over;
//! ended ones make room for new ones first, an owner's own before anyone else's.

mod table;
#[cfg(test)]
mod tests;

pub(crate) use table::{TaskEnd, TaskView};

use crate::rounds::Rounds;
use futures_util::future::{AbortHandle, Abortable};
use mcp_engine::{
    Answers, BoxFuture, CallError, Caller, Change, ChangeHub, Held, Limits, Outcome, Questions,
    Refusable, SealKey, TaskOwner, TaskRecord, TaskStatus,
};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use table::{Entry, Phase, Table};
use tokio::sync::watch;
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
            hub,
            key,
            tracker: TaskTracker::new(),
            longest: limits.task_ttl,
            rounds: limits.ask_rounds,
        }))
    }

    /// Starts a task; it can be asked about as soon as this returns.
    pub fn start(
        &self,
        owner: TaskOwner,
        ttl_ms: Option<u64>,
        run: Runner,
    ) -> Result<TaskRecord, CallError> {
        self.begin(None, owner, ttl_ms, run)
    }

    /// The same for a runner that does not know itself what this caller can be asked: it hears
    /// of the questions that cannot be, or fails with them, as a call would.
    pub fn start_for(
        &self,
        caller: Caller,
        owner: TaskOwner,
        ttl_ms: Option<u64>,
        run: Runner,
    ) -> Result<TaskRecord, CallError> {
        self.begin(Some(caller), owner, ttl_ms, run)
    }

    fn begin(
        &self,
        caller: Option<Caller>,
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
            begun: Instant::now(),
        };
        self.lock().insert(entry)?;
        let (tasks, id) = (self.clone(), record.id.clone());
        let work = async move {
            let driven = tokio::time::timeout(ttl, drive(&tasks, &id, caller, run)).await;
            if driven.is_err() {
                // Whoever still waits for it is woken by its going.
                tasks.lock().remove(&id);
            }
        };
        self.0.tracker.spawn(Abortable::new(work, registration));
        Ok(record)
    }

    /// A task, if it is this owner's.
    pub(crate) fn view(&self, id: &str, owner: &TaskOwner) -> Option<TaskView> {
        self.lock().of(owner, id).map(|entry| entry.view())
    }

    /// All tasks of an owner, by id.
    pub(crate) fn list(&self, owner: &TaskOwner) -> Vec<TaskRecord> {
        self.lock().all_of(owner).map(|entry| entry.record.clone()).collect()
    }

    /// How many tasks of an owner have not ended.
    pub(crate) fn running(&self, owner: &TaskOwner) -> usize {
        let table = self.lock();
        table.all_of(owner).filter(|entry| !entry.record.status.is_terminal()).count()
    }

    /// Takes answers; keys that are not open are ignored. Whether there is such a task.
    pub(crate) fn answer(
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
                entry.touch();
            }
        }
        true
    }

    /// Stops a task if it still runs. `None` if there is no such task; otherwise its record, and
    /// whether it was this call that stopped it.
    pub(crate) fn cancel(&self, id: &str, owner: &TaskOwner) -> Option<(TaskRecord, bool)> {
        let mut table = self.lock();
        let entry = table.of(owner, id)?;
        let stopped = !entry.record.status.is_terminal();
        if stopped {
            entry.abort.abort();
            entry.end(TaskEnd::Cancelled);
        }
        let record = entry.record.clone();
        drop(table);
        if stopped {
            self.published(id, owner.clone());
        }
        Some((record, stopped))
    }

    /// Stops and forgets all tasks of an owner that is gone.
    pub(crate) fn forget(&self, owner: &TaskOwner) {
        self.lock().forget(owner);
    }

    /// Stops everything.
    pub(crate) async fn shut_down(&self) {
        for entry in self.lock().all() {
            entry.abort.abort();
        }
        self.0.tracker.close();
        self.0.tracker.wait().await;
    }

    /// Changes one task that has not ended, and tells everyone.
    fn change(&self, id: &str, change: impl FnOnce(&mut Entry)) {
        let mut table = self.lock();
        let Some(entry) = table.any(id).filter(|entry| !entry.record.status.is_terminal()) else {
            return;
        };
        change(entry);
        let owner = entry.owner.clone();
        drop(table);
        self.published(id, owner);
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

/// Runs a task to its end, round by round.
async fn drive(tasks: &Tasks, id: &str, caller: Option<Caller>, run: Runner) {
    let mut answers = Answers::default();
    let mut rounds = Rounds::new(tasks.0.rounds);
    // Kept until the runner was called again: a task that is stopped meanwhile lets go.
    let mut held: Option<Held> = None;
    let end = loop {
        // The runner itself is called inside the fence, since it may panic before its future runs.
        let (run, so_far) = (&run, answers.clone());
        match crate::call::caught(async move { run(so_far).await }).await {
            Ok(Outcome::Complete(answer)) => break TaskEnd::Answer(answer),
            Ok(Outcome::NeedsInput(questions)) => {
                let given = rounds.take(&questions).and_then(|()| refused(&questions, &caller));
                let given = match given {
                    Ok(given) => given,
                    Err(error) => break TaskEnd::Error(error),
                };
                let Some(round) = answered(tasks, id, &questions, given).await else { return };
                if held.is_some() {
                    // They went to a question that is answered for good.
                    answers.forget_fresh();
                }
                held = questions.held;
                answers.end_round(questions.state);
                answers.add(round);
            }
            Ok(Outcome::Started(_)) => {
                tracing::error!("a task tried to start a task");
                break TaskEnd::Error(CallError::Internal);
            }
            Err(error) => break TaskEnd::Error(error),
        }
    };
    tasks.change(id, |entry| entry.end(end));
}

type Given = BTreeMap<Box<str>, Box<RawValue>>;

/// The refusals of what the caller cannot be asked, where the runner wants to hear of them.
fn refused(questions: &Questions, caller: &Option<Caller>) -> Result<Given, CallError> {
    let Some(caller) = caller else { return Ok(Given::new()) };
    match questions.refusable {
        Refusable::Yes => Ok(questions.refusals(caller)),
        Refusable::No => questions.check(caller).map(|()| Given::new()),
    }
}

/// Waits until every question of a round is answered or needs no answer; `None` if the task is
/// gone.
async fn answered(tasks: &Tasks, id: &str, questions: &Questions, given: Given) -> Option<Given> {
    if !questions.requests.0.is_empty() && given.len() == questions.requests.0.len() {
        // Nobody is asked, so nobody need see that there was a question.
        return Some(given);
    }
    let open = questions.requests.clone();
    tasks.change(id, |entry| entry.wait_for(open, questions.refusable, given));
    let mut changes = tasks.lock().any(id)?.changes.subscribe();
    let mut withdrawn = false;
    loop {
        {
            let mut table = tasks.lock();
            let entry = table.any(id)?;
            if let Phase::Waiting { open, given, .. } = &mut entry.phase
                && (open.0.is_empty() || withdrawn)
            {
                let round = std::mem::take(given);
                entry.resume();
                let owner = entry.owner.clone();
                drop(table);
                tasks.published(id, owner);
                return Some(round);
            }
        }
        tokio::select! {
            changed = changes.changed() => changed.ok()?,
            () = questions.withdrawn() => withdrawn = true,
        }
    }
}

//! Drives one task from its first phase to its last: runs the work round by round, and saves each
//! phase if there is a store. `start.rs` spawns it; `owner_requests.rs` passes on answers, and asks
//! it to stop.
//!
//! Invariant: only the driver changes a stored task. Without a store, a cancelled task has ended
//! before its driver stops.

use crate::end::{TaskEnd, interrupted};
use crate::phase::TaskPhase;
use crate::registry::Tasks;
use crate::table::Stop;
use hobnob_mcp_engine::{
    Answers, BoxFuture, CallEnd, CallError, Caller, NextRound, Outcome, Questions, Refusable,
    RoundAnswers, RoundLimits, RoundTrips, TooManyRounds, catch_panic, round_trips,
};
use hobnob_mcp_types::{ErrorCode, RpcError};
use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep};

/// The work of a task. It runs again after each round of questions, with all answers so far.
pub type Runner =
    Arc<dyn Fn(Answers) -> BoxFuture<'static, Result<Outcome, CallError>> + Send + Sync>;

/// Drives one task, and listens for the signal to stop.
pub(crate) struct TaskDriver {
    pub(crate) tasks: Tasks,
    pub(crate) id: Box<str>,
    pub(crate) tool: Box<str>,
    pub(crate) stop: watch::Receiver<Option<Stop>>,
    pub(crate) begun: Instant,
    pub(crate) ttl: Duration,
}

/// Why the work stops early.
enum Halt {
    Cancelled,
    ShutDown,
    /// The table no longer has the task.
    Forgotten,
    Expired,
    /// The runner failed, or asked a question that this caller cannot be asked.
    Failed(CallError),
}

impl From<TooManyRounds> for Halt {
    fn from(error: TooManyRounds) -> Self {
        Self::Failed(error.into())
    }
}

impl TaskDriver {
    /// Saves the task, reports that to the caller, and only then begins the work.
    pub(crate) async fn save_and_drive(
        self,
        caller: Option<Caller>,
        run: Runner,
        saved: oneshot::Sender<Result<(), CallError>>,
    ) {
        let result = self.save_first().await;
        let is_saved = result.is_ok();
        // If the call was cancelled meanwhile, no client will ever learn of the task.
        let is_wanted = saved.send(result).is_ok();
        if is_saved && is_wanted {
            // Let the call's answer go first: a client should not be notified of changes of a task
            // that it does not know yet.
            tokio::task::yield_now().await;
            self.drive(caller, run).await;
        } else {
            self.forget().await;
        }
    }

    /// Drives the task to its end; a stored task is then kept until it expires.
    pub(crate) async fn drive(mut self, caller: Option<Caller>, run: Runner) {
        let is_stored = self.tasks.persistence().is_some();
        let end = match self.run(caller, run).await {
            Ok(end) => end,
            Err(Halt::Failed(error)) => TaskEnd::Error(error),
            Err(Halt::Cancelled) => TaskEnd::Cancelled,
            Err(Halt::ShutDown) if is_stored => TaskEnd::Lost(interrupted(&self.tool).into()),
            Err(Halt::ShutDown) => return,
            // Dropping the entry wakes the callers that still wait for the task.
            Err(Halt::Forgotten | Halt::Expired) => return self.forget().await,
        };
        let is_there = self.tasks.advance(&self.id, TaskPhase::ended(end)).await.is_some();
        if let Some(persistence) = self.tasks.persistence().filter(|_| is_there) {
            persistence.sweep().await;
        }
        if is_stored {
            self.expire().await;
        }
    }

    async fn save_first(&self) -> Result<(), CallError> {
        let Some(persistence) = self.tasks.persistence() else { return Ok(()) };
        let task = {
            let mut table = self.tasks.lock();
            let entry = table.entry(&self.id).ok_or_else(not_stored)?;
            entry.persisted(&TaskPhase::Working, entry.record.created, persistence.instance())
        };
        persistence.save(task).await.map_err(|error| {
            tracing::error!(%error, tool = self.tool, "a task was not started: it could not be stored");
            not_stored()
        })?;
        let mut table = self.tasks.lock();
        let entry = table.entry(&self.id).ok_or_else(not_stored)?;
        entry.enter(TaskPhase::Working, entry.record.created);
        Ok(())
    }

    /// Waits until the task expires, then removes it from the store. If the process ends before
    /// that, the store keeps it.
    async fn expire(mut self) {
        let ttl = self.left();
        let stop = self.stop.wait_for(|stop| *stop == Some(Stop::ShutDown));
        tokio::select! {
            stopped = stop => if stopped.is_ok() { return },
            () = sleep(ttl) => {}
        }
        self.forget().await;
    }

    /// Removes the task from the table and from the store.
    async fn forget(&self) {
        self.tasks.lock().remove(&self.id);
        if let Some(persistence) = self.tasks.persistence() {
            persistence.remove(&self.id).await;
        }
    }

    async fn run(&mut self, caller: Option<Caller>, run: Runner) -> Result<TaskEnd, Halt> {
        let limits = RoundLimits::new(self.tasks.limits().ask_rounds);
        let mut rounds = TaskRounds { driver: self, caller, run };
        match round_trips(&mut rounds, Answers::default(), limits).await? {
            CallEnd::Complete(answer) => Ok(TaskEnd::Answer(answer)),
            CallEnd::Started(_) => {
                tracing::error!("a task tried to start a task");
                Err(Halt::Failed(CallError::Internal))
            }
        }
    }

    /// Waits until every question of a round is answered, refused or withdrawn.
    async fn answered(
        &mut self,
        questions: &Questions,
        given: RoundAnswers,
    ) -> Result<RoundAnswers, Halt> {
        if !questions.requests.0.is_empty() && given.len() == questions.requests.0.len() {
            // All questions are refused, so the owner need not see them.
            return Ok(given);
        }
        let waiting = TaskPhase::waiting(questions.requests.clone(), questions.refusable, given);
        self.tasks.advance(&self.id, waiting).await.ok_or(Halt::Forgotten)?;
        let (tasks, id) = (self.tasks.clone(), self.id.clone());
        let round = self.unless_halted(given_answers(&tasks, &id, questions)).await?;
        let round = round.ok_or(Halt::Forgotten)?;
        self.tasks.advance(&self.id, TaskPhase::Working).await.ok_or(Halt::Forgotten)?;
        Ok(round)
    }

    /// Runs part of the work, unless the task has to stop. Saving must not run in here: dropped
    /// half-way, it would leave the store behind the table.
    async fn unless_halted<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Halt> {
        let ttl = self.left();
        tokio::select! {
            biased;
            stopped = self.stop.wait_for(Option::is_some) => Err(match stopped.map(|stop| *stop) {
                Ok(Some(Stop::Cancelled)) => Halt::Cancelled,
                Ok(Some(Stop::ShutDown)) => Halt::ShutDown,
                Ok(None) | Err(_) => Halt::Forgotten,
            }),
            done = work => Ok(done),
            () = sleep(ttl) => Err(Halt::Expired),
        }
    }

    fn left(&self) -> Duration {
        self.ttl.saturating_sub(self.begun.elapsed())
    }
}

/// The answers come from clients that look at the task and see its questions.
struct TaskRounds<'a> {
    driver: &'a mut TaskDriver,
    caller: Option<Caller>,
    run: Runner,
}

impl RoundTrips for TaskRounds<'_> {
    type Error = Halt;
    type Stopped = Infallible;

    async fn call(&mut self, answers: Answers) -> Result<Outcome, Halt> {
        // The runner is called inside the panic boundary: it may panic before it returns a future.
        let run = &self.run;
        let work = catch_panic(async move { run(answers).await });
        self.driver.unless_halted(work).await?.map_err(Halt::Failed)
    }

    async fn answer(
        &mut self,
        questions: &Questions,
        _so_far: &Answers,
    ) -> Result<NextRound<Infallible>, Halt> {
        let given = refused(questions, &self.caller).map_err(Halt::Failed)?;
        Ok(NextRound::CallAgain(self.driver.answered(questions, given).await?))
    }
}

/// Refusals for questions that the caller cannot be asked, if the runner wants refusals.
fn refused(questions: &Questions, caller: &Option<Caller>) -> Result<RoundAnswers, CallError> {
    let Some(caller) = caller else { return Ok(RoundAnswers::new()) };
    match questions.refusable {
        Refusable::Yes => Ok(questions.refusals(caller)),
        Refusable::No => questions.check(caller).map(|()| RoundAnswers::new()),
    }
}

/// Waits for the answers to a task's questions; `None` if the task is gone.
async fn given_answers(tasks: &Tasks, id: &str, questions: &Questions) -> Option<RoundAnswers> {
    let mut changes = tasks.lock().entry(id)?.changes.subscribe();
    let mut withdrawn = false;
    loop {
        if let TaskPhase::Waiting { open, given, .. } = &mut tasks.lock().entry(id)?.phase
            && (open.0.is_empty() || withdrawn)
        {
            return Some(std::mem::take(given));
        }
        tokio::select! {
            changed = changes.changed() => changed.ok()?,
            () = questions.withdrawn() => withdrawn = true,
        }
    }
}

fn not_stored() -> CallError {
    let message = "the task could not be stored, so it was not started";
    CallError::Other(RpcError::new(ErrorCode::INTERNAL, message))
}

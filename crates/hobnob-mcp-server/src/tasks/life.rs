//! One task from its first record to its last: runs the work round by round and alone writes what
//! is kept of it. Everyone else only asks it to stop.

use super::keeping::interrupted;
use super::table::{Phase, Stop, TaskEnd};
use super::{Runner, Tasks};
use hobnob_mcp_engine::{
    Answers, CallEnd, CallError, Caller, NextRound, Outcome, Questions, Refusable, RoundAnswers,
    RoundLimits, RoundTrips, TooManyRounds, round_trips,
};
use hobnob_mcp_types::{ErrorCode, RpcError};
use std::convert::Infallible;
use std::future::Future;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep};

/// Who drives one task.
pub(super) struct Life {
    pub(super) tasks: Tasks,
    pub(super) id: Box<str>,
    pub(super) tool: Box<str>,
    pub(super) stop: watch::Receiver<Option<Stop>>,
    pub(super) begun: Instant,
    pub(super) ttl: Duration,
}

/// Why the work goes no further.
enum Halt {
    Cancelled,
    ShutDown,
    /// The table does not have it any more.
    Forgotten,
    /// Its time is over.
    Over,
    /// The runner failed, or asked for what cannot be had.
    Failed(CallError),
}

impl From<TooManyRounds> for Halt {
    fn from(error: TooManyRounds) -> Self {
        Self::Failed(error.into())
    }
}

impl Life {
    /// Records the task, says so, and only then begins.
    pub(super) async fn record_and_lead(
        self,
        caller: Option<Caller>,
        run: Runner,
        told: oneshot::Sender<Result<(), CallError>>,
    ) {
        let recorded = self.record().await;
        let is_recorded = recorded.is_ok();
        // Of a call that was given up meanwhile nobody knows the task.
        let is_heard = told.send(recorded).is_ok();
        if is_recorded && is_heard {
            // The one who hears it has the word first: a client should not be told of a change
            // of a task that it does not know yet.
            tokio::task::yield_now().await;
            self.lead(caller, run).await;
        } else {
            self.leave().await;
        }
    }

    /// Leads the task to its end, and beyond where there is a record to look after.
    pub(super) async fn lead(mut self, caller: Option<Caller>, run: Runner) {
        let is_kept = self.tasks.keeping().is_some();
        let end = match self.run(caller, run).await {
            Ok(end) => end,
            Err(Halt::Failed(error)) => TaskEnd::Error(error),
            Err(Halt::Cancelled) => TaskEnd::Cancelled,
            Err(Halt::ShutDown) if is_kept => TaskEnd::Lost(interrupted(&self.tool).into()),
            Err(Halt::ShutDown) => return,
            // Whoever still waits for it is woken by its going.
            Err(Halt::Forgotten | Halt::Over) => return self.leave().await,
        };
        let is_there = self.tasks.advance(&self.id, Phase::ended(end)).await.is_some();
        if let Some(keeping) = self.tasks.keeping().filter(|_| is_there) {
            keeping.sweep().await;
        }
        if is_kept {
            self.linger().await;
        }
    }

    async fn record(&self) -> Result<(), CallError> {
        let Some(keeping) = self.tasks.keeping() else { return Ok(()) };
        let kept = {
            let mut table = self.tasks.lock();
            let entry = table.any(&self.id).ok_or_else(unrecorded)?;
            entry.kept(&Phase::Working, entry.record.created, keeping.instance())
        };
        keeping.keep(kept).await.map_err(|error| {
            tracing::error!(%error, tool = self.tool, "a task was not started for want of a record");
            unrecorded()
        })?;
        let mut table = self.tasks.lock();
        let entry = table.any(&self.id).ok_or_else(unrecorded)?;
        entry.enter(Phase::Working, entry.record.created);
        Ok(())
    }

    /// Waits until nobody may ask about the task any more, and takes its record along. When the
    /// process ends, the record stays.
    async fn linger(mut self) {
        let ttl = self.left();
        let stop = self.stop.wait_for(|stop| *stop == Some(Stop::ShutDown));
        tokio::select! {
            stopped = stop => if stopped.is_ok() { return },
            () = sleep(ttl) => {}
        }
        self.leave().await;
    }

    /// Forgets the task, here and where it is kept.
    async fn leave(&self) {
        self.tasks.lock().remove(&self.id);
        if let Some(keeping) = self.tasks.keeping() {
            keeping.remove(&self.id).await;
        }
    }

    async fn run(&mut self, caller: Option<Caller>, run: Runner) -> Result<TaskEnd, Halt> {
        let limits = RoundLimits::new(self.tasks.0.rounds);
        let mut rounds = TaskRounds { life: self, caller, run };
        match round_trips(&mut rounds, Answers::default(), limits).await? {
            CallEnd::Complete(answer) => Ok(TaskEnd::Answer(answer)),
            CallEnd::Started(_) => {
                tracing::error!("a task tried to start a task");
                Err(Halt::Failed(CallError::Internal))
            }
        }
    }

    /// Waits until every question of a round is answered or needs no answer.
    async fn answered(
        &mut self,
        questions: &Questions,
        given: RoundAnswers,
    ) -> Result<RoundAnswers, Halt> {
        if !questions.requests.0.is_empty() && given.len() == questions.requests.0.len() {
            // Nobody is asked, so nobody need see that there was a question.
            return Ok(given);
        }
        let waiting = Phase::waiting(questions.requests.clone(), questions.refusable, given);
        self.tasks.advance(&self.id, waiting).await.ok_or(Halt::Forgotten)?;
        let (tasks, id) = (self.tasks.clone(), self.id.clone());
        let round = self.unless_halted(given_answers(&tasks, &id, questions)).await?;
        let round = round.ok_or(Halt::Forgotten)?;
        self.tasks.advance(&self.id, Phase::Working).await.ok_or(Halt::Forgotten)?;
        Ok(round)
    }

    /// Does some of the work, unless the task has to stop. Writing is never part of it: a record
    /// must not be left half written.
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
            () = sleep(ttl) => Err(Halt::Over),
        }
    }

    fn left(&self) -> Duration {
        self.ttl.saturating_sub(self.begun.elapsed())
    }
}

/// Answers come from whoever asks about the task and is told what it waits for.
struct TaskRounds<'a> {
    life: &'a mut Life,
    caller: Option<Caller>,
    run: Runner,
}

impl RoundTrips for TaskRounds<'_> {
    type Error = Halt;
    type Stopped = Infallible;

    async fn call(&mut self, answers: Answers) -> Result<Outcome, Halt> {
        // The runner itself is called inside the fence, since it may panic before its future runs.
        let run = &self.run;
        let work = crate::call::caught(async move { run(answers).await });
        self.life.unless_halted(work).await?.map_err(Halt::Failed)
    }

    async fn answer(
        &mut self,
        questions: &Questions,
        _so_far: &Answers,
    ) -> Result<NextRound<Infallible>, Halt> {
        let given = refused(questions, &self.caller).map_err(Halt::Failed)?;
        Ok(NextRound::CallAgain(self.life.answered(questions, given).await?))
    }
}

/// The refusals of what the caller cannot be asked, where the runner wants to hear of them.
fn refused(questions: &Questions, caller: &Option<Caller>) -> Result<RoundAnswers, CallError> {
    let Some(caller) = caller else { return Ok(RoundAnswers::new()) };
    match questions.refusable {
        Refusable::Yes => Ok(questions.refusals(caller)),
        Refusable::No => questions.check(caller).map(|()| RoundAnswers::new()),
    }
}

/// Waits for the answers to what a task asks; `None` if the task is gone.
async fn given_answers(tasks: &Tasks, id: &str, questions: &Questions) -> Option<RoundAnswers> {
    let mut changes = tasks.lock().any(id)?.changes.subscribe();
    let mut withdrawn = false;
    loop {
        if let Phase::Waiting { open, given, .. } = &mut tasks.lock().any(id)?.phase
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

fn unrecorded() -> CallError {
    let message = "the task could not be recorded, so it was not started";
    CallError::Other(RpcError::new(ErrorCode::INTERNAL, message))
}

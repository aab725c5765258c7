//! Upstream tasks followed for callers without tasks; each is kept while its question is open.

use crate::question_origin::QuestionOrigin;
use hobnob_mcp_client::RemoteTask;
use hobnob_mcp_engine::{
    Answers, Call, CallError, NoRandomness, Notes, Outcome, Questions, random_token,
};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The prefix of a followed task's state; an upstream's own state does not have it.
const STATE_PREFIX: &str = "task:";

/// Limits on tasks that wait for an answer: their number and their age.
const MAX_FOLLOWED: usize = 256;
const MAX_AGE: Duration = Duration::from_secs(15 * 60);

/// An upstream's task that is cancelled when it is dropped unfinished.
pub(crate) struct FollowedTask {
    task: RemoteTask,
    /// The server that a question of the task comes from.
    origin: QuestionOrigin,
    done: AtomicBool,
}

impl FollowedTask {
    pub(crate) fn new(task: RemoteTask, server: &str) -> Arc<Self> {
        let origin = QuestionOrigin::server(server);
        Arc::new(Self { task, origin, done: AtomicBool::new(false) })
    }

    /// Follows the task to its end or to its next question.
    pub(crate) async fn run(
        &self,
        call: &Call,
        answers: &Answers,
        notes: &Notes,
    ) -> Result<Outcome, CallError> {
        let outcome = self.task.run(call, answers, notes).await;
        let ended = !matches!(outcome, Ok(Outcome::NeedsInput(_)));
        self.done.store(ended, Ordering::Relaxed);
        outcome.map(|outcome| self.origin.asks_in(outcome))
    }
}

impl Drop for FollowedTask {
    fn drop(&mut self) {
        if !self.done.load(Ordering::Relaxed) {
            self.task.cancel();
        }
    }
}

/// The followed tasks whose question is open.
#[derive(Default)]
pub(crate) struct FollowedTasks(Mutex<BTreeMap<String, ParkedTask>>);

struct ParkedTask {
    following: Arc<FollowedTask>,
    /// The state that the upstream sent with its question.
    state: Option<String>,
    since: Instant,
}

impl FollowedTasks {
    /// Keeps a task while its question is open; the question gets a state that leads back to it.
    pub(crate) fn keep(
        &self,
        following: Arc<FollowedTask>,
        mut questions: Questions,
    ) -> Result<Questions, NoRandomness> {
        let token = String::from(random_token()?);
        let state = questions.state.replace(format!("{STATE_PREFIX}{token}"));
        let parked = ParkedTask { following, state, since: Instant::now() };
        let mut all = self.lock();
        // Dropping a task cancels it; that only queues a message.
        all.retain(|_, parked| parked.since.elapsed() < MAX_AGE);
        while all.len() >= MAX_FOLLOWED {
            let oldest = all.iter().min_by_key(|(_, parked)| parked.since);
            let Some(oldest) = oldest.map(|(token, _)| token.clone()) else { break };
            all.remove(&oldest);
        }
        all.insert(token, parked);
        Ok(questions)
    }

    /// The task that these answers are for, and the answers in its own terms; `None` if there was
    /// none. A task that is gone is an error: its call must not be made again.
    pub(crate) fn take(
        &self,
        answers: &Answers,
    ) -> Option<Result<(Arc<FollowedTask>, Answers), CallError>> {
        let token = answers.state()?.strip_prefix(STATE_PREFIX)?;
        let Some(parked) = self.lock().remove(token) else {
            let message = "the question is no longer open; make the call again";
            return Some(Err(CallError::params(message)));
        };
        let mut own = Answers::default();
        own.end_round(parked.state);
        own.add(answers.fresh().map(|(key, answer)| (key.into(), answer.to_owned())).collect());
        Some(Ok((parked.following, own)))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, ParkedTask>> {
        self.0.lock()
    }
}

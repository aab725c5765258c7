//! A request that takes several rounds: the callee asks back, is given the answers and is called
//! again with all of them, until it ends.
//!
//! This is the only place where that happens. The edges of the server, its tasks and the client
//! say how one call is made and where answers come from; [`round_trips`] does the rest.
//! What a callee keeps open for its questions is held here until it was called again: dropping
//! the future at any point lets go of it.

use crate::answers::{Answers, RoundAnswers};
use crate::fault::CallError;
use crate::held::Held;
use crate::question::Questions;
use crate::refusal::Refusable;
use crate::service::{Answer, Outcome};
use crate::task::TaskRecord;
use std::future::Future;

/// What differs from one place that asks and calls again to the next.
pub trait RoundTrips: Send {
    /// Why it can fail.
    type Error: From<TooManyRounds>;

    /// What it ends with where answers are not waited for here.
    type Stopped;

    /// Calls the callee once, with all answers so far.
    fn call(
        &mut self,
        answers: Answers,
    ) -> impl Future<Output = Result<Outcome, Self::Error>> + Send;

    /// Gets one round of questions answered, or stops. `so_far` is what the callee was called
    /// with when it asked.
    fn answer(
        &mut self,
        questions: &Questions,
        so_far: &Answers,
    ) -> impl Future<Output = Result<NextRound<Self::Stopped>, Self::Error>> + Send;
}

/// What follows after a callee has asked.
#[derive(Debug)]
pub enum NextRound<S> {
    /// The callee is called again with these answers; none if it took its questions back.
    CallAgain(RoundAnswers),
    /// It is not called again.
    Stop(S),
}

/// How a request ended after its last round.
#[derive(Debug)]
pub enum CallEnd<S> {
    /// The callee gave a result.
    Complete(Answer),
    /// The callee goes on as a task.
    Started(TaskRecord),
    /// A round of questions ended it.
    Stopped(S),
}

/// Calls, and calls again with answers, until there is nothing left to ask.
pub async fn round_trips<R: RoundTrips>(
    request: &mut R,
    mut answers: Answers,
    mut limits: RoundLimits,
) -> Result<CallEnd<R::Stopped>, R::Error> {
    let mut held: Option<Held> = None;
    loop {
        let questions = match request.call(answers.clone()).await? {
            Outcome::Complete(answer) => return Ok(CallEnd::Complete(answer)),
            Outcome::Started(record) => return Ok(CallEnd::Started(record)),
            Outcome::NeedsInput(questions) => questions,
        };
        limits.take(questions.refusable)?;
        if held.is_some() {
            // The newest answers went to a question that is answered for good.
            answers.forget_fresh();
        }
        let round = match request.answer(&questions, &answers).await? {
            NextRound::CallAgain(round) => round,
            NextRound::Stop(with) => return Ok(CallEnd::Stopped(with)),
        };
        // Only now: what was kept open for the round before is let go of when the next one holds.
        held = questions.held;
        answers.end_round(questions.state);
        answers.add(round);
    }
}

/// How many rounds a request may still take.
#[derive(Debug, Clone, Copy)]
pub struct RoundLimits {
    plain: usize,
    refusable: usize,
}

impl RoundLimits {
    /// Questions of a callee that wants to hear of refusals are mostly those of a server behind it,
    /// which asks one after the other while its call stays open; some ask a model again and again.
    const REFUSABLE: usize = 1000;

    /// This many rounds of the usual kind, and many more of a callee that has to hear of refusals.
    pub fn new(plain: usize) -> Self {
        Self { plain, refusable: Self::REFUSABLE }
    }

    /// This many rounds, whoever asks.
    pub fn of_any_kind(rounds: usize) -> Self {
        Self { plain: rounds, refusable: rounds }
    }

    fn take(&mut self, refusable: Refusable) -> Result<(), TooManyRounds> {
        let left = match refusable {
            Refusable::No => &mut self.plain,
            Refusable::Yes => &mut self.refusable,
        };
        *left = left.checked_sub(1).ok_or(TooManyRounds)?;
        Ok(())
    }
}

/// The callee asked once more than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a call asked back too many times")]
pub struct TooManyRounds;

impl From<TooManyRounds> for CallError {
    fn from(error: TooManyRounds) -> Self {
        Self::internal(error)
    }
}

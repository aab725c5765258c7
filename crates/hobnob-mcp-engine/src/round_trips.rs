//! A request that takes several rounds: the callee asks back, gets the answers and is called again
//! with all of them, until it ends.
//!
//! This is the only place with that loop. The edges of the server, its tasks and the client say how
//! one call is made and where answers come from; [`round_trips`] does the rest. It also owns what a
//! callee keeps open for its questions until the callee has been called again: dropping the future
//! at any point closes that.

use crate::answers::{Answers, RoundAnswers};
use crate::fault::CallError;
use crate::held::Held;
use crate::question::Questions;
use crate::refusal::Refusable;
use crate::service::{Answer, Outcome};
use crate::task::TaskRecord;
use std::future::Future;

/// How one caller of [`round_trips`] makes calls and gets answers.
pub trait RoundTrips: Send {
    /// Why making a call or getting answers can fail.
    type Error: From<TooManyRounds>;

    /// How the request ends where this side does not wait for answers.
    type Stopped;

    /// Calls the callee once, with all answers so far.
    fn call(
        &mut self,
        answers: Answers,
    ) -> impl Future<Output = Result<Outcome, Self::Error>> + Send;

    /// Gets one round of questions answered, or stops. `so_far` has the answers that the callee had
    /// when it asked.
    fn answer(
        &mut self,
        questions: &Questions,
        so_far: &Answers,
    ) -> impl Future<Output = Result<NextRound<Self::Stopped>, Self::Error>> + Send;
}

/// What follows after a callee has asked.
#[derive(Debug)]
pub enum NextRound<S> {
    /// The callee is called again with these answers; they are empty if it withdrew its questions.
    CallAgain(RoundAnswers),
    /// The callee is not called again.
    Stop(S),
}

/// How a request ended after its last round.
#[derive(Debug)]
pub enum CallEnd<S> {
    /// The callee gave a result.
    Complete(Answer),
    /// The callee continues as a task.
    Started(TaskRecord),
    /// A round of questions ended the request.
    Stopped(S),
}

/// Calls the callee, and calls it again with answers, until it asks nothing more.
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
            // The newest answers belong to a question that is settled for good.
            answers.forget_fresh();
        }
        let round = match request.answer(&questions, &answers).await? {
            NextRound::CallAgain(round) => round,
            NextRound::Stop(with) => return Ok(CallEnd::Stopped(with)),
        };
        // Only now: dropping the previous handle earlier could close what is still in use.
        held = questions.held;
        answers.end_round(questions.state);
        answers.add(round);
    }
}

/// How many more rounds a request may take.
#[derive(Debug, Clone, Copy)]
pub struct RoundLimits {
    plain: usize,
    refusable: usize,
}

impl RoundLimits {
    /// Refusable questions mostly come from a server behind the callee, which asks one after the
    /// other while its call stays open; some such servers ask a model again and again.
    const MAX_REFUSABLE_ROUNDS: usize = 1000;

    /// Allows `plain` ordinary rounds, and many more rounds of refusable questions.
    pub fn new(plain: usize) -> Self {
        Self { plain, refusable: Self::MAX_REFUSABLE_ROUNDS }
    }

    /// Allows this many rounds of each kind.
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

/// The callee asked back more often than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a call asked back too many times")]
pub struct TooManyRounds;

impl From<TooManyRounds> for CallError {
    fn from(error: TooManyRounds) -> Self {
        Self::internal(error)
    }
}

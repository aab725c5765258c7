//! A call from its first round to its end; the host answers the server's questions on the way.
//!
//! `Client` makes every call here. If the server asks questions or starts a task, that is part of
//! the same call; dropping the call before its end cancels it on the server.

use crate::call_failed::CallFailed;
use crate::forward::ForwardOptions;
use crate::host::Host;
use crate::outcome;
use crate::remote::{Forwarded, Remote};
use crate::tasks::RemoteTask;
use crate::unanswered_round::UnansweredRound;
use hobnob_mcp_engine::{
    Answer, Answers, Call, CallEnd, CallError, Caller, NextRound, Notes, Outcome, Questions,
    Refusable, RoundAnswers, RoundLimits, RoundTrips, TaskOffer, refusal_answer, round_trips,
};
use hobnob_mcp_types::{Era, Method, Params, RpcError};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

/// How often a modern server is called within one call: once, and after each round of questions.
const MAX_CALLS: usize = 10;

/// How many questions a legacy server may ask within one call, one after the other. Its call stays
/// open meanwhile, so its time is bounded anyway, and some servers ask a model again and again.
const MAX_LEGACY_CALLS: usize = 1000;

/// A server, and the host that answers its questions. Cheap to clone.
#[derive(Clone)]
pub(crate) struct HostedCalls {
    pub(crate) remote: Arc<Remote>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) caller: Caller,
}

impl HostedCalls {
    /// Makes a call, lets the host answer the server's questions, and returns the result's text.
    pub(crate) async fn call(
        &self,
        method: Method,
        params: String,
        forward: &ForwardOptions<'_>,
        notes: &Notes,
    ) -> Result<String, CallFailed> {
        let call = Call {
            method,
            params: Arc::new(Params::from_json(params).map_err(CallFailed::Refused)?),
            caller: self.caller.clone(),
            answers: Answers::default(),
            task: TaskOffer::No,
            mirrored: None,
        };
        let refused = BTreeMap::new();
        let mut rounds = CallRounds { calls: self, call, forward, notes, refused };
        let end = round_trips(&mut rounds, Answers::default(), self.limits()).await?;
        completed(end).map(outcome::whole)
    }

    fn limits(&self) -> RoundLimits {
        RoundLimits::of_any_kind(match self.remote.hello().revision.era() {
            Era::Modern => MAX_CALLS - 1,
            Era::Legacy => MAX_LEGACY_CALLS - 1,
        })
    }

    /// Puts questions to the host, unless the server withdraws them first.
    async fn answer(&self, questions: &Questions) -> Result<NextRound<Infallible>, CallFailed> {
        let round = questions.unless_withdrawn(self.ask_host(questions)).await;
        Ok(NextRound::CallAgain(round.transpose()?.unwrap_or_default()))
    }

    async fn ask_host(&self, questions: &Questions) -> Result<RoundAnswers, CallFailed> {
        let mut round = RoundAnswers::new();
        for (key, request) in questions.requests.0.iter() {
            match self.host.answer(request).await {
                Ok(answer) => drop(round.insert(key.into(), answer)),
                Err(error) if questions.refusable == Refusable::Yes => {
                    round.insert(key.into(), refusal_answer(&error));
                }
                Err(error) => return Err(CallFailed::Refused(error)),
            }
        }
        Ok(round)
    }
}

/// A call that is made again, with the host's answers, each time the server asks something.
struct CallRounds<'a> {
    calls: &'a HostedCalls,
    call: Call,
    forward: &'a ForwardOptions<'a>,
    notes: &'a Notes,
    /// The questions that the host refused, by key.
    refused: BTreeMap<Box<str>, RpcError>,
}

impl CallRounds<'_> {
    /// Handles a refusal of the host. A server that handed out a state may hold a call open behind
    /// its question: it is called once more without an answer, so that it need not wait for one. If
    /// it asks the same question again, the call fails.
    fn refuse(
        &mut self,
        questions: &Questions,
        error: RpcError,
    ) -> Result<NextRound<Infallible>, CallFailed> {
        let asked: Vec<&str> = questions.requests.0.iter().map(|(key, _)| key).collect();
        if questions.state.is_none() {
            return Err(CallFailed::Refused(error));
        }
        self.refused.extend(asked.into_iter().map(|key| (key.into(), error.clone())));
        Ok(NextRound::CallAgain(RoundAnswers::new()))
    }
}

impl RoundTrips for CallRounds<'_> {
    type Error = CallFailed;
    type Stopped = Infallible;

    async fn call(&mut self, answers: Answers) -> Result<Outcome, CallFailed> {
        let call = self.call.with_answers(answers);
        let task = match self.calls.remote.forward(&call, self.forward, self.notes).await? {
            Forwarded::Outcome(outcome) => return Ok(outcome),
            Forwarded::Task(task) => task,
        };
        let task = FollowedTask { task, over: false };
        let mut rounds = TaskRounds { calls: self.calls, call, task, notes: self.notes };
        let end = round_trips(&mut rounds, Answers::default(), self.calls.limits()).await?;
        completed(end).map(Outcome::Complete)
    }

    async fn answer(
        &mut self,
        questions: &Questions,
        so_far: &Answers,
    ) -> Result<NextRound<Infallible>, CallFailed> {
        let keys = questions.requests.0.iter().map(|(key, _)| key);
        if let Some(error) = keys.into_iter().find_map(|key| self.refused.get(key)) {
            return Err(CallFailed::Refused(error.clone()));
        }
        let unanswered = UnansweredRound::new(&self.calls.remote, &self.call, questions, so_far);
        let answered = self.calls.answer(questions).await;
        unanswered.end();
        match answered {
            Err(CallFailed::Refused(error)) => self.refuse(questions, error),
            answered => answered,
        }
    }
}

/// A task that a call became; it is run again with the host's answers to each question.
struct TaskRounds<'a> {
    calls: &'a HostedCalls,
    call: Call,
    task: FollowedTask,
    notes: &'a Notes,
}

impl RoundTrips for TaskRounds<'_> {
    type Error = CallFailed;
    type Stopped = Infallible;

    async fn call(&mut self, answers: Answers) -> Result<Outcome, CallFailed> {
        let refused = |error: CallError| CallFailed::Refused(error.to_rpc(&self.calls.caller));
        let outcome = self.task.task.run(&self.call, &answers, self.notes).await;
        self.task.over = !matches!(outcome, Ok(Outcome::NeedsInput(_) | Outcome::Started(_)));
        outcome.map_err(refused)
    }

    async fn answer(
        &mut self,
        questions: &Questions,
        _so_far: &Answers,
    ) -> Result<NextRound<Infallible>, CallFailed> {
        self.calls.answer(questions).await
    }
}

/// A task whose caller waits for it. Dropping it before its end cancels it, as for a call.
struct FollowedTask {
    task: RemoteTask,
    over: bool,
}

impl Drop for FollowedTask {
    fn drop(&mut self) {
        if !self.over {
            self.task.cancel();
        }
    }
}

fn completed(end: CallEnd<Infallible>) -> Result<Answer, CallFailed> {
    match end {
        CallEnd::Complete(answer) => Ok(answer),
        // Tasks are followed above; we never ask a server to start one.
        CallEnd::Started(_) => Err(CallFailed::Endless),
        CallEnd::Stopped(never) => match never {},
    }
}

//! Legacy requests that are not answered at once: calls of the service, and `tasks/*`.
//!
//! A session makes a [`LegacyCall`] for each such request and runs it. Questions of the service
//! become requests to the client, whose own request waits meanwhile.

mod tasks;

use crate::ask::Asker;
use crate::call::call_service;
use crate::call_notes::{CallLife, CallNoteSink, CallProgress, LogGate, PauseMode};
use crate::reply::{Reply, ReplyScope};
use crate::session_state::SessionState;
use crate::stream_form::ProgressRule;
use crate::wire::{self, Encoded};
use hobnob_mcp_engine::{
    Answer, Answers, Call, CallEnd, CallError, Caller, NextRound, Notes, Outcome, Questions,
    RoundLimits, RoundTrips, Share, TaskOffer, progress_token, random_token, round_trips,
};
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_mcp_types::{Method, Params, ProgressToken, RequestId, Revision};
use std::future::Future;
use std::sync::Arc;

/// One request in flight.
pub(crate) struct LegacyCall {
    session: Arc<SessionState>,
    id: RequestId,
    /// The first call of the service, without answers.
    call: Call,
    reply: Reply,
    progress: Option<Arc<CallProgress>>,
    _share: Share,
}

impl LegacyCall {
    pub(crate) fn new(
        session: &Arc<SessionState>,
        id: RequestId,
        method: Method,
        params: Params,
        caller: Caller,
        reply: Reply,
        share: Share,
    ) -> Self {
        let session = Arc::clone(session);
        let call = Call {
            method,
            task: task_offer(&session, &params, caller.revision),
            params: Arc::new(params),
            caller,
            answers: Answers::default(),
            mirrored: None,
        };
        let token = progress_token(&call.params).or_else(|| own_token(&session, method, &reply));
        let progress = token.map(CallProgress::new);
        Self { session, id, call, reply, progress, _share: share }
    }

    /// Runs the request and returns its encoded answer.
    pub(crate) async fn run(self) -> Encoded {
        // Rare branches are boxed to keep the future of every call small.
        let done = match self.call.method {
            Method::TasksGet => Box::pin(self.task_get()).await,
            Method::TasksResult => Box::pin(self.task_result()).await,
            Method::TasksList => Box::pin(self.task_list()).await,
            Method::TasksCancel => Box::pin(self.task_cancel()).await,
            _ => self.call().await,
        };
        wire::ended(&self.id, done, &self.call.caller)
    }

    async fn call(&self) -> Result<String, CallError> {
        let limits = RoundLimits::new(self.session.server().limits().ask_rounds);
        Ok(match round_trips(&mut &*self, Answers::default(), limits).await? {
            CallEnd::Complete(answer) => self.answered(&answer),
            CallEnd::Started(record) => wire::legacy_task(&self.id, &record),
            CallEnd::Stopped(failed) => failed,
        })
    }

    /// Asks the client. If the service withdraws its questions first, the round has no answers.
    async fn answers_to(&self, questions: &Questions) -> Result<NextRound<String>, CallError> {
        match questions.unless_withdrawn(self.asker(None).ask(questions)).await.transpose() {
            Err(CallError::Other(refusal)) if self.call.method == Method::ToolsCall => {
                Ok(NextRound::Stop(self.failed(&refusal.message)?))
            }
            round => Ok(NextRound::CallAgain(round?.unwrap_or_default())),
        }
    }

    /// Reports a client's refusal to answer as a failed tool call, not as a protocol error.
    fn failed(&self, message: &str) -> Result<String, CallError> {
        let answer = Answer::new(&CallToolResult::error(message))?;
        Ok(self.answered(&answer))
    }

    fn answered(&self, answer: &Answer) -> String {
        wire::legacy_answer(&self.id, self.call.method, answer, &self.call.caller)
    }

    /// The asker for this call, on behalf of a task if there is one.
    fn asker<'a>(&'a self, task: Option<&'a str>) -> Asker<'a> {
        let (session, caller, outbox) = (&self.session, &self.call.caller, self.reply.outbox());
        Asker { session, caller, outbox, task }
    }

    fn notes(&self) -> Notes {
        Notes::new(Arc::new(CallNoteSink {
            outbox: Arc::clone(self.reply.outbox()),
            revision: self.call.caller.revision,
            progress: self.progress.clone(),
            gate: LogGate::Session(Arc::clone(&self.session)),
            pause: match self.reply.scope() {
                ReplyScope::Exchange => PauseMode::Resumable,
                ReplyScope::Connection => PauseMode::Ignored,
            },
            call: CallLife::of(&self.call.params),
        }))
    }
}

/// The answers come from requests to the client, whose own request waits meanwhile.
impl RoundTrips for &LegacyCall {
    type Error = CallError;
    type Stopped = String;

    fn call(
        &mut self,
        answers: Answers,
    ) -> impl Future<Output = Result<Outcome, CallError>> + Send {
        let (call, server) = (self.call.with_answers(answers), self.session.server());
        call_service(server.service(), server.limits().call, call, self.notes())
    }

    fn answer(
        &mut self,
        questions: &Questions,
        _so_far: &Answers,
    ) -> impl Future<Output = Result<NextRound<String>, CallError>> + Send {
        Box::pin(self.answers_to(questions))
    }
}

/// A token made here for a caller that sent none, on servers that report progress all the same.
fn own_token(session: &SessionState, method: Method, reply: &Reply) -> Option<ProgressToken> {
    let flows = match session.server().progress() {
        ProgressRule::Requested => false,
        ProgressRule::OnStreams => {
            method == Method::ToolsCall && reply.scope() == ReplyScope::Exchange
        }
    };
    let token = if flows { random_token().ok() } else { None };
    token.map(|token| ProgressToken(RequestId::from(&*token)))
}

fn task_offer(session: &SessionState, params: &Params, revision: Revision) -> TaskOffer {
    if revision != Revision::V2025_11_25 {
        return TaskOffer::No;
    }
    let asked = params.get("task").filter(|task| *task != "null");
    let Some(task) = asked else { return TaskOffer::NotAsked };
    let ttl = hobnob_mcp_types::json::field(task, "ttl").and_then(|ttl| ttl.parse().ok());
    TaskOffer::Asked { owner: session.owner().clone(), ttl_ms: ttl }
}

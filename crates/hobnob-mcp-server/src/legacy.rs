//! A legacy request that is not answered at once: a call of the service, or about a task.

use crate::ask::{Round, ask};
use crate::call::{caught, within};
use crate::modern::Encoded;
use crate::reply::{Reply, Scope};
use crate::rounds::Rounds;
use crate::session::Session;
use crate::sink::{CallLife, EdgeNotes, Furthest, LogGate, PauseMode};
use crate::wire;
use hobnob_mcp_engine::{
    Answer, Answers, Call, CallError, Caller, Held, Notes, Outcome, Questions, Share, TaskOffer,
    progress_token,
};
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_mcp_types::{Method, Params, RequestId, Revision};
use std::sync::Arc;

/// One request under way.
pub(crate) struct LegacyCall {
    session: Arc<Session>,
    id: RequestId,
    method: Method,
    params: Arc<Params>,
    caller: Caller,
    reply: Reply,
    furthest: Arc<Furthest>,
    _place: Share,
}

impl LegacyCall {
    pub(crate) fn new(
        session: &Arc<Session>,
        id: RequestId,
        method: Method,
        params: Params,
        caller: Caller,
        reply: Reply,
        place: Share,
    ) -> Self {
        let session = Arc::clone(session);
        let params = Arc::new(params);
        let furthest = Arc::default();
        Self { session, id, method, params, caller, reply, furthest, _place: place }
    }

    /// Runs to the answer.
    pub(crate) async fn run(self) -> Encoded {
        // What is rarely done is boxed, so that the future of every call stays small to move.
        let done = match self.method {
            Method::TasksGet => Box::pin(self.task_get()).await,
            Method::TasksResult => Box::pin(self.task_result()).await,
            Method::TasksList => Box::pin(self.task_list()).await,
            Method::TasksCancel => Box::pin(self.task_cancel()).await,
            _ => self.call().await,
        };
        match done {
            Ok(bytes) => (bytes, None),
            Err(error) => wire::call_error(&self.id, &error, &self.caller),
        }
    }

    /// Calls the service, round by round, asking the client in between.
    async fn call(&self) -> Result<String, CallError> {
        let mut answers = Answers::default();
        let mut rounds = Rounds::new(self.session.server().limits().ask_rounds);
        // Kept until the service was called again: a call that is cancelled meanwhile lets go.
        let mut held: Option<Held> = None;
        loop {
            let call = Call {
                method: self.method,
                params: Arc::clone(&self.params),
                caller: self.caller.clone(),
                answers: answers.clone(),
                task: self.task_offer(),
                mirrored: None,
            };
            let (service, notes) = (Arc::clone(self.session.server().service()), self.notes());
            let limit = self.session.server().limits().call;
            match within(limit, caught(async move { service.call(call, notes).await })).await? {
                Outcome::Complete(answer) => {
                    return Ok(wire::legacy_answer(&self.id, self.method, &answer, &self.caller));
                }
                Outcome::Started(record) => return Ok(wire::legacy_task(&self.id, &record)),
                Outcome::NeedsInput(questions) => {
                    rounds.take(&questions)?;
                    let round = match Box::pin(self.answers_to(&questions)).await {
                        Err(CallError::Other(refusal)) if self.method == Method::ToolsCall => {
                            return self.failed(&refusal.message);
                        }
                        round => round?,
                    };
                    if held.is_some() {
                        // They went to a question that is answered for good.
                        answers.forget_fresh();
                    }
                    held = questions.held;
                    answers.end_round(questions.state);
                    answers.add(round);
                }
            }
        }
    }

    /// Asks the client, unless the service takes its questions back first: then there are none.
    async fn answers_to(&self, questions: &Questions) -> Result<Round, CallError> {
        tokio::select! {
            biased;
            () = questions.withdrawn() => Ok(Round::new()),
            round = ask(self, questions, None) => round,
        }
    }

    /// A client that refuses to answer makes the tool fail, not the protocol.
    fn failed(&self, message: &str) -> Result<String, CallError> {
        let answer = Answer::new(&CallToolResult::error(message))?;
        Ok(wire::legacy_answer(&self.id, self.method, &answer, &self.caller))
    }

    fn task_offer(&self) -> TaskOffer {
        if self.caller.revision != Revision::V2025_11_25 {
            return TaskOffer::No;
        }
        let asked = self.params.get("task").filter(|task| *task != "null");
        let Some(task) = asked else { return TaskOffer::NotAsked };
        let ttl = hobnob_mcp_types::json::field(task, "ttl").and_then(|ttl| ttl.parse().ok());
        TaskOffer::Asked { owner: self.session.owner(), ttl_ms: ttl }
    }

    fn notes(&self) -> Notes {
        Notes::new(Arc::new(EdgeNotes {
            outbox: Arc::clone(self.reply.outbox()),
            revision: self.caller.revision,
            token: progress_token(&self.params),
            gate: LogGate::Session(Arc::clone(&self.session)),
            pause: match self.reply.scope() {
                Scope::Exchange => PauseMode::Resumable,
                Scope::Connection => PauseMode::Ignored,
            },
            call: CallLife::of(&self.params),
            furthest: Arc::clone(&self.furthest),
        }))
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    pub(crate) fn id(&self) -> &RequestId {
        &self.id
    }

    pub(crate) fn params(&self) -> &Params {
        &self.params
    }

    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    pub(crate) fn reply(&self) -> &Reply {
        &self.reply
    }
}

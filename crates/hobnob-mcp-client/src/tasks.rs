//! A call that goes on as a task over there, followed to its end.

use crate::exchange::RequestError;
use crate::forward::ExecutionMode;
use crate::options::Timeouts;
use crate::outcome;
use crate::remote::{Forwarded, Remote};
use hobnob_mcp_engine::{Answers, Call, CallError, Notes, Outcome, Questions};
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::json::{ObjectWriter, object};
use hobnob_mcp_types::tasks_ext::{DetailedTask, TaskState};
use hobnob_mcp_types::{Era, Method, RpcError};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The shortest and the longest time between two looks.
const POLL: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(10));

/// How long a task may go on; its own time to live ends it earlier.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// A task over there.
#[derive(Debug)]
pub struct RemoteTask {
    remote: Arc<Remote>,
    id: Box<str>,
    /// What progress is told under, as it was for the call.
    token: i64,
    poll: Duration,
    /// When it is given up, whatever its own time to live.
    end: Instant,
    /// Questions that were answered; the server may go on listing them for a while.
    answered: Mutex<HashSet<String>>,
}

impl RemoteTask {
    pub(crate) fn new(remote: Arc<Remote>, id: Box<str>, token: i64, poll_ms: Option<u64>) -> Self {
        let poll = Duration::from_millis(poll_ms.unwrap_or(500)).clamp(POLL.0, POLL.1);
        let end = Instant::now() + LONGEST;
        Self { remote, id, token, poll, end, answered: Mutex::default() }
    }

    /// Follows the task to its end, or to its next question; called again with the answers.
    pub async fn run(
        &self,
        call: &Call,
        answers: &Answers,
        notes: &Notes,
    ) -> Result<Outcome, CallError> {
        let failed = |failure| outcome::error(call.method, &call.params, failure);
        match self.remote.revision().era() {
            Era::Modern => self.follow_for_long(answers, notes).await.map_err(failed)?,
            Era::Legacy => self.wait(call, answers, notes).await.map_err(failed),
        }
    }

    /// Asks the server to stop it.
    pub fn cancel(&self) {
        let params = self.params(|_| ());
        if let Ok(exchange) = self.remote.begin(Method::TasksCancel, &params, None) {
            let limit = self.remote.options().timeouts.call;
            self.remote.peer().spawn(async move { drop(exchange.answer_within(limit).await) });
        }
    }

    /// The same with an end of ours, since a server may forget its own.
    async fn follow_for_long(
        &self,
        answers: &Answers,
        notes: &Notes,
    ) -> Result<Result<Outcome, CallError>, RequestError> {
        let _heard = self.remote.peer().hear_token(self.token, notes.clone());
        match tokio::time::timeout_at(self.end, self.follow(answers)).await {
            Ok(done) => done,
            Err(_) => {
                self.cancel();
                Err(RequestError::Late(LONGEST))
            }
        }
    }

    /// The extension: look again and again.
    async fn follow(&self, answers: &Answers) -> Result<Result<Outcome, CallError>, RequestError> {
        self.update(answers).await?;
        loop {
            let text = self.remote.request(Method::TasksGet, &self.params(|_| ())).await?;
            let task: DetailedTask = serde_json::from_str(&text).map_err(|error| {
                RequestError::Unreadable(RpcError::invalid_request(error.to_string()))
            })?;
            match task.state {
                TaskState::Working => {}
                TaskState::InputRequired(requests) => {
                    if let Some(questions) = self.unanswered(requests) {
                        return Ok(Ok(Outcome::NeedsInput(questions)));
                    }
                }
                TaskState::Completed(result) => {
                    let text: Box<str> = result.get().into();
                    let revision = self.remote.revision();
                    let answer = outcome::complete(Method::ToolsCall, revision, text);
                    return Ok(Ok(Outcome::Complete(answer)));
                }
                TaskState::Failed(error) => return Ok(Err(CallError::Other(error))),
                TaskState::Cancelled => {
                    let error = RpcError::invalid_request("the server cancelled the task");
                    return Ok(Err(CallError::Other(error)));
                }
            }
            tokio::time::sleep(self.poll).await;
        }
    }

    async fn update(&self, answers: &Answers) -> Result<(), RequestError> {
        let fresh: Vec<_> = answers.fresh().collect();
        if fresh.is_empty() {
            return Ok(());
        }
        let params = self.params(|object| {
            let mut responses = ObjectWriter::new(object.key("inputResponses"));
            for (key, answer) in &fresh {
                responses.raw(key, answer.get());
            }
            responses.end();
        });
        self.remote.request(Method::TasksUpdate, &params).await?;
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        answered.extend(fresh.iter().map(|(key, _)| (*key).to_owned()));
        Ok(())
    }

    /// What is asked and was not answered yet, if there is anything.
    fn unanswered(&self, requests: InputRequests) -> Option<Questions> {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let open = requests.0.into_iter().filter(|(key, _)| !answered.contains(key));
        let requests = InputRequests(open.collect());
        let questions = Questions { requests, ..Questions::default() };
        (!questions.requests.0.is_empty()).then_some(questions)
    }

    /// 2025-11-25: one request that is answered at the task's end.
    async fn wait(
        &self,
        call: &Call,
        answers: &Answers,
        notes: &Notes,
    ) -> Result<Outcome, RequestError> {
        let patient =
            Timeouts { call: LONGEST, call_max: LONGEST, ..self.remote.options().timeouts };
        let exchange = match self.remote.resume(answers, notes) {
            Some(resumed) => resumed?,
            None => {
                let params = self.params(|_| ());
                let exchange =
                    self.remote.begin(Method::TasksResult, &params, Some(&call.caller))?;
                exchange.hear_of(self.token, notes.clone());
                exchange
            }
        };
        match self.remote.drive(exchange, call, ExecutionMode::Call, &patient).await? {
            Forwarded::Outcome(outcome) => Ok(outcome),
            Forwarded::Task(_) => {
                Err(RequestError::Unreadable(RpcError::invalid_request("a task of a task")))
            }
        }
    }

    fn params(&self, more: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
        object(|object| {
            object.string("taskId", &self.id);
            more(object);
        })
    }
}

//! A call that goes on as a task on the server, followed to its end.
//!
//! `Remote` makes a [`RemoteTask`] when a call becomes one; `Client` and the gateway run it, again
//! with answers when it asks something. Until its end or our deadline, the server keeps it.

use crate::error::RequestError;
use crate::forward::ExecutionMode;
use crate::open_connection::OpenConnection;
use crate::options::Timeouts;
use crate::outcome::{self, CallResult};
use crate::park::Resumed;
use crate::peer::Peer;
use hobnob_mcp_engine::{Answers, Call, CallError, Notes, Outcome, Questions};
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::json::{ObjectWriter, object};
use hobnob_mcp_types::tasks_ext::{DetailedTask, TaskState};
use hobnob_mcp_types::{Era, Method, RpcError};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How often a task is polled whose server does not say.
const DEFAULT_POLL_MS: u64 = 500;

/// The shortest and the longest time between two polls, whatever the server says.
const POLL: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(10));

/// How long a task may go on; its own time to live ends it earlier.
const MAX_TIME: Duration = Duration::from_secs(24 * 3600);

/// A task on the server that stands for a call.
#[derive(Debug)]
pub struct RemoteTask {
    connection: Arc<OpenConnection>,
    id: Box<str>,
    /// The token of its progress, which was the call's.
    token: i64,
    poll: Duration,
    /// When it is given up, whatever its own time to live.
    deadline: Instant,
    /// Keys of questions that were answered; the server may go on listing them for a while.
    answered: Mutex<HashSet<String>>,
}

impl RemoteTask {
    pub(crate) fn new(
        connection: Arc<OpenConnection>,
        id: Box<str>,
        token: i64,
        poll_ms: Option<u64>,
    ) -> Self {
        let poll = Duration::from_millis(poll_ms.unwrap_or(DEFAULT_POLL_MS)).clamp(POLL.0, POLL.1);
        let deadline = Instant::now() + MAX_TIME;
        Self { connection, id, token, poll, deadline, answered: Mutex::default() }
    }

    /// Follows the task to its end, or to its next question; called again with the answers.
    pub async fn run(
        &self,
        call: &Call,
        answers: &Answers,
        notes: &Notes,
    ) -> Result<Outcome, CallError> {
        let failed = |error| outcome::error(call.method, &call.params, error);
        match self.connection.revision().era() {
            Era::Modern => self.poll_until_deadline(answers, notes).await.map_err(failed)?,
            Era::Legacy => self.wait_for_result(call, answers, notes).await.map_err(failed),
        }
    }

    /// Asks the server to stop it.
    pub fn cancel(&self) {
        self.connection.request_detached(Method::TasksCancel, &self.params(|_| ()));
    }

    /// With a deadline of ours, since a server may forget its own.
    async fn poll_until_deadline(
        &self,
        answers: &Answers,
        notes: &Notes,
    ) -> Result<Result<Outcome, CallError>, RequestError> {
        let _subscribed = ProgressSubscription::new(&self.connection.peer, self.token, notes);
        match tokio::time::timeout_at(self.deadline, self.poll(answers)).await {
            Ok(done) => done,
            Err(_) => {
                self.cancel();
                Err(RequestError::Late(MAX_TIME))
            }
        }
    }

    /// The tasks extension: look again and again.
    async fn poll(&self, answers: &Answers) -> Result<Result<Outcome, CallError>, RequestError> {
        self.update(answers).await?;
        loop {
            let text = self.connection.request(Method::TasksGet, &self.params(|_| ())).await?;
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
                    let revision = self.connection.revision();
                    let answer = outcome::complete(Method::ToolsCall, revision, text.into());
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
        self.connection.request(Method::TasksUpdate, &params).await?;
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
    async fn wait_for_result(
        &self,
        call: &Call,
        answers: &Answers,
        notes: &Notes,
    ) -> Result<Outcome, RequestError> {
        let connection = &self.connection;
        let timeouts =
            Timeouts { call: MAX_TIME, call_max: MAX_TIME, ..connection.options.timeouts };
        let exchange = match connection.resume(answers, notes).transpose()? {
            Some(Resumed::Sent(exchange)) => exchange,
            Some(Resumed::Unsent) | None => {
                let params = self.params(|_| ());
                let exchange =
                    connection.begin(Method::TasksResult, &params, Some(&call.caller))?;
                exchange.take_progress_of(self.token, notes.clone());
                exchange
            }
        };
        match connection.finish(exchange, call, ExecutionMode::Call, &timeouts).await? {
            CallResult::Outcome(outcome) => Ok(outcome),
            CallResult::Task { .. } => {
                let error = RpcError::invalid_request("the result of a task is another task");
                Err(RequestError::Unreadable(error))
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

/// Takes the progress of a task that is polled; ends when it is dropped.
struct ProgressSubscription<'a> {
    peer: &'a Peer,
    token: i64,
}

impl<'a> ProgressSubscription<'a> {
    fn new(peer: &'a Peer, token: i64, notes: &Notes) -> Self {
        peer.pending().set_task_notes(token, Some(notes.clone()));
        Self { peer, token }
    }
}

impl Drop for ProgressSubscription<'_> {
    fn drop(&mut self) {
        self.peer.pending().set_task_notes(self.token, None);
    }
}

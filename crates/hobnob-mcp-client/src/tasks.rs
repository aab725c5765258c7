//! A call that continues as a task on the server, followed to its end.
//!
//! `Remote` makes a [`RemoteTask`] when a call becomes a task; `Client` and the gateway run it, and
//! again with the answers to its questions. The server keeps it until its end or our deadline.

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
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The time between two polls, if the server does not suggest one.
const DEFAULT_POLL_MS: u64 = 500;

/// The shortest and the longest time between two polls, independent of the server's suggestion.
const POLL: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(10));

/// The longest time a task may take; its own time to live may end it earlier.
const MAX_TIME: Duration = Duration::from_secs(24 * 3600);

/// A task on the server that continues a call.
#[derive(Debug)]
pub struct RemoteTask {
    connection: Arc<OpenConnection>,
    id: Box<str>,
    /// The progress token of the call, which the task keeps.
    token: i64,
    poll: Duration,
    /// When the client gives up, independent of the task's own time to live.
    deadline: Instant,
    /// Keys of questions that were answered; the server may continue to list them for a while.
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

    /// Follows the task to its end, or to its next question; then call it again with the answers.
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

    /// Asks the server to cancel the task.
    pub fn cancel(&self) {
        self.connection.request_detached(Method::TasksCancel, &self.params(|_| ()));
    }

    /// Polls with a deadline of our own, because a server may forget its own.
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

    /// The tasks extension: polls the state of the task.
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
        let mut answered = self.answered.lock();
        answered.extend(fresh.iter().map(|(key, _)| (*key).to_owned()));
        Ok(())
    }

    /// The questions that are not answered yet, if there are any.
    fn unanswered(&self, requests: InputRequests) -> Option<Questions> {
        let answered = self.answered.lock();
        let open = requests.0.into_iter().filter(|(key, _)| !answered.contains(key));
        let requests = InputRequests(open.collect());
        let questions = Questions { requests, ..Questions::default() };
        (!questions.requests.0.is_empty()).then_some(questions)
    }

    /// Tasks of 2025-11-25: one request that the server answers when the task ends.
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

/// Receives the progress of a task that is polled; dropping it ends that.
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

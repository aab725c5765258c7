//! The requests of one connection that wait for their answers, matched by id.
//!
//! `Exchange` adds a request and takes it out again when its caller gives up; the inbox takes out
//! answered requests. Invariant: only the code that takes a request out may end it.

use super::abandoned_calls::AbandonedCalls;
use super::activity::Activity;
use super::server_questions::ServerQuestion;
use crate::error::RequestError;
use crate::fair_queue::Turn;
use hobnob_mcp_engine::{Caller, ClientId, Notes, can_answer};
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::subscriptions::SubscriptionFilter;
use hobnob_mcp_types::{Method, ResultText};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::DropGuard;

/// How a request ended: the result as JSON text.
pub(crate) type RequestResult = Result<ResultText, RequestError>;

/// One request that waits for its answer.
pub(crate) struct PendingRequest {
    pub(crate) method: Method,
    pub(crate) result: oneshot::Sender<RequestResult>,
    /// Receives progress and log messages; `None` for a request of our own.
    pub(crate) notes: Option<Notes>,
    /// Receives the questions that the server asks during this call, if it may ask any.
    pub(crate) questions: Option<mpsc::Sender<ServerQuestion>>,
    pub(crate) activity: Arc<Activity>,
    /// The caller on whose behalf it was sent; `None` for a request of our own.
    pub(crate) caller: Option<Caller>,
    /// Receives the acknowledgement of `subscriptions/listen`.
    pub(crate) acknowledged: Option<oneshot::Sender<SubscriptionFilter>>,
    /// The caller's turn in the queue, which passes to the next call when this request is over.
    pub(crate) _turn: Option<Turn>,
    /// Dropping it says that the request is no longer pending.
    pub(crate) _waiting: DropGuard,
}

impl PendingRequest {
    /// Ends the request. Its caller may have stopped waiting, which does not matter.
    pub(crate) fn end(self, result: RequestResult) {
        drop(self.result.send(result));
    }

    /// The client on whose behalf it was sent. The name of a client does not count, because many
    /// clients may use the same one.
    fn client(&self) -> Option<ClientId> {
        self.caller.as_ref().map(|caller| caller.client_id)
    }
}

/// The call to which a question without a call belongs.
pub(crate) enum QuestionTarget<'a> {
    /// The question goes to the caller of this call.
    Call(&'a PendingRequest),
    /// Calls of several clients match, and nothing says which one is meant.
    Ambiguous,
    /// No call in flight matches.
    NoCall,
}

/// The table of pending requests, behind the peer's lock.
#[derive(Default)]
pub(crate) struct PendingRequests {
    /// The last number used; a connection never uses a number twice.
    last_number: i64,
    requests: HashMap<i64, PendingRequest>,
    /// Maps progress tokens of calls that became tasks to the requests for their results.
    task_tokens: HashMap<i64, i64>,
    /// Receives the progress of tasks that are polled, by progress token.
    task_notes: HashMap<i64, Notes>,
    abandoned: AbandonedCalls,
    /// Why the connection has ended, once it has.
    ended: Option<Box<str>>,
}

impl PendingRequests {
    /// Adds and numbers a request, unless the connection has ended or `max` are pending.
    pub(crate) fn add(&mut self, request: PendingRequest, max: usize) -> Result<i64, RequestError> {
        if let Some(why) = &self.ended {
            return Err(RequestError::Unsent(why.clone()));
        }
        if self.requests.len() >= max {
            return Err(RequestError::Busy(format!("{max} requests are in flight already").into()));
        }
        self.last_number += 1;
        self.requests.insert(self.last_number, request);
        Ok(self.last_number)
    }

    pub(crate) fn get(&self, number: i64) -> Option<&PendingRequest> {
        self.requests.get(&number)
    }

    /// Takes out the request with this number, which is then no longer pending.
    pub(crate) fn take(&mut self, number: i64) -> Option<PendingRequest> {
        self.task_tokens.retain(|_, request| *request != number);
        self.requests.remove(&number)
    }

    /// Like [`Self::take`], but only if the request is a `subscriptions/listen`.
    pub(crate) fn take_listen(&mut self, number: i64) -> Option<PendingRequest> {
        let request = self.get(number)?;
        (request.method == Method::SubscriptionsListen).then(|| self.take(number)).flatten()
    }

    /// Remembers an abandoned call about which the server may still ask. Returns the number of the
    /// ping to send after the cancellation; `None` if the server cannot ask about the call.
    pub(crate) fn abandon(&mut self, number: i64, request: &PendingRequest) -> Option<i64> {
        let client = request.client().filter(|_| request.questions.is_some())?;
        self.last_number += 1;
        let ping = self.last_number;
        self.abandoned.add(number, ping, client);
        Some(ping)
    }

    /// Handles an answer without a pending request: to an abandoned call, or to the ping after it.
    pub(crate) fn answered_late(&mut self, number: i64) {
        self.abandoned.answered(number);
    }

    /// Sets the receiver of a request's notes from now on.
    pub(crate) fn set_notes(&mut self, number: i64, notes: Notes) {
        if let Some(request) = self.requests.get_mut(&number) {
            request.notes = Some(notes);
        }
    }

    /// Assigns progress under this token to a request, as long as it is pending.
    pub(crate) fn add_task_token(&mut self, token: i64, number: i64) {
        if self.requests.contains_key(&number) {
            self.task_tokens.insert(token, number);
        }
    }

    /// Sets the receiver of progress that no pending request has; `None` removes it.
    pub(crate) fn set_task_notes(&mut self, token: i64, notes: Option<Notes>) {
        match notes {
            Some(notes) => drop(self.task_notes.insert(token, notes)),
            None => drop(self.task_notes.remove(&token)),
        }
    }

    /// The receiver of progress under this token. Progress is a sign of life of the request.
    pub(crate) fn progress_notes(&self, token: i64) -> Option<Notes> {
        let of_task = || self.requests.get(self.task_tokens.get(&token)?);
        match self.requests.get(&token).or_else(of_task) {
            Some(request) => {
                request.activity.record();
                request.notes.clone()
            }
            None => self.task_notes.get(&token).cloned(),
        }
    }

    /// The call to which a question most likely belongs, because on a pipe nothing says so: the
    /// newest call whose caller can answer it, unless calls of several clients match.
    pub(crate) fn target_of(&self, question: &InputRequest) -> QuestionTarget<'_> {
        let able = |request: &PendingRequest| {
            let caller = request.caller.as_ref();
            caller.is_none_or(|caller| can_answer(question, caller))
        };
        let askable = |request: &PendingRequest| request.questions.is_some();
        let newest = self.newest_of_one_client(|request| askable(request) && able(request));
        match newest {
            // Its caller cannot answer either, and is not asked; the server gets the reason.
            QuestionTarget::NoCall => match self.newest(askable) {
                Some(request) => QuestionTarget::Call(request),
                None => QuestionTarget::NoCall,
            },
            QuestionTarget::Call(request) if self.abandoned.any_of_another(request.client()) => {
                QuestionTarget::Ambiguous
            }
            newest => newest,
        }
    }

    /// The receiver of a log message that names no request: the newest call, unless several clients
    /// have calls.
    pub(crate) fn newest_notes(&self) -> Option<Notes> {
        match self.newest_of_one_client(|request| request.notes.is_some()) {
            QuestionTarget::Call(request) => request.notes.clone(),
            QuestionTarget::Ambiguous | QuestionTarget::NoCall => None,
        }
    }

    /// The newest matching request, if all matching requests belong to one client.
    fn newest_of_one_client(&self, of: impl Fn(&PendingRequest) -> bool) -> QuestionTarget<'_> {
        let Some(newest) = self.newest(&of) else { return QuestionTarget::NoCall };
        let mut all = self.requests.values().filter(|request| of(request));
        if all.all(|request| request.client() == newest.client()) {
            QuestionTarget::Call(newest)
        } else {
            QuestionTarget::Ambiguous
        }
    }

    fn newest(&self, of: impl Fn(&PendingRequest) -> bool) -> Option<&PendingRequest> {
        let these = self.requests.iter().filter(|(_, request)| of(request));
        these.max_by_key(|(number, _)| **number).map(|(_, request)| request)
    }

    /// Passes the server's acknowledgement to the code that sent the `subscriptions/listen`.
    pub(crate) fn acknowledge(&mut self, number: i64, filter: SubscriptionFilter) {
        let request = self.requests.get_mut(&number);
        if let Some(acknowledged) = request.and_then(|request| request.acknowledged.take()) {
            drop(acknowledged.send(filter));
        }
    }

    /// Ends the connection; returns all pending requests.
    pub(crate) fn end(&mut self, why: &str) -> Vec<PendingRequest> {
        if self.ended.is_none() {
            self.ended = Some(why.into());
        }
        self.task_tokens.clear();
        self.task_notes.clear();
        self.requests.drain().map(|(_, request)| request).collect()
    }

    pub(crate) fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// The number of pending requests without listen requests, which are always pending.
    pub(crate) fn calls(&self) -> usize {
        let is_call = |request: &&PendingRequest| request.method != Method::SubscriptionsListen;
        self.requests.values().filter(is_call).count()
    }
}

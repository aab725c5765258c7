//! The requests of one connection that wait for their answers, matched by id.
//!
//! `Exchange` adds a request and takes it out again when it gives up; the inbox takes out what was
//! answered. Whoever takes a request out is the only one who may end it.

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
    /// Where progress and log messages go; `None` for a request of our own.
    pub(crate) notes: Option<Notes>,
    /// Where questions go that the server asks during this call, if it may ask any.
    pub(crate) questions: Option<mpsc::Sender<ServerQuestion>>,
    pub(crate) activity: Arc<Activity>,
    /// On whose behalf it was sent; `None` for a request of our own.
    pub(crate) caller: Option<Caller>,
    /// Where the acknowledgement of `subscriptions/listen` goes.
    pub(crate) acknowledged: Option<oneshot::Sender<SubscriptionFilter>>,
    /// Its caller's turn, which goes to the next one when this is over.
    pub(crate) _turn: Option<Turn>,
    /// Dropped with this, it says that the request waits no longer.
    pub(crate) _waiting: DropGuard,
}

impl PendingRequest {
    /// Ends it. Nobody may be waiting any more, which is all the same.
    pub(crate) fn end(self, result: RequestResult) {
        drop(self.result.send(result));
    }

    /// On which client's behalf it was sent. What a client calls itself does not count: any number
    /// of clients use one name.
    fn client(&self) -> Option<ClientId> {
        self.caller.as_ref().map(|caller| caller.client_id)
    }
}

/// Whom to ask something that came without its call.
pub(crate) enum QuestionTarget<'a> {
    /// The caller of this call.
    Call(&'a PendingRequest),
    /// Calls of several clients could be meant, and nothing says which.
    Ambiguous,
    /// No call is under way that could be meant.
    Nobody,
}

/// The table of them, behind the peer's lock.
#[derive(Default)]
pub(crate) struct PendingRequests {
    /// Numbers are never used twice on one connection.
    last_number: i64,
    requests: HashMap<i64, PendingRequest>,
    /// Progress tokens of calls that became tasks, and the requests that wait for their results.
    task_tokens: HashMap<i64, i64>,
    /// Where progress of tasks goes that are polled.
    task_notes: HashMap<i64, Notes>,
    abandoned: AbandonedCalls,
    /// Why nothing can be asked any more.
    ended: Option<Box<str>>,
}

impl PendingRequests {
    /// Adds a request and gives it a number, unless the connection is over or `max` are waiting.
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

    /// Takes out the request with this number; it waits no longer.
    pub(crate) fn take(&mut self, number: i64) -> Option<PendingRequest> {
        self.task_tokens.retain(|_, request| *request != number);
        self.requests.remove(&number)
    }

    /// The same if it is a `subscriptions/listen`; any other request is left alone.
    pub(crate) fn take_listen(&mut self, number: i64) -> Option<PendingRequest> {
        let request = self.get(number)?;
        (request.method == Method::SubscriptionsListen).then(|| self.take(number)).flatten()
    }

    /// Remembers that a call was given up about which the server may still ask. Returns the number
    /// of the ping to send after the cancellation; `None` if the call could not be asked about.
    pub(crate) fn abandon(&mut self, number: i64, request: &PendingRequest) -> Option<i64> {
        let client = request.client().filter(|_| request.questions.is_some())?;
        self.last_number += 1;
        let ping = self.last_number;
        self.abandoned.add(number, ping, client);
        Some(ping)
    }

    /// An answer came that no request waits for: to an abandoned call, or to the ping after it.
    pub(crate) fn answered_late(&mut self, number: i64) {
        self.abandoned.answered(number);
    }

    /// Sends the notes of a request that goes on somewhere else from now on.
    pub(crate) fn set_notes(&mut self, number: i64, notes: Notes) {
        if let Some(request) = self.requests.get_mut(&number) {
            request.notes = Some(notes);
        }
    }

    /// Progress under this token is progress of that request, as long as it waits.
    pub(crate) fn add_task_token(&mut self, token: i64, number: i64) {
        if self.requests.contains_key(&number) {
            self.task_tokens.insert(token, number);
        }
    }

    /// Progress under this token goes to these notes when no request waits for it; `None` ends that.
    pub(crate) fn set_task_notes(&mut self, token: i64, notes: Option<Notes>) {
        match notes {
            Some(notes) => drop(self.task_notes.insert(token, notes)),
            None => drop(self.task_notes.remove(&token)),
        }
    }

    /// Where progress under this token goes. It also counts as a sign of life of the request.
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

    /// The call a question belongs to most likely: on a pipe nothing says which. The newest whose
    /// caller can answer it, unless several clients could.
    pub(crate) fn target_of(&self, question: &InputRequest) -> QuestionTarget<'_> {
        let able = |request: &PendingRequest| {
            let caller = request.caller.as_ref();
            caller.is_none_or(|caller| can_answer(question, caller))
        };
        let askable = |request: &PendingRequest| request.questions.is_some();
        let newest = self.newest_of_one_client(|request| askable(request) && able(request));
        match newest {
            // Its caller cannot be asked either, and is not; the server gets the reason.
            QuestionTarget::Nobody => match self.newest(askable) {
                Some(request) => QuestionTarget::Call(request),
                None => QuestionTarget::Nobody,
            },
            QuestionTarget::Call(request) if self.abandoned.any_of_another(request.client()) => {
                QuestionTarget::Ambiguous
            }
            newest => newest,
        }
    }

    /// Where a log message goes that does not say what it belongs to: to the newest call, unless
    /// several clients have calls.
    pub(crate) fn newest_notes(&self) -> Option<Notes> {
        match self.newest_of_one_client(|request| request.notes.is_some()) {
            QuestionTarget::Call(request) => request.notes.clone(),
            QuestionTarget::Ambiguous | QuestionTarget::Nobody => None,
        }
    }

    /// The newest of these, if all of them are calls of one client.
    fn newest_of_one_client(&self, of: impl Fn(&PendingRequest) -> bool) -> QuestionTarget<'_> {
        let Some(newest) = self.newest(&of) else { return QuestionTarget::Nobody };
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

    /// Hands what the server acknowledged to whoever sent the `subscriptions/listen`.
    pub(crate) fn acknowledge(&mut self, number: i64, filter: SubscriptionFilter) {
        let request = self.requests.get_mut(&number);
        if let Some(acknowledged) = request.and_then(|request| request.acknowledged.take()) {
            drop(acknowledged.send(filter));
        }
    }

    /// Ends the connection; returns everyone who still waits.
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

    /// How many wait, but for listens, which always do.
    pub(crate) fn calls(&self) -> usize {
        let is_call = |request: &&PendingRequest| request.method != Method::SubscriptionsListen;
        self.requests.values().filter(is_call).count()
    }
}

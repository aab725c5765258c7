//! Requests whose answer has not passed yet: they tell which answer, which progress and which call on
//! the other side of the hub belong to them.
//!
//! `recordings` owns the table while a recording runs. What must stay true: it is bounded, the oldest
//! requests are forgotten first, and it keeps the text of a client's request only until the answer.

use super::passing_message::{PassingMessage, PeerKey};
use hobnob_mcp_engine::ClientId;
use hobnob_ui::{MessageDirection, RecordedKind};
use std::collections::VecDeque;

/// The most requests that are known at the same time.
const MAX_OPEN: usize = 512;

/// The most bytes of requests that wait for a call of a recorded server.
const MAX_WAITING_BYTES: usize = 8 << 20;

/// A request without an answer.
#[derive(Debug)]
pub(super) struct OpenRequest {
    peer: PeerKey,
    /// Where the request went.
    direction: MessageDirection,
    id: Box<str>,
    progress_token: Option<Box<str>>,
    pub(super) exchange: u64,
    pub(super) method: Option<Box<str>>,
    pub(super) call: Option<u64>,
    pub(super) client: Option<Box<str>>,
    /// The recordings that have the request.
    pub(super) recordings: Vec<u64>,
    /// A client's request, in case that a recorded server is called for it.
    pub(super) waiting: Option<PassingMessage>,
}

/// The table of open requests, the oldest first.
#[derive(Debug, Default)]
pub(super) struct OpenRequests {
    requests: VecDeque<OpenRequest>,
    waiting_bytes: usize,
}

impl OpenRequests {
    /// Adds a request, and keeps its text if `keeps_text`.
    pub(super) fn add(&mut self, request: &PassingMessage, exchange: u64, keeps_text: bool) {
        let Some(id) = request.envelope.id.clone() else { return };
        let waiting = keeps_text.then(|| request.clone());
        self.waiting_bytes += waiting.as_ref().map_or(0, |it| it.text.len());
        self.requests.push_back(OpenRequest {
            peer: request.peer,
            direction: request.direction,
            id,
            progress_token: request.envelope.progress_token.clone(),
            exchange,
            method: request.envelope.method.clone(),
            call: request.call,
            client: request.envelope.client.clone(),
            recordings: Vec::new(),
            waiting,
        });
        while MAX_OPEN < self.requests.len() || MAX_WAITING_BYTES < self.waiting_bytes {
            let Some(oldest) = self.requests.pop_front() else { return };
            self.waiting_bytes -= text_bytes(&oldest);
        }
    }

    /// Takes the request that a message answers.
    pub(super) fn take_answered(&mut self, answer: &PassingMessage) -> Option<OpenRequest> {
        let id = answer.envelope.id.as_deref()?;
        let at = self.requests.iter().position(|it| {
            it.peer == answer.peer && it.direction != answer.direction && *it.id == *id
        })?;
        let request = self.requests.remove(at)?;
        self.waiting_bytes -= text_bytes(&request);
        Some(request)
    }

    /// The request that a notification is about: its progress, or its end.
    pub(super) fn about(&self, notification: &PassingMessage) -> Option<&OpenRequest> {
        let about = notification.envelope.about.as_deref()?;
        let is_progress = notification.envelope.method.as_deref() == Some("notifications/progress");
        self.requests.iter().find(|it| {
            let named = if is_progress { it.progress_token.as_deref() } else { Some(&*it.id) };
            let may_name = is_progress == (it.direction != notification.direction);
            it.peer == notification.peer && may_name && named == Some(about)
        })
    }

    /// The request that a client sent under this id.
    pub(super) fn of_client(&mut self, client: ClientId, id: &str) -> Option<&mut OpenRequest> {
        let received = MessageDirection::Received;
        self.requests.iter_mut().rev().find(|it| {
            it.peer == PeerKey::Client(client) && it.direction == received && *it.id == *id
        })
    }

    /// The request of a client that became this call.
    pub(super) fn of_call(&mut self, call: u64) -> Option<&mut OpenRequest> {
        let is_client = |peer| matches!(peer, PeerKey::Client(_));
        self.requests.iter_mut().rev().find(|it| it.call == Some(call) && is_client(it.peer))
    }

    /// The request that is still open under this exchange.
    pub(super) fn of_exchange(&mut self, exchange: u64) -> Option<&mut OpenRequest> {
        self.requests.iter_mut().rev().find(|it| it.exchange == exchange)
    }

    /// Drops the texts that wait for a call of a recorded server.
    pub(super) fn drop_waiting(&mut self) {
        self.requests.iter_mut().for_each(|it| it.waiting = None);
        self.waiting_bytes = 0;
    }
}

impl PassingMessage {
    /// Whether it answers a request.
    pub(super) fn is_answer(&self) -> bool {
        matches!(self.kind, RecordedKind::Answer | RecordedKind::Error)
    }
}

fn text_bytes(request: &OpenRequest) -> usize {
    request.waiting.as_ref().map_or(0, |it| it.text.len())
}

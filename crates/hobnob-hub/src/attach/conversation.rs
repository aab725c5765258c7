//! The state of the conversation between a client and its hub, as far as it matters when the hub
//! ends: open requests, open questions, and what a session remembers.
//!
//! The relay notes every message here. What must stay true: an answer to a question of a hub that
//! is gone never reaches the next hub, whose questions may have the same ids.

use super::frames::{FrameView, cancelled_request, lost_answer, messages, question_cancelled};
use super::replay::Replay;
use hobnob_mcp_types::json::field;
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::oneshot;

/// The most subscriptions that are made again at the next hub; a hub allows fewer.
const MAX_SUBSCRIPTIONS: usize = 4096;

/// Whether the relay passes a line on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Passage {
    Forward,
    /// The other side no longer expects it.
    Drop,
}

/// The stage of a legacy session's handshake.
#[derive(Debug, Default)]
enum Handshake {
    /// None was made; modern clients need none.
    #[default]
    None,
    /// The client's request, and the id of the answer it waits for.
    Asked { id: String, request: String },
    /// The client's request, and the result in the hub's answer.
    Answered { request: String, result: String },
}

/// The conversation between one client and its hub.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// Ids of the client's open requests.
    pending: BTreeSet<String>,
    /// Ids of the hub's open requests.
    questions: BTreeSet<String>,
    handshake: Handshake,
    /// The client's `notifications/initialized`, as it was sent.
    initialized: Option<String>,
    /// The client's `resources/subscribe` request for each address.
    subscriptions: BTreeMap<String, String>,
    /// The client's last `logging/setLevel` request.
    level: Option<String>,
    /// The relay's own requests, whose answers the client does not get.
    own_requests: BTreeMap<String, Option<oneshot::Sender<()>>>,
    /// How many requests of its own the relay has made.
    own_request_count: u64,
}

impl Conversation {
    /// Notes a line from the client.
    pub(super) fn note_client_line(&mut self, line: &str) -> Passage {
        let mut passage = Passage::Forward;
        for message in messages(line) {
            match FrameView::of(message) {
                FrameView::Request { id, method } => self.note_request(id, &method, message),
                FrameView::Notification { method } => match method.as_str() {
                    "notifications/initialized" => self.initialized = Some(message.to_owned()),
                    "notifications/cancelled" => {
                        if let Some(id) = cancelled_request(message) {
                            self.pending.remove(id);
                        }
                    }
                    _ => {}
                },
                FrameView::Response { id } if !self.questions.remove(id) => passage = Passage::Drop,
                FrameView::Response { .. } | FrameView::Other => {}
            }
        }
        passage
    }

    fn note_request(&mut self, id: &str, method: &str, message: &str) {
        self.pending.insert(id.to_owned());
        let uri = || field(field(message, "params")?, "uri").map(str::to_owned);
        match method {
            "initialize" => {
                self.handshake =
                    Handshake::Asked { id: id.to_owned(), request: message.to_owned() };
            }
            "logging/setLevel" => self.level = Some(message.to_owned()),
            "resources/subscribe" => {
                if let Some(uri) = uri().filter(|_| self.subscriptions.len() < MAX_SUBSCRIPTIONS) {
                    self.subscriptions.insert(uri, message.to_owned());
                }
            }
            "resources/unsubscribe" => {
                if let Some(uri) = uri() {
                    self.subscriptions.remove(&uri);
                }
            }
            _ => {}
        }
    }

    /// Notes a line from the hub.
    pub(super) fn note_hub_line(&mut self, line: &str) -> Passage {
        let mut passage = Passage::Forward;
        for message in messages(line) {
            match FrameView::of(message) {
                FrameView::Request { id, .. } => drop(self.questions.insert(id.to_owned())),
                FrameView::Notification { method } if method == "notifications/cancelled" => {
                    if let Some(id) = cancelled_request(message) {
                        self.questions.remove(id);
                    }
                }
                FrameView::Response { id } => match self.own_requests.remove(id) {
                    Some(waiting) => {
                        passage = Passage::Drop;
                        // The relay may have stopped waiting.
                        let _ = waiting.map(|waiting| waiting.send(()));
                    }
                    None => self.note_answer(id, message),
                },
                FrameView::Notification { .. } | FrameView::Other => {}
            }
        }
        passage
    }

    fn note_answer(&mut self, id: &str, message: &str) {
        self.pending.remove(id);
        if let Handshake::Asked { id: asked, request } = &self.handshake
            && asked == id
        {
            self.handshake = match field(message, "result") {
                Some(result) => {
                    Handshake::Answered { request: request.clone(), result: result.to_owned() }
                }
                None => Handshake::None,
            };
        }
    }

    /// Returns what the client gets when the hub is gone. An open handshake is repeated.
    pub(super) fn lose_hub(&mut self) -> Vec<String> {
        let repeated = match &self.handshake {
            Handshake::Asked { id, .. } => Some(id.clone()),
            Handshake::None | Handshake::Answered { .. } => None,
        };
        let questions = std::mem::take(&mut self.questions);
        let mut lines: Vec<String> = questions.iter().map(|id| question_cancelled(id)).collect();
        let pending = std::mem::take(&mut self.pending);
        lines.extend(
            pending.iter().filter(|id| Some(*id) != repeated.as_ref()).map(|id| lost_answer(id)),
        );
        self.pending.extend(repeated);
        self.own_requests.clear();
        lines
    }

    /// The messages that the next hub needs before the client continues.
    pub(super) fn replay(&mut self) -> Replay {
        let (request, result) = match &self.handshake {
            Handshake::None => return Replay::default(),
            Handshake::Asked { request, .. } => return Replay::again(request.clone()),
            Handshake::Answered { request, result } => (request.clone(), result.clone()),
        };
        let (sender, answered) = oneshot::channel();
        let greeting = (self.own_id(Some(sender)), request);
        let more: Vec<String> =
            self.level.iter().chain(self.subscriptions.values()).cloned().collect();
        let more = more.into_iter().map(|request| (self.own_id(None), request)).collect();
        Replay::of_session(greeting, answered, self.initialized.clone(), more, &result)
    }

    /// A fresh id for a request of the relay that no client uses.
    fn own_id(&mut self, waiting: Option<oneshot::Sender<()>>) -> String {
        self.own_request_count += 1;
        let id = format!("\"hobnob:attach:{}\"", self.own_request_count);
        self.own_requests.insert(id.clone(), waiting);
        id
    }
}

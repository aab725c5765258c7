//! What a client and its hub have said to each other, as far as it matters when the hub ends: requests
//! without an answer, questions without one, and what a session remembers.
//!
//! The relay notes every message here on its way. What must stay true: an answer to a question of a
//! hub that is gone never reaches the next one, whose questions may have the same ids.

use super::frames::{FrameView, cancelled_request, lost_answer, messages, question_cancelled};
use super::replay::Replay;
use hobnob_mcp_types::json::field;
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::oneshot;

/// Subscriptions that are made again at the next hub; a hub allows fewer.
const MAX_SUBSCRIPTIONS: usize = 4096;

/// What happens to a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Passage {
    Forward,
    /// Nobody waits for it.
    Drop,
}

/// How far the handshake of a legacy session is.
#[derive(Debug, Default)]
enum Handshake {
    /// There was none; modern clients need none.
    #[default]
    None,
    /// The client's request, and the id that it waits for.
    Asked { id: String, request: String },
    /// The client's request, and what the hub answered.
    Answered { request: String, result: String },
}

/// One client and its hub.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The client's requests without an answer.
    pending: BTreeSet<String>,
    /// The hub's requests without an answer.
    questions: BTreeSet<String>,
    handshake: Handshake,
    /// The client's notification that it is ready, as it was sent.
    initialized: Option<String>,
    /// The client's `resources/subscribe` for each address.
    subscriptions: BTreeMap<String, String>,
    /// The client's last `logging/setLevel`.
    level: Option<String>,
    /// Requests of ours, whose answers the client does not get.
    ours: BTreeMap<String, Option<oneshot::Sender<()>>>,
    /// How many requests of ours there were.
    asked: u64,
}

impl Conversation {
    /// Notes a line of the client.
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

    /// Notes a line of the hub.
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
                FrameView::Response { id } => match self.ours.remove(id) {
                    Some(waiting) => {
                        passage = Passage::Drop;
                        // The relay may have given up meanwhile.
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

    /// The hub is gone: what the client is told. A handshake that was under way is made again.
    pub(super) fn lose_hub(&mut self) -> Vec<String> {
        let repeated = match &self.handshake {
            Handshake::Asked { id, .. } => Some(id.clone()),
            Handshake::None | Handshake::Answered { .. } => None,
        };
        let questions = std::mem::take(&mut self.questions);
        let mut told: Vec<String> = questions.iter().map(|id| question_cancelled(id)).collect();
        let pending = std::mem::take(&mut self.pending);
        told.extend(
            pending.iter().filter(|id| Some(*id) != repeated.as_ref()).map(|id| lost_answer(id)),
        );
        self.pending.extend(repeated);
        self.ours.clear();
        told
    }

    /// What the next hub has to be told before the client goes on.
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

    /// An id for a request of ours that no client uses.
    fn own_id(&mut self, waiting: Option<oneshot::Sender<()>>) -> String {
        self.asked += 1;
        let id = format!("\"hobnob:attach:{}\"", self.asked);
        self.ours.insert(id.clone(), waiting);
        id
    }
}

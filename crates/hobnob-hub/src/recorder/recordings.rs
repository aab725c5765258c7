//! The recordings that run, and which of them a message belongs to.
//!
//! `message_recorder` holds it under its lock. What must stay true: at most [`MAX_RECORDINGS`] run,
//! and as soon as none does, nothing is left in here.

use super::kept_messages::KeptMessages;
use super::masking::MessageMask;
use super::open_requests::OpenRequests;
use super::passing_message::{PassingMessage, PeerKey};
use hobnob_mcp_engine::{Caller, ClientId};
use hobnob_mcp_types::RequestId;
use hobnob_ui::{
    MessageDirection, MessageSide, RecordedKind, RecordedMessage, RecordingSubject,
    RecordingSummary, WantedRecording,
};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::time::Instant;

/// How many recordings may run at the same time.
pub(super) const MAX_RECORDINGS: usize = 3;

/// How many clients' names are known at the same time; later ones are learned again.
const MAX_CLIENTS: usize = 1_024;

/// One recording that runs.
pub(super) struct RunningRecording {
    pub(super) id: u64,
    pub(super) subject: RecordingSubject,
    pub(super) begun: Instant,
    pub(super) end: Instant,
    started: Timestamp,
    ends: Timestamp,
    messages: KeptMessages,
}

/// All recordings that run, and what is known of the messages between their peers.
pub(super) struct Recordings {
    running: Vec<RunningRecording>,
    open: OpenRequests,
    clients: HashMap<ClientId, KnownClient>,
    pub(super) mask: MessageMask,
    last_recording: u64,
    last_message: u64,
    last_exchange: u64,
}

/// What a client said about itself.
#[derive(Clone)]
struct KnownClient {
    name: Box<str>,
    revision: Option<&'static str>,
}

impl Recordings {
    pub(super) fn new() -> Self {
        Self {
            running: Vec::new(),
            open: OpenRequests::default(),
            clients: HashMap::new(),
            mask: MessageMask::new(),
            last_recording: 0,
            last_message: 0,
            last_exchange: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether one more may run.
    pub(super) fn has_room(&self) -> bool {
        self.running.len() < MAX_RECORDINGS
    }

    pub(super) fn start(&mut self, wanted: WantedRecording) -> u64 {
        self.last_recording += 1;
        let (begun, started) = (Instant::now(), Timestamp::now());
        self.running.push(RunningRecording {
            id: self.last_recording,
            subject: wanted.subject,
            begun,
            end: begun + wanted.time,
            started,
            ends: started.saturating_add(wanted.time).unwrap_or(started),
            messages: KeptMessages::default(),
        });
        self.last_recording
    }

    /// Ends the recordings that this selects, and drops everything that only they need.
    pub(super) fn end(
        &mut self,
        is_over: impl Fn(&RunningRecording) -> bool,
    ) -> Vec<RunningRecording> {
        let (over, running) = self.running.drain(..).partition(is_over);
        self.running = running;
        if !self.has_servers() {
            self.open.drop_waiting();
        }
        if self.running.is_empty() {
            self.open = OpenRequests::default();
            self.clients = HashMap::new();
            self.mask.forget();
        }
        over
    }

    /// When the next recording ends by itself.
    pub(super) fn next_end(&self) -> Option<Instant> {
        self.running.iter().map(|recording| recording.end).min()
    }

    pub(super) fn list(&self) -> Vec<RecordingSummary> {
        let summary = |recording: &RunningRecording| RecordingSummary {
            id: recording.id,
            subject: recording.subject.clone(),
            started: recording.started,
            ends: recording.ends,
            total: recording.messages.total(),
            kept: recording.messages.len(),
            bytes: recording.messages.bytes(),
        };
        self.running.iter().map(summary).collect()
    }

    pub(super) fn messages(&self, id: u64) -> Option<Vec<Arc<RecordedMessage>>> {
        self.running.iter().find(|it| it.id == id).map(|it| it.messages.all())
    }

    /// A request of a client became a call, which identifies it on the other side of the hub.
    pub(super) fn call_begins(&mut self, request: &RequestId, caller: &Caller) {
        let call = caller.arrival.micros();
        let Some(open) = self.open.of_client(caller.client_id, &request.to_json()) else { return };
        open.call = Some(call);
        if let Some(waiting) = &mut open.waiting {
            waiting.call = Some(call);
        }
        let exchange = open.exchange;
        for recording in &mut self.running {
            recording.messages.set_call(exchange, call);
        }
    }

    /// Keeps a message in the recordings that it belongs to.
    pub(super) fn add(&mut self, mut message: PassingMessage) {
        self.introduce(&mut message);
        let mut wanted = Vec::new();
        if message.is_answer() {
            if let Some(request) = self.open.take_answered(&message) {
                message.exchange = Some(request.exchange);
                message.envelope.method = request.method;
                message.call = request.call;
                message.envelope.client = message.envelope.client.or(request.client);
                wanted = request.recordings;
            }
        } else if message.kind == RecordedKind::Request {
            self.last_exchange += 1;
            message.exchange = Some(self.last_exchange);
            self.bring_client_request(&message);
            let may_wait = self.has_servers()
                && matches!(message.peer, PeerKey::Client(_))
                && message.direction == MessageDirection::Received;
            self.open.add(&message, self.last_exchange, may_wait);
        } else if let Some(request) = self.open.about(&message) {
            message.call = request.call;
            message.envelope.client = message.envelope.client.or_else(|| request.client.clone());
            wanted.clone_from(&request.recordings);
        }
        let direct = self.running.iter().filter(|it| belongs(&it.subject, &message));
        wanted.extend(direct.map(|it| it.id));
        self.keep(&message, &wanted);
    }

    /// Adds what is known about the client of a message, or learns it.
    fn introduce(&mut self, message: &mut PassingMessage) {
        let client = match message.peer {
            PeerKey::Client(client) => client,
            PeerKey::Server(_) => {
                let known = message.caller.and_then(|caller| self.clients.get(&caller));
                if let (None, Some(known)) = (&message.envelope.client, known) {
                    message.envelope.client = Some(known.name.clone());
                }
                return;
            }
        };
        let (name, revision) = (&mut message.envelope.client, &mut message.envelope.revision);
        match name {
            Some(name) => {
                if MAX_CLIENTS <= self.clients.len() {
                    self.clients.clear();
                }
                self.clients
                    .insert(client, KnownClient { name: name.clone(), revision: *revision });
            }
            None => {
                let Some(known) = self.clients.get(&client) else { return };
                *name = Some(known.name.clone());
                *revision = revision.or(known.revision);
            }
        }
    }

    /// A recorded server is called: the client's request behind the call belongs to the recording,
    /// and so will its answer.
    fn bring_client_request(&mut self, message: &PassingMessage) {
        let (Some(call), Some(server)) = (message.call, &message.server) else { return };
        let recordings: Vec<u64> = self.of_server(server).map(|it| it.id).collect();
        let Some(open) = self.open.of_call(call) else { return };
        let missing: Vec<u64> =
            recordings.into_iter().filter(|id| !open.recordings.contains(id)).collect();
        let Some(request) = open.waiting.clone().filter(|_| !missing.is_empty()) else { return };
        self.keep(&request, &missing);
    }

    fn keep(&mut self, message: &PassingMessage, wanted: &[u64]) {
        let wants = |it: &&mut RunningRecording| wanted.contains(&it.id);
        if !self.running.iter_mut().any(|it| wants(&it)) {
            return;
        }
        self.last_message += 1;
        let masked = self.mask.masked(&message.text);
        let recorded = Arc::new(message.recorded(self.last_message, masked));
        for recording in self.running.iter_mut().filter(wants) {
            recording.messages.push(Arc::clone(&recorded));
        }
        let exchange = message.exchange.filter(|_| message.kind == RecordedKind::Request);
        if let Some(open) = exchange.and_then(|exchange| self.open.of_exchange(exchange)) {
            open.recordings.extend(wanted);
        }
    }

    fn has_servers(&self) -> bool {
        self.running.iter().any(|it| matches!(it.subject, RecordingSubject::Server(_)))
    }

    fn of_server(&self, name: &str) -> impl Iterator<Item = &RunningRecording> {
        let is_of = move |it: &&RunningRecording| matches!(&it.subject, RecordingSubject::Server(server) if **server == *name);
        self.running.iter().filter(is_of)
    }
}

/// Whether a message alone says that it belongs to a recording.
fn belongs(subject: &RecordingSubject, message: &PassingMessage) -> bool {
    match subject {
        RecordingSubject::Server(name) => message.server.as_deref() == Some(name),
        RecordingSubject::Client(name) => message.envelope.client.as_deref() == Some(name),
        RecordingSubject::AllClients => {
            message.side() == MessageSide::Client || message.call.is_some()
        }
    }
}

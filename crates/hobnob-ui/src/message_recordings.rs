//! Recordings of exact messages, as the page shows them, and the port through which the owner starts,
//! reads and stops them.
//!
//! The hub implements the port; `api/recordings` and the event stream read it. What must stay true:
//! the hub has masked secrets before a message is in a recording, and a stopped recording is gone.

use hobnob_mcp_engine::BoxFuture;
use hobnob_text::first_chars;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Starts, reads and stops recordings.
pub trait MessageRecordings: Send + Sync + 'static {
    /// The recordings that run, the oldest first.
    fn list(&self) -> Vec<RecordingSummary>;

    /// Records this in the audit log and then starts it; the number of the recording.
    fn start(&self, wanted: WantedRecording) -> BoxFuture<'_, Result<u64, NotStarted>>;

    /// Stops a recording, drops its messages and records that in the audit log; `false` if it does
    /// not run.
    fn stop(&self, recording: u64) -> bool;

    /// The messages of a recording, the oldest first; `None` if it does not run.
    fn messages(&self, recording: u64) -> Option<Vec<Arc<RecordedMessage>>>;
}

/// What the owner wants to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedRecording {
    /// Whose messages are recorded.
    pub subject: RecordingSubject,
    /// After which time the recording ends.
    pub time: Duration,
}

/// Whose messages a recording has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordingSubject {
    /// Those between the hub and this server, and of clients' calls that reach it.
    Server(Box<str>),
    /// Those between the hub and clients that call themselves this, and of their calls to servers.
    Client(Box<str>),
    /// Those between the hub and all clients, and of their calls to servers.
    AllClients,
}

/// Why a recording did not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotStarted {
    /// The configuration has no such server.
    UnknownServer,
    /// As many recordings run as may, or it was tried and failed: why, and what to do next.
    Refused(String),
}

/// A recording that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordingSummary {
    /// Unique in this process.
    pub id: u64,
    /// Whose messages it has.
    pub subject: RecordingSubject,
    /// When it was started.
    pub started: jiff::Timestamp,
    /// When it ends by itself.
    pub ends: jiff::Timestamp,
    /// How many messages were recorded, including those that it does not have any more.
    pub total: u64,
    /// How many messages it has.
    pub kept: usize,
    /// The memory of their texts.
    pub bytes: usize,
}

/// One message, with secrets masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordedMessage {
    /// Its place among all recorded messages, from 1.
    pub number: u64,
    /// When it was sent or received.
    pub at: jiff::Timestamp,
    /// The side of the hub on which it passed.
    pub side: MessageSide,
    /// Whether the hub received or sent it.
    pub direction: MessageDirection,
    /// What kind of message it is.
    pub kind: RecordedKind,
    /// What the client calls itself, if it is known.
    pub client: Option<Box<str>>,
    /// The server, for a message between it and the hub.
    pub server: Option<Box<str>>,
    /// The method; for an answer that of its request, if it was recorded.
    pub method: Option<Box<str>>,
    /// The id of JSON-RPC, as JSON.
    pub id: Option<Box<str>>,
    /// The number that the messages of one call share, on both sides of the hub.
    pub call: Option<u64>,
    /// The number that a request and its answer share.
    pub exchange: Option<u64>,
    /// The revision of the protocol, if it is known.
    pub revision: Option<&'static str>,
    /// The length of the whole message, in bytes.
    pub bytes: usize,
    /// Whether the text is only the beginning of the message.
    pub is_cut: bool,
    /// The JSON of the message; of an unreadable one, why it cannot be read.
    pub text: Box<str>,
}

impl RecordedMessage {
    /// The same message with only the beginning of its text.
    pub(crate) fn beginning(&self, chars: usize) -> Self {
        Self {
            client: self.client.clone(),
            server: self.server.clone(),
            method: self.method.clone(),
            id: self.id.clone(),
            text: first_chars(&self.text, chars).into(),
            ..*self
        }
    }
}

/// A side of the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageSide {
    /// Between a client and the hub.
    Client,
    /// Between the hub and a server.
    Server,
}

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageDirection {
    /// From a client or a server to the hub.
    Received,
    /// From the hub to a client or a server.
    Sent,
}

/// What kind of message was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordedKind {
    /// It has a method and an id.
    Request,
    /// It has a method and no id.
    Notification,
    /// A result for a request.
    Answer,
    /// An error in place of a result.
    Error,
    /// An array of messages.
    Batch,
    /// Not a message of JSON-RPC.
    Unreadable,
}

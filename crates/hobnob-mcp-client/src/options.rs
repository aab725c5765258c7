//! The options of a client: its identity, its time limits and its other limits.
//!
//! The code that connects fills them in; they hold for one connection and never change.

use hobnob_mcp_engine::{MessageTap, WireTrace};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::hello::Implementation;
use std::sync::Arc;
use std::time::Duration;

/// The options of one connection.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// The name and version that we report to the server.
    pub implementation: Implementation,
    /// What is known in advance about the server's era.
    pub era: EraHint,
    /// The time limits of the connection.
    pub timeouts: Timeouts,
    /// The limits of a list.
    pub lists: ListLimits,
    /// The maximum number of requests in flight; some of them are reserved for our own.
    pub in_flight: usize,
    /// The maximum number of calls that wait for the answer to a question of the server.
    pub parked: usize,
    /// Additional `_meta` for the handshake and for requests that no caller made.
    pub meta: Option<ExtraMeta>,
    /// Whether the log traces the connection's messages, who else observes them, and under which
    /// name.
    pub trace: ConnectionTrace,
}

/// Whether the log traces the messages of one connection, who else observes them, and under which
/// name.
#[derive(Debug, Clone)]
pub struct ConnectionTrace {
    /// The name of the server in the log.
    pub peer: Arc<str>,
    /// Whether messages are traced.
    pub switch: WireTrace,
    /// Passes whole messages to an observer while it is open.
    pub tap: MessageTap,
}

impl Default for ConnectionTrace {
    fn default() -> Self {
        let tap = MessageTap::default();
        Self { peer: "server".into(), switch: WireTrace::ByLevel, tap }
    }
}

/// An object whose members are added to `_meta`; it is made anew for each request.
#[derive(Clone)]
pub struct ExtraMeta(Arc<dyn Fn() -> String + Send + Sync>);

impl ExtraMeta {
    /// Calls `make` for each request; it must return a JSON object.
    pub fn new(make: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// The JSON text of the object for one request.
    pub(crate) fn text(&self) -> String {
        (self.0)()
    }
}

impl std::fmt::Debug for ExtraMeta {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ExtraMeta")
    }
}

impl ClientOptions {
    /// The default options with this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            implementation: Implementation::new(name, version),
            era: EraHint::Unknown,
            timeouts: Timeouts::default(),
            lists: ListLimits::default(),
            in_flight: 1024,
            parked: 256,
            meta: None,
            trace: ConnectionTrace::default(),
        }
    }
}

/// What is known about a server's era before the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EraHint {
    /// Nothing is known: the client tries the modern era first.
    #[default]
    Unknown,
    /// The server spoke the legacy era last time: the client begins with `initialize`.
    Legacy,
    /// The server spoke the modern era last time.
    Modern,
    /// The server must speak this revision and no other.
    Only(Revision),
}

/// The limits of a list. If a server lists more, reading the list fails.
#[derive(Debug, Clone, Copy)]
pub struct ListLimits {
    /// The maximum number of pages of one list.
    pub pages: usize,
    /// The maximum number of entries on all pages together.
    pub entries: usize,
    /// The maximum number of bytes of all entries together.
    pub bytes: usize,
    /// The time limit for all pages together.
    pub time: Duration,
}

impl Default for ListLimits {
    fn default() -> Self {
        Self { pages: 1000, entries: 10_000, bytes: 8 << 20, time: Duration::from_secs(30) }
    }
}

/// The time limits of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// The time limit for opening a network connection.
    pub connect: Duration,
    /// The time limit for the whole handshake, including the start of the server's program.
    pub handshake: Duration,
    /// How long an unknown server may leave the modern discovery unanswered before the client also
    /// sends `initialize`.
    pub probe: Duration,
    /// How long a call may go without an answer or a sign of life.
    pub call: Duration,
    /// The time limit for a call, even if it shows signs of life.
    pub call_max: Duration,
    /// The time limit for a person or a model to answer a question of the server.
    pub question: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            handshake: Duration::from_secs(30),
            probe: Duration::from_secs(3),
            call: Duration::from_secs(60),
            call_max: Duration::from_secs(15 * 60),
            question: Duration::from_secs(10 * 60),
        }
    }
}

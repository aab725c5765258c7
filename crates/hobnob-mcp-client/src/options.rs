//! How a client behaves: who it is, how long it waits, how much it takes.
//!
//! Whoever connects fills these in; they hold for one connection and do not change while it lasts.

use hobnob_mcp_engine::WireTrace;
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::hello::Implementation;
use std::sync::Arc;
use std::time::Duration;

/// Settings of one connection.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// Who we say we are.
    pub implementation: Implementation,
    /// What is known of the server's era.
    pub era: EraHint,
    /// How long anything may take.
    pub timeouts: Timeouts,
    /// How much of a list is read.
    pub lists: ListLimits,
    /// Requests that may wait for an answer at once; a few of them are reserved for our own.
    pub in_flight: usize,
    /// Calls that may wait at once for somebody's answer to a question of the server.
    pub parked: usize,
    /// What else goes into `_meta` of the greeting and of requests that are made on nobody's behalf.
    pub meta: Option<ExtraMeta>,
    /// Whether its messages are traced in the log, and under which name.
    pub trace: ConnectionTrace,
}

/// Whether the messages of one connection are traced in the log, and under which name.
#[derive(Debug, Clone)]
pub struct ConnectionTrace {
    /// The server, as the log names it.
    pub peer: Arc<str>,
    /// Whether anything is written.
    pub switch: WireTrace,
}

impl Default for ConnectionTrace {
    fn default() -> Self {
        Self { peer: "server".into(), switch: WireTrace::ByLevel }
    }
}

/// An object whose members are added to `_meta`, made anew for each request.
#[derive(Clone)]
pub struct ExtraMeta(Arc<dyn Fn() -> String + Send + Sync>);

impl ExtraMeta {
    /// What `make` returns is a JSON object.
    pub fn new(make: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// The object as it is now.
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
    /// The usual settings under this name.
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

/// What is known of a server's era before it is greeted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EraHint {
    /// Nothing: modern is tried first.
    #[default]
    Unknown,
    /// It spoke the legacy era last time: the handshake comes first.
    Legacy,
    /// It spoke the modern era last time.
    Modern,
    /// This revision and no other.
    Only(Revision),
}

/// How much of a list is read; a server that lists more has failed to list.
#[derive(Debug, Clone, Copy)]
pub struct ListLimits {
    /// Pages of one list.
    pub pages: usize,
    /// Entries on all pages together.
    pub entries: usize,
    /// Bytes of all entries together.
    pub bytes: usize,
    /// Time for all pages together.
    pub time: Duration,
}

impl Default for ListLimits {
    fn default() -> Self {
        Self { pages: 1000, entries: 10_000, bytes: 8 << 20, time: Duration::from_secs(30) }
    }
}

/// How long anything may take.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// Until a connection stands.
    pub connect: Duration,
    /// For the whole greeting, the start of the server's program included.
    pub handshake: Duration,
    /// How long an unknown server may leave the modern greeting unanswered before it is also
    /// greeted the old way.
    pub probe: Duration,
    /// How long a call may go without an answer or a sign of life.
    pub call: Duration,
    /// Whatever the progress: no call takes longer.
    pub call_max: Duration,
    /// For a person or a model to answer a question of the server.
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

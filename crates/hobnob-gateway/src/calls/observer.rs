//! What other parts of a hub learn about each call: that it begins, and how it ended.
//!
//! `record` reports to the one observer that a gateway may have: the page, figures and traces of a
//! hub. What must stay true: an observer sees no arguments and no results, and never makes a call
//! wait.

use crate::upstream::{ConnectionEnd, ObservedConnection};
use hobnob_mcp_engine::{CallTrace, ClientId, EndedSession};
use hobnob_mcp_types::Method;
use hobnob_policy::audit::AuditOutcome;
use std::sync::Arc;
use std::time::Duration;

/// Watches the calls of all clients. Its methods run between a caller and its answer, so they must
/// not block.
pub trait CallObserver: Send + Sync + 'static {
    /// A call was permitted and begins to run.
    fn begun(&self, call: &Arc<ObservedCall>);

    /// A call has ended. A call that was refused ends without having begun.
    fn ended(&self, call: &Arc<ObservedCall>, end: &ObservedEnd);

    /// Whether calls are traced: each then gets spans, which its upstream learns of.
    fn records_traces(&self) -> bool {
        false
    }

    /// A connection to a server is up.
    fn server_connected(&self, _connection: &ObservedConnection) {}

    /// A connection to a server has ended.
    fn server_disconnected(&self, _connection: &ObservedConnection, _end: ConnectionEnd) {}

    /// The session of a legacy client has ended.
    fn session_ended(&self, _session: &EndedSession) {}

    /// A running call says how far it has come. Only calls whose caller asked for progress do, and
    /// each may do so a thousand times a second.
    fn progressed(&self, _call: &Arc<ObservedCall>, _progress: ObservedProgress) {}
}

/// The longest text of a progress, in bytes.
const MAX_MESSAGE_BYTES: usize = 200;

/// How far a running call has come.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedProgress {
    /// The amount done so far.
    pub done: f64,
    /// The amount at the end, if known.
    pub total: Option<f64>,
    /// What the server says about it, shortened.
    pub message: Option<Box<str>>,
}

impl ObservedProgress {
    /// A progress with a text of a bounded length.
    pub fn new(done: f64, total: Option<f64>, message: Option<&str>) -> Self {
        let message = message.map(|text| match text.len() <= MAX_MESSAGE_BYTES {
            true => text.into(),
            false => {
                let end = text.floor_char_boundary(MAX_MESSAGE_BYTES - '…'.len_utf8());
                format!("{}…", &text[..end]).into()
            }
        });
        Self { done, total, message }
    }
}

/// A tool call, or a request for a resource or a prompt, without its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedCall {
    /// Unique in this process.
    pub id: u64,
    /// When the call came in.
    pub at: jiff::Timestamp,
    /// The method that was called.
    pub method: Method,
    /// What the caller calls the tool or the prompt, or the resource's URI.
    pub target: Box<str>,
    /// The upstream's name in the configuration; `None` for a built-in.
    pub server: Option<Box<str>>,
    /// What the upstream calls the tool or the prompt, or the built-in a tool that a profile renames.
    pub original: Option<Box<str>>,
    /// The principal who calls; empty for a caller without a name.
    pub principal: Box<str>,
    /// What the client calls itself.
    pub client: Option<Box<str>>,
    /// The part of Hobnob that makes the call for the caller.
    pub via: Option<Box<str>>,
    /// The revision of the protocol that the caller speaks.
    pub revision: &'static str,
    /// The length of the parameters.
    pub request_bytes: u64,
    /// Which client calls, as far as the transport can tell.
    pub client_id: ClientId,
    /// Its spans, if calls are traced.
    pub trace: Option<Arc<CallTrace>>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservedEnd {
    /// The outcome, as in the audit log.
    pub outcome: AuditOutcome,
    /// The time from its arrival to its end.
    pub duration: Duration,
    /// The length of the result; 0 if it has none.
    pub result_bytes: u64,
}

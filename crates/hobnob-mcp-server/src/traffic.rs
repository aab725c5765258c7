//! The server's side of the trace of the wire: what clients send, what they are sent, and how
//! long calls take.
//!
//! Sessions, calls and listeners write through here. Nothing is written unless the log's level says
//! so, and nothing that is written holds a value of anybody's; `hobnob_mcp_engine::redacted` sees to
//! that.

use hobnob_mcp_engine::{
    Call, CallError, ClientId, Notes, Outcome, Service, WIRE_TARGET, WireTrace,
};
use hobnob_mcp_transport::{Merge, Outbox};
use hobnob_mcp_types::{Incoming, Request, Undecodable};
use std::sync::Arc;
use tokio::time::Instant;

const TRACE: WireTrace = WireTrace::ByLevel;

/// Whether anything is written.
#[inline]
pub(crate) fn is_traced() -> bool {
    TRACE.is_on()
}

/// What came from a client.
#[inline]
pub(crate) fn received(client: ClientId, message: Result<&Incoming, &Undecodable>) {
    if is_traced() {
        TRACE.received(&format!("{client:?}"), message);
    }
}

/// A request that stands alone.
#[inline]
pub(crate) fn received_request(client: ClientId, request: &Request) {
    if is_traced() {
        TRACE.received_request(&format!("{client:?}"), request);
    }
}

/// A message to a client. Which one is not known here; the id of an answer tells.
#[inline]
pub(crate) fn sent(message: &str) {
    TRACE.sent("client", message);
}

/// Queues a notification, which the outbox may merge or drop.
pub(crate) fn note(outbox: &Outbox, message: String, merge: Merge) {
    sent(&message);
    outbox.note(message, merge);
}

/// Queues a notification that pushes out no other; one that finds no room is dropped.
pub(crate) fn note_if_room(outbox: &Outbox, message: String) {
    sent(&message);
    outbox.note_if_room(message);
}

/// Queues a question that only the client can answer.
pub(crate) fn ask(outbox: &Outbox, message: String) {
    sent(&message);
    outbox.ask(message);
}

/// Calls the service, and writes how that ended and how long it took.
pub(crate) async fn timed(
    service: Arc<dyn Service>,
    call: Call,
    notes: Notes,
) -> Result<Outcome, CallError> {
    let (method, client) = (call.method.as_str(), call.caller.client_id);
    let begun = Instant::now();
    let done = service.call(call, notes).await;
    let microseconds = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    let (outcome, bytes) = match &done {
        Ok(Outcome::Complete(answer)) => ("result", answer.body.len()),
        Ok(Outcome::NeedsInput(_)) => ("question", 0),
        Ok(Outcome::Started(_)) => ("task", 0),
        Err(CallError::Arguments(_)) => ("unfit arguments", 0),
        Err(CallError::UnknownTool(_)) => ("unknown tool", 0),
        Err(_) => ("error", 0),
    };
    tracing::debug!(
        target: WIRE_TARGET, peer = ?client, method, outcome, bytes, microseconds, "call ended"
    );
    done
}

//! The server's side of the wire trace: received and sent messages, and the duration of calls.
//!
//! Sessions, calls and listeners log through it. It writes only if the log level enables it, and
//! never any value from a message: `hobnob_mcp_engine::redacted` removes them.

use hobnob_mcp_engine::{
    Call, CallError, ClientId, Notes, Outcome, Service, WIRE_TARGET, WireTrace,
};
use hobnob_mcp_transport::{Merge, Outbox};
use hobnob_mcp_types::{Incoming, Request, Undecodable};
use std::sync::Arc;
use tokio::time::Instant;

const TRACE: WireTrace = WireTrace::ByLevel;

/// Whether the trace is enabled.
#[inline]
pub(crate) fn is_traced() -> bool {
    TRACE.is_on()
}

/// Traces a message from a client.
#[inline]
pub(crate) fn received(client: ClientId, message: Result<&Incoming, &Undecodable>) {
    if is_traced() {
        TRACE.received(&format!("{client:?}"), message);
    }
}

/// Traces a request that did not come through `received`.
#[inline]
pub(crate) fn received_request(client: ClientId, request: &Request) {
    if is_traced() {
        TRACE.received_request(&format!("{client:?}"), request);
    }
}

/// Traces a message to the client that reads this queue, and passes it to observers. The trace does
/// not know the client; an answer's id identifies it.
#[inline]
pub(crate) fn sent(outbox: &Outbox, message: &str) {
    TRACE.sent("client", message);
    if let Some(observer) = outbox.observer.get() {
        observer.sent(message);
    }
}

/// Queues a notification that the outbox may merge or drop.
pub(crate) fn note(outbox: &Outbox, message: String, merge: Merge) {
    sent(outbox, &message);
    outbox.note(message, merge);
}

/// Queues a notification if there is room, and drops it otherwise; it never displaces another one.
pub(crate) fn note_if_room(outbox: &Outbox, message: String) {
    sent(outbox, &message);
    outbox.note_if_room(message);
}

/// Queues a question to the client.
pub(crate) fn ask(outbox: &Outbox, message: String) {
    sent(outbox, &message);
    outbox.ask(message);
}

/// Calls the service and traces the outcome and the duration.
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

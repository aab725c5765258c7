//! The outgoing side of one connection: its carrier, and the revision of the messages.
//!
//! Requests, answers to the server's questions and notifications all leave here. Nothing in here
//! waits. The carrier is attached after construction, because making a carrier needs a receiver.

use crate::options::ConnectionTrace;
use hobnob_mcp_engine::{Caller, MessagePeer, PassedMessage, WireDirection, message_text};
use hobnob_mcp_transport::{Carrier, Outgoing, OutgoingKind, RequestHead, SendError};
use hobnob_mcp_types::{Era, Incoming, Method, RequestId, Revision, RpcError, Undecodable, encode};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The kind of transport, where it makes a difference to the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// One stream for everything: a pipe, a socket, HTTP+SSE.
    Pipe,
    /// Streamable HTTP: an exchange for each request.
    Http,
}

/// Writes to the server.
pub(crate) struct MessageSender {
    wire: Wire,
    carrier: OnceLock<Arc<dyn Carrier>>,
    revision: OnceLock<Revision>,
    trace: ConnectionTrace,
    /// The number of the connection, for observers of messages.
    connection: u64,
}

impl MessageSender {
    pub(crate) fn new(wire: Wire, trace: ConnectionTrace) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let connection = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        Self { wire, carrier: OnceLock::new(), revision: OnceLock::new(), trace, connection }
    }

    pub(crate) fn wire(&self) -> Wire {
        self.wire
    }

    /// Must be called once, before anything is sent.
    pub(crate) fn attach(&self, carrier: Arc<dyn Carrier>) {
        drop(self.carrier.set(carrier));
    }

    /// Sets the agreed revision. The first agreement stands: two handshakes may have been open.
    pub(crate) fn agree(&self, revision: Revision) {
        let _already = self.revision.set(revision);
    }

    /// Tells the carrier that the handshake is over, which changes the headers it sends.
    pub(crate) fn greeted(&self, revision: Revision) {
        if let Some(carrier) = self.carrier.get() {
            carrier.greeted(revision);
        }
    }

    /// The revision that both sides speak, once they have agreed.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.revision.get().copied()
    }

    /// Whether the server is known to speak this era.
    pub(crate) fn speaks(&self, era: Era) -> bool {
        self.revision().is_some_and(|revision| revision.era() == era)
    }

    /// Sends a request, on behalf of a caller if there is one.
    pub(crate) fn request(
        &self,
        text: String,
        head: RequestHead,
        caller: Option<&Caller>,
    ) -> Result<(), SendError> {
        self.send(Outgoing { text, kind: OutgoingKind::Request(head) }, caller)
    }

    /// Whether a recorder observes the messages of this connection.
    pub(crate) fn is_observed(&self) -> bool {
        self.trace.tap.is_open()
    }

    pub(crate) fn notify(&self, method: Method, params: &str) {
        self.one_way(encode::notification(method, params));
    }

    /// Answers a request of the server with the JSON of a result, or with an error.
    pub(crate) fn respond(&self, id: &RequestId, answer: Result<&str, &RpcError>) {
        self.one_way(match answer {
            Ok(result) => encode::result(id, |out| out.push_str(result)),
            Err(error) => encode::error(Some(id), error),
        });
    }

    /// Sends a message without waiting for an answer. If it cannot be sent, it is dropped.
    pub(crate) fn one_way(&self, text: String) {
        let kind = OutgoingKind::OneWay { revision: self.revision() };
        if let Err(error) = self.send(Outgoing { text, kind }, None) {
            tracing::debug!(%error, "a message could not be sent");
        }
    }

    /// Lets the carrier drop its state for an abandoned request.
    pub(crate) fn abandon(&self, id: &RequestId) {
        if let Some(carrier) = self.carrier.get() {
            carrier.abandon(id);
        }
    }

    pub(crate) fn close(&self) {
        if let Some(carrier) = self.carrier.get() {
            carrier.close();
        }
    }

    /// Traces a message from the server, if the connection is traced, and passes it to observers.
    pub(crate) fn trace_received(&self, message: Result<&Incoming, &Undecodable>) {
        self.trace.switch.received(&self.trace.peer, message);
        if self.is_observed() {
            let text: Cow<'_, str> = match message {
                Ok(Incoming::One(message)) => message_text(message).into(),
                Ok(Incoming::Many(batch)) => batch.as_str().into(),
                Err(refused) => (&*refused.error.message).into(),
            };
            self.observe(WireDirection::Received, &text, message.is_ok(), None);
        }
    }

    #[cold]
    fn observe(
        &self,
        direction: WireDirection,
        text: &str,
        is_readable: bool,
        caller: Option<&Caller>,
    ) {
        let Some(observer) = self.trace.tap.observer() else { return };
        let (name, connection) = (&*self.trace.peer, self.connection);
        observer.message(PassedMessage {
            peer: MessagePeer::Server { name, connection },
            direction,
            text,
            is_readable,
            revision: self.revision(),
            caller,
        });
    }

    fn send(&self, message: Outgoing, caller: Option<&Caller>) -> Result<(), SendError> {
        self.trace.switch.sent(&self.trace.peer, &message.text);
        if self.is_observed() {
            self.observe(WireDirection::Sent, &message.text, true, caller);
        }
        self.carrier.get().ok_or(SendError::Ended)?.send(message)
    }
}

//! Passes the text of whole messages to one observer while it listens, such as a recorder.
//!
//! Clients and servers of this process pass every message by a [`MessageTap`]. What must stay true:
//! while the tap is closed, a message costs one relaxed load; and no header is ever passed on.

use crate::caller::Caller;
use crate::client_id::ClientId;
use crate::wire_trace::{WireDirection, text_of};
use hobnob_mcp_types::{Message, Request, RequestId, Revision};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Where messages can be observed; closed until its observer opens it. Clones share one state.
#[derive(Clone, Default)]
pub struct MessageTap(Arc<TapState>);

#[derive(Default)]
struct TapState {
    is_open: AtomicBool,
    /// Weak, because the observer owns the tap.
    observer: OnceLock<Weak<dyn MessageObserver>>,
}

/// Gets every message that passes an open tap, on the task that sends or receives it: it must not
/// block.
pub trait MessageObserver: Send + Sync + 'static {
    /// Gets a message before it is sent, or before its receiver acts on it.
    fn message(&self, message: PassedMessage<'_>);

    /// A client's request with this id became a call by this caller, whose arrival identifies it.
    fn call_begins(&self, request: &RequestId, caller: &Caller);
}

/// A message on its way between this process and a peer.
#[derive(Debug, Clone, Copy)]
pub struct PassedMessage<'a> {
    /// The client or server on the other side.
    pub peer: MessagePeer<'a>,
    /// Whether the peer sent or receives it.
    pub direction: WireDirection,
    /// The JSON of the message. A received one has its members in the order of JSON-RPC; `params`
    /// and `result` are the peer's own text. Of an unreadable message, why it cannot be read.
    pub text: &'a str,
    /// Whether the text is a message.
    pub is_readable: bool,
    /// The revision that both sides speak, if they have agreed on one.
    pub revision: Option<Revision>,
    /// The caller for whom a request is sent to a server.
    pub caller: Option<&'a Caller>,
}

/// The other side of a message.
#[derive(Debug, Clone, Copy)]
pub enum MessagePeer<'a> {
    /// A server that this process is a client of.
    Server {
        /// Its name in the configuration.
        name: &'a str,
        /// The number of the connection, unique in this process.
        connection: u64,
    },
    /// A client of this process.
    Client {
        /// Which client, as far as the transport can tell.
        id: ClientId,
        /// What the client called itself in its handshake, if there was one.
        name: Option<&'a str>,
    },
}

impl MessageTap {
    /// Sets the observer. Only the first one counts.
    pub fn report_to(&self, observer: Weak<dyn MessageObserver>) {
        let _only_first = self.0.observer.set(observer);
    }

    /// Begins to pass messages to the observer.
    pub fn open(&self) {
        self.0.is_open.store(true, Ordering::Relaxed);
    }

    /// Passes no more messages.
    pub fn close(&self) {
        self.0.is_open.store(false, Ordering::Relaxed);
    }

    /// Whether messages are observed now. Check it before you make the text of a message.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.0.is_open.load(Ordering::Relaxed)
    }

    /// The observer, if the tap is open.
    #[inline]
    pub fn observer(&self) -> Option<Arc<dyn MessageObserver>> {
        if !self.is_open() {
            return None;
        }
        self.0.observer.get().and_then(Weak::upgrade)
    }
}

impl fmt::Debug for MessageTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_open() { "MessageTap(open)" } else { "MessageTap(closed)" })
    }
}

/// A decoded message as text again.
pub fn message_text(message: &Message) -> String {
    with_version(&text_of(message))
}

/// A decoded request as text again.
pub fn request_text(request: &Request) -> String {
    let Request { id, method, params } = request;
    with_version(&crate::wire_trace::named(method, params.raw(), Some(id)))
}

fn with_version(text: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",{}", text.strip_prefix('{').unwrap_or(text))
}

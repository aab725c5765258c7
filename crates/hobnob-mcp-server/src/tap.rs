//! The server's side of the message tap: what clients send, and what they are sent.
//!
//! Sessions and modern calls pass their messages by here. What must stay true: while the tap is
//! closed, nothing is copied; an observer never keeps a session or its queue alive.

use crate::server::Server;
use crate::session_state::SessionState;
use hobnob_mcp_engine::{
    Caller, ClientId, MessagePeer, MessageTap, PassedMessage, WireDirection, message_text,
    request_text,
};
use hobnob_mcp_transport::{Outbox, SentMessages};
use hobnob_mcp_types::{Incoming, Method, MethodName, Request, RequestId, Revision, Undecodable};
use std::fmt;
use std::sync::{Arc, Weak};

/// Passes on a message that a session received. The messages of a batch follow one by one.
#[inline]
pub(crate) fn received(state: &SessionState, message: Result<&Incoming, &Undecodable>) {
    if state.server().0.tap.is_open() {
        received_now(state, message);
    }
}

#[cold]
fn received_now(state: &SessionState, message: Result<&Incoming, &Undecodable>) {
    match message {
        Ok(Incoming::One(message)) => {
            pass(state, WireDirection::Received, &message_text(message), true);
        }
        Ok(Incoming::Many(_)) => {}
        Err(refused) => pass(state, WireDirection::Received, &refused.error.message, false),
    }
}

/// Passes on a request that came in a batch.
pub(crate) fn received_in_batch(state: &SessionState, request: &Request) {
    if state.server().0.tap.is_open() {
        pass(state, WireDirection::Received, &request_text(request), true);
    }
}

/// Passes on a modern request that belongs to no session, and makes its answers observable. A stream
/// of notifications may outlast the moment at which the tap opens; of other requests that were there
/// before, the answer is not observed.
#[inline]
pub(crate) fn received_alone(
    server: &Server,
    client: ClientId,
    request: &Request,
    outbox: &Outbox,
) {
    let tap = &server.0.tap;
    if tap.is_open() || request.method == MethodName::Known(Method::SubscriptionsListen) {
        let _only_once = outbox.observer.set(Arc::new(SentAlone { tap: tap.clone(), client }));
    }
    if let Some(observer) = tap.observer() {
        let text = request_text(request);
        observer.message(of_client(client, WireDirection::Received, &text));
    }
}

/// Reports that a request of a client became a call.
#[inline]
pub(crate) fn call_begins(server: &Server, id: &RequestId, caller: &Caller) {
    if let Some(observer) = server.0.tap.observer() {
        observer.call_begins(id, caller);
    }
}

/// Makes the messages to a session's client observable.
pub(crate) fn observe_session(state: &Arc<SessionState>) -> Arc<dyn SentMessages> {
    let tap = state.server().0.tap.clone();
    Arc::new(SentInSession { tap, state: Arc::downgrade(state) })
}

/// Observes what a session sends; weak, because the session owns its queue.
struct SentInSession {
    tap: MessageTap,
    state: Weak<SessionState>,
}

impl SentMessages for SentInSession {
    fn sent(&self, text: &str) {
        if self.tap.is_open()
            && let Some(state) = self.state.upgrade()
        {
            pass(&state, WireDirection::Sent, text, true);
        }
    }
}

/// Observes what is sent in an exchange that belongs to no session.
struct SentAlone {
    tap: MessageTap,
    client: ClientId,
}

impl SentMessages for SentAlone {
    fn sent(&self, text: &str) {
        if let Some(observer) = self.tap.observer() {
            observer.message(of_client(self.client, WireDirection::Sent, text));
        }
    }
}

/// Passes on a message of a session, with what the handshake says about its client.
fn pass(state: &SessionState, direction: WireDirection, text: &str, is_readable: bool) {
    let Some(observer) = state.server().0.tap.observer() else { return };
    let (name, revision) = match state.handshake().client() {
        Some((name, revision)) => (Some(name), Some(revision)),
        None => (None, None),
    };
    let peer = MessagePeer::Client { id: state.client_id(), name: name.as_deref() };
    let message = of_client(state.client_id(), direction, text);
    observer.message(PassedMessage { peer, is_readable, revision, ..message });
}

fn of_client(id: ClientId, direction: WireDirection, text: &str) -> PassedMessage<'_> {
    PassedMessage {
        peer: MessagePeer::Client { id, name: None },
        direction,
        text,
        is_readable: true,
        revision: None::<Revision>,
        caller: None,
    }
}

impl fmt::Debug for SentInSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SentInSession({:?})", self.tap)
    }
}

impl fmt::Debug for SentAlone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SentAlone({:?}, {:?})", self.client, self.tap)
    }
}

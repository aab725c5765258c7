//! The standing stream for messages that belong to no request (legacy only): opened after the
//! handshake, and resumed whenever it breaks.

use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_types::{Incoming, Message, MessageKind, Undecodable};
use hobnob_web_client::Backoff;
use http::StatusCode;
use reqwest::Response;
use tokio_util::sync::DropGuard;

use crate::client::authorizer::Initiative;
use crate::client::events::{Events, decoded};
use crate::client::exchange::{continues, is_passing};
use crate::client::wire::{GetFault, Wire};

/// The longest wait before the stream is requested again.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// How often in a row the client tries to reach a server.
const MAX_TRIES: u32 = 6;

/// Keeps the stream open until the server says that it has none. `opening` is dropped at the first
/// response. A lost session ends the connection, and so does an unreachable server: the owner of
/// the connection then initializes a new one.
pub(super) async fn listen(wire: Arc<Wire>, opening: DropGuard) {
    let mut opening = Some(opening);
    let mut place: Option<Box<str>> = None;
    let mut backoff = Backoff::new(MAX_WAIT);
    let mut was_open = false;
    let mut failures = 0;
    loop {
        let answer = wire.get(place.as_deref(), Initiative::Background).await;
        opening.take();
        match answer {
            Ok(response) if continues(&response) => {
                (was_open, failures) = (true, 0);
                let mut events = Events::new(response, wire.limits.event_bytes).shared();
                read_events(&wire, &mut events, &mut place).await;
                backoff.ask(events.retry_ms());
                if events.was_fruitful() {
                    backoff.reset();
                }
            }
            Ok(response) if is_passing(response.status()) => failures = 0,
            // A server without such a stream may answer 404 from the start.
            Ok(response) if was_open && is_gone(&response) && wire.session().id.is_some() => {
                return wire.end("the server has forgotten the session");
            }
            // The next call may log in again; until then a few tries are enough.
            Ok(response) if was_open && is_unauthorized(&response) && failures < MAX_TRIES => {
                failures += 1;
            }
            Err(GetFault::Unauthorized(why)) => {
                tracing::debug!(server = %wire.target, %why, "no credentials for a stream");
                return;
            }
            // The server no longer knows the event id, but may offer a fresh stream.
            Ok(_) | Err(GetFault::BadEventId) if place.is_some() => place = None,
            // Most servers have no such stream, which is fine.
            Ok(response) => {
                let status = response.status().as_u16();
                tracing::debug!(server = %wire.target, status, "no standing stream");
                return;
            }
            Err(fault) => {
                tracing::debug!(server = %wire.target, ?fault, "no standing stream yet");
                failures += 1;
                if failures >= MAX_TRIES {
                    return wire.end("the server cannot be reached any more");
                }
            }
        }
        tokio::time::sleep(backoff.next()).await;
    }
}

fn is_gone(response: &Response) -> bool {
    response.status() == StatusCode::NOT_FOUND
}

fn is_unauthorized(response: &Response) -> bool {
    matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}

async fn read_events(wire: &Wire, events: &mut Events, place: &mut Option<Box<str>>) {
    while let Ok(event) = events.next().await {
        if !event.id.is_empty() {
            *place = Some(event.id.clone());
        }
        if let Some(message) = decoded(&event, wire.limits.event_bytes) {
            hand_up(wire, message);
        }
    }
}

/// Passes a message to the receiver. An answer that comes here instead of on its own stream ends
/// the exchange that waits for it.
fn hand_up(wire: &Wire, decoded: Result<Incoming, Undecodable>) {
    let answered = match &decoded {
        Ok(Incoming::One(Message::Response(response))) => response.id.as_ref(),
        Err(Undecodable { id, kind: MessageKind::Answer, .. }) => id.as_ref(),
        _ => None,
    };
    if let Some(id) = answered {
        wire.traffic.abandon(id);
    }
    wire.deliver(decoded, None);
}

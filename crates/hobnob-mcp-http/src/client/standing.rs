//! The stream for what belongs to no request (legacy only): opened after the handshake, taken up
//! again whenever it breaks.

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

/// The longest wait before the stream is asked for again.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Tries in a row to reach a server that cannot be reached.
const TRIES: u32 = 6;

/// Keeps the stream open until the server says that it has none. `opening` is held until the
/// first answer to that. A session that is gone ends the connection, and so does a server that
/// cannot be reached: whoever owns it greets anew.
pub(super) async fn listen(wire: Arc<Wire>, opening: DropGuard) {
    let mut opening = Some(opening);
    let mut place: Option<Box<str>> = None;
    let mut backoff = Backoff::new(LONGEST_WAIT);
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
            // A server without such a stream may say this from the start.
            Ok(response) if was_open && is_gone(&response) && wire.session().id.is_some() => {
                return wire.end("the server has forgotten the session");
            }
            // Whoever calls next may log in again; until then a few tries are enough.
            Ok(response) if was_open && is_unauthorized(&response) && failures < TRIES => {
                failures += 1;
            }
            Err(GetFault::Unauthorized(why)) => {
                tracing::debug!(server = %wire.target, %why, "no credentials for a stream");
                return;
            }
            // The place is not known any more, but a fresh stream may be had.
            Ok(_) | Err(GetFault::BadEventId) if place.is_some() => place = None,
            // Most servers have no such stream, and that is fine.
            Ok(response) => {
                let status = response.status().as_u16();
                tracing::debug!(server = %wire.target, status, "no standing stream");
                return;
            }
            Err(fault) => {
                tracing::debug!(server = %wire.target, ?fault, "no standing stream yet");
                failures += 1;
                if failures >= TRIES {
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

/// Hands up a message. An answer that comes here instead of on its own stream ends the exchange
/// that waits for it.
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

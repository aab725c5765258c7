//! The client's view of a stream of server-sent events: one event at a time, with its id.
//!
//! Exchanges, the standing stream and HTTP+SSE read through it. An event beyond the limit never
//! takes more memory than the limit.

use std::collections::VecDeque;
use std::time::Duration;

use hobnob_mcp_transport::log_replaced;
use hobnob_mcp_types::{EnvelopeParts, Incoming, Undecodable};
use hobnob_web_client::describe_error;
use hobnob_web_client::sse::{Decoder, Event, EventTooLarge};
use reqwest::Response;
use tokio::time::Instant;

use crate::oversized_message::OversizedMessage;

/// A stream open for this long counts as a success even without events, and resets the backoff.
const FRUITFUL_AFTER: Duration = Duration::from_secs(30);

/// An event with a message, or with the envelope of a message that was too large.
pub(super) type MessageEvent = Event<EnvelopeParts>;

/// How a stream ended.
#[derive(Debug)]
pub(super) enum End {
    /// The connection was cut, or the server closed it.
    Closed(Box<str>),
    /// An event was too large, on a stream that is useless without it.
    TooLarge(EventTooLarge),
}

/// What happens to an event that is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Oversized {
    /// It ends the stream, which existed only for the answer.
    EndsStream,
    /// It is skipped, since the stream also carries other messages.
    Skipped,
}

/// The events of one response, decoded as its bytes arrive.
#[derive(Debug)]
pub(super) struct Events {
    response: Response,
    decoder: Decoder<OversizedMessage>,
    limit: usize,
    oversized: Oversized,
    ready: VecDeque<MessageEvent>,
    opened: Instant,
    received_any: bool,
}

impl Events {
    pub(super) fn new(response: Response, event_bytes: usize) -> Self {
        Self {
            response,
            decoder: Decoder::new(event_bytes),
            limit: event_bytes,
            oversized: Oversized::EndsStream,
            ready: VecDeque::new(),
            opened: Instant::now(),
            received_any: false,
        }
    }

    /// The same stream for messages of all requests: an event that is too large is reported and
    /// skipped.
    pub(super) fn shared(mut self) -> Self {
        self.oversized = Oversized::Skipped;
        self
    }

    /// The next event, or how the stream ended.
    pub(super) async fn next(&mut self) -> Result<MessageEvent, End> {
        loop {
            let too_large = match self.ready.front() {
                Some(event) => event.oversized.is_some(),
                None => self.decoder.has_outgrown(),
            };
            if too_large && self.oversized == Oversized::EndsStream {
                return Err(End::TooLarge(EventTooLarge { limit: self.limit }));
            }
            if let Some(event) = self.ready.pop_front() {
                self.received_any = true;
                return Ok(event);
            }
            match self.response.chunk().await {
                Ok(Some(chunk)) => {
                    let mut events = Vec::new();
                    self.decoder.push(&chunk, &mut events);
                    self.ready.extend(events);
                }
                Ok(None) => return Err(End::Closed("the server closed the stream".into())),
                Err(error) => return Err(End::Closed(describe_error(error))),
            }
        }
    }

    /// The wait before reconnecting that the server asked for on this connection.
    pub(super) fn retry_ms(&self) -> Option<u64> {
        self.decoder.retry_ms()
    }

    /// Whether this connection was useful, so that the backoff may start anew.
    pub(super) fn was_fruitful(&self) -> bool {
        self.received_any || self.opened.elapsed() >= FRUITFUL_AFTER
    }
}

/// The message of an event on a stream that belongs to no request.
pub(super) fn decoded(event: &MessageEvent, limit: usize) -> Option<Result<Incoming, Undecodable>> {
    match &event.oversized {
        Some(parts) => Some(Err(Undecodable::too_long(limit, parts.clone()))),
        None => message(event).map(|text| Incoming::decode_bytes_noting(text, log_replaced)),
    }
}

/// The message of an event; `None` for other kinds of events, and events with only an id.
pub(super) fn message(event: &MessageEvent) -> Option<&[u8]> {
    let is_message = event.event.as_deref().is_none_or(|name| name == "message");
    (is_message && !event.data.is_empty()).then_some(&event.data)
}

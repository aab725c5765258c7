//! A stream of server-sent events as a client reads it: one event at a time, and where to go on.

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::Response;
use tokio::time::Instant;

use crate::client::connect::words;
use crate::sse::{Decoder, Event, EventTooLarge};

/// A connection that stood this long was worth it, even if nothing came.
const WORTH_IT: Duration = Duration::from_secs(30);

/// How a stream ended.
#[derive(Debug)]
pub(super) enum End {
    /// It was cut, or the server closed it.
    Closed(Box<str>),
    /// An event outgrew its bound; the stream cannot be read any further.
    TooLarge(EventTooLarge),
}

/// One connection's events.
#[derive(Debug)]
pub(super) struct Events {
    response: Response,
    decoder: Decoder,
    ready: VecDeque<Event>,
    /// Told after the events that were complete before it.
    fault: Option<EventTooLarge>,
    opened: Instant,
    heard: bool,
}

impl Events {
    pub(super) fn new(response: Response, event_bytes: usize) -> Self {
        Self {
            response,
            decoder: Decoder::new(event_bytes),
            ready: VecDeque::new(),
            fault: None,
            opened: Instant::now(),
            heard: false,
        }
    }

    /// The next event, or how the stream ended.
    pub(super) async fn next(&mut self) -> Result<Event, End> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.heard = true;
                return Ok(event);
            }
            if let Some(fault) = self.fault {
                return Err(End::TooLarge(fault));
            }
            match self.response.chunk().await {
                Ok(Some(chunk)) => {
                    let mut events = Vec::new();
                    self.fault = self.decoder.push(&chunk, &mut events).err();
                    self.ready.extend(events);
                }
                Ok(None) => return Err(End::Closed("the server closed the stream".into())),
                Err(error) => return Err(End::Closed(words(error))),
            }
        }
    }

    /// The wait the server asked for on this connection.
    pub(super) fn retry_ms(&self) -> Option<u64> {
        self.decoder.retry_ms()
    }

    /// Whether this connection was worth its while.
    pub(super) fn was_fruitful(&self) -> bool {
        self.heard || self.opened.elapsed() >= WORTH_IT
    }
}

/// The message of an event; other kinds of event, and those that only carry an id, have none.
pub(super) fn message(event: &Event) -> Option<&[u8]> {
    let is_message = event.event.as_deref().is_none_or(|name| name == "message");
    (is_message && !event.data.is_empty()).then_some(&event.data)
}

//! The events of a connection as a stream, for programs that wait for them.
//!
//! A `Client` that made its own connection sends them here, and `Client::events` reads them.
//! Sending never waits: a program that reads too slowly loses the oldest events and learns how
//! many.

use crate::events::{CallEvent, EventHandler, ProgressEvent, ServerEvent};
use futures_util::Stream;
use futures_util::future::BoxFuture;
use hobnob_mcp_engine::{Note, NoteSink, Notes};
use hobnob_mcp_types::logging::{LoggingLevel, LoggingMessageParams};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};

/// Sends events to every stream that is open.
#[derive(Debug, Clone)]
pub(crate) struct EventSender(Sender<ServerEvent>);

impl EventSender {
    /// Each stream will hold up to `limit` unread events.
    pub(crate) fn new(limit: usize) -> Self {
        Self(broadcast::channel(limit.max(1)).0)
    }

    /// A stream of all events from now on.
    pub(crate) fn stream(&self) -> EventStream {
        EventStream::new(self.0.subscribe())
    }

    /// Turns the notes of one call into events.
    pub(crate) fn notes(&self, target: &str) -> Notes {
        // No stream is open, so the server need not send progress.
        if self.0.receiver_count() == 0 {
            return Notes::silent();
        }
        Notes::new(Arc::new(NoteEvents { events: self.clone(), target: target.into() }))
    }

    fn send(&self, event: ServerEvent) {
        let _no_stream_is_open = self.0.send(event);
    }
}

impl EventHandler for EventSender {
    fn on_event(&self, event: ServerEvent) {
        self.send(event);
    }
}

/// Turns what one call sends while it runs into events.
struct NoteEvents {
    events: EventSender,
    target: Box<str>,
}

impl NoteSink for NoteEvents {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        true
    }

    fn send(&self, note: Note) {
        match note {
            Note::Progress { progress, total, message } => {
                let target = self.target.clone();
                let event = ProgressEvent { target, progress, total, message };
                self.events.send(ServerEvent::Progress(event));
            }
            Note::Event(event) => {
                let event = CallEvent { target: self.target.clone(), event };
                self.events.send(ServerEvent::Call(event));
            }
            Note::Log { level, logger, data } => {
                let message = LoggingMessageParams { level, logger, data, meta: None };
                self.events.send(ServerEvent::LogMessage(message));
            }
            // These have a meaning only in a server's own session.
            Note::Pause { .. } | Note::Watch { .. } | Note::Unwatch { .. } => {}
        }
    }
}

type Received = (Result<ServerEvent, RecvError>, Receiver<ServerEvent>);

/// The events of a connection, in order. Ends with the connection, after [`ServerEvent::Ended`].
#[must_use = "a stream does nothing unless you read it"]
pub struct EventStream {
    /// `None` once the stream has ended.
    next: Option<BoxFuture<'static, Received>>,
}

impl EventStream {
    fn new(receiver: Receiver<ServerEvent>) -> Self {
        Self { next: Some(receive(receiver)) }
    }

    /// A stream without events, for a connection that sends its events to a handler.
    pub(crate) fn ended() -> Self {
        Self { next: None }
    }

    /// The next event; `None` once the connection has ended.
    pub async fn next(&mut self) -> Option<ServerEvent> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

fn receive(mut receiver: Receiver<ServerEvent>) -> BoxFuture<'static, Received> {
    Box::pin(async move { (receiver.recv().await, receiver) })
}

impl Stream for EventStream {
    type Item = ServerEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerEvent>> {
        let Some(next) = &mut self.next else { return Poll::Ready(None) };
        let (received, receiver) = ready!(next.as_mut().poll(context));
        let event = match received {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(missed)) => Some(ServerEvent::Missed(missed)),
            Err(RecvError::Closed) => None,
        };
        let goes_on = event.as_ref().is_some_and(|event| !matches!(event, ServerEvent::Ended(_)));
        self.next = goes_on.then(|| receive(receiver));
        Poll::Ready(event)
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.next.is_some() { "EventStream" } else { "EventStream(ended)" })
    }
}

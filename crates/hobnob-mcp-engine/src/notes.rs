//! What a callee sends while a call runs: progress, events, log messages, pauses, subscriptions.
//!
//! An edge makes the sink for each call, and services send to it. Most sinks drop notes when their
//! reader is slow; a sink that must not drop events says when it has room for the next one.

use crate::box_future::BoxFuture;
use crate::stream_event::{OutputStream, StreamEvent};
use hobnob_mcp_types::logging::LoggingLevel;
use serde::Serialize;
use serde_json::value::RawValue;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Something that happened during a call.
#[derive(Debug)]
pub enum Note {
    /// How far the call has come.
    Progress {
        /// The amount done so far; it must grow with every note.
        progress: f64,
        /// The value of `progress` at the end, if known.
        total: Option<f64>,
        /// A text for people.
        message: Option<String>,
    },
    /// One event of a stream: output of a program, part of a model's answer, the end of the stream.
    Event(StreamEvent),
    /// A message for the caller's log.
    Log {
        /// Its severity; the sink drops levels that the caller does not want.
        level: LoggingLevel,
        /// The part of the callee that logs.
        logger: Option<String>,
        /// The message: any JSON value, often a string.
        data: Box<RawValue>,
    },
    /// The call will be silent for a while: a client that can reconnect may go.
    Pause {
        /// How long the client should stay away.
        retry: Duration,
    },
    /// Subscribes the calling session to a resource, like `resources/subscribe`.
    Watch {
        /// The URI of the resource.
        uri: Box<str>,
    },
    /// Ends the calling session's subscription to a resource.
    Unwatch {
        /// The URI of the resource.
        uri: Box<str>,
    },
}

/// Where notes go: an edge encodes them for its peer, a test collects them.
pub trait NoteSink: Send + Sync {
    /// Whether the caller wants progress notifications.
    fn wants_progress(&self) -> bool;
    /// Whether a log message of this level would be delivered.
    fn wants_log(&self, level: LoggingLevel) -> bool;
    /// Takes a note; must never wait.
    fn send(&self, note: Note);
    /// Whether its reader must get every event. Others may miss some: the result has everything.
    fn needs_every_event(&self) -> bool {
        false
    }
    /// What to wait for before sending the next event; `None` if it can be sent now.
    fn room(&self) -> Option<BoxFuture<'_, ()>> {
        None
    }
}

/// A call's handle for sending notes. Cheap to clone.
#[derive(Clone, Default)]
pub struct Notes(Option<Arc<dyn NoteSink>>);

impl Notes {
    /// Notes that go to this sink.
    pub fn new(sink: Arc<dyn NoteSink>) -> Self {
        Self(Some(sink))
    }

    /// Notes that are discarded, for a caller that wants none.
    pub fn silent() -> Self {
        Self(None)
    }

    /// Whether the caller wants progress notifications.
    pub fn wants_progress(&self) -> bool {
        self.0.as_ref().is_some_and(|sink| sink.wants_progress())
    }

    /// Reports how far the call has come.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        if let Some(sink) = self.0.as_ref().filter(|sink| sink.wants_progress()) {
            sink.send(Note::Progress { progress, total, message: message.map(str::to_owned) });
        }
    }

    /// Sends an event once the caller has room for it; most callers always have. A caller that
    /// reads slowly may miss the event, so the result must contain the same information.
    pub async fn emit(&self, event: StreamEvent) {
        if let Some(room) = self.room() {
            room.await;
        }
        self.event(event);
    }

    /// Sends an event without waiting. Before each of many events, wait for [`Self::room`].
    pub fn event(&self, event: StreamEvent) {
        if let Some(sink) = self.0.as_ref().filter(|sink| sink.wants_progress()) {
            sink.send(Note::Event(event));
        }
    }

    /// Sends a program's output, without waiting.
    pub fn output(&self, stream: OutputStream, text: &str) {
        if self.wants_progress() {
            self.event(stream.event(text));
        }
    }

    /// What to wait for before sending the next event; `None` if it can be sent now. Dropping the
    /// future loses nothing.
    pub fn room(&self) -> Option<BoxFuture<'_, ()>> {
        self.0.as_ref().and_then(|sink| sink.room())
    }

    /// Whether the caller must get every event, however many there are.
    pub fn needs_every_event(&self) -> bool {
        self.0.as_ref().is_some_and(|sink| sink.needs_every_event())
    }

    /// Sends a log message to the caller.
    pub fn log(&self, level: LoggingLevel, logger: Option<&str>, data: &impl Serialize) {
        let Some(sink) = self.0.as_ref().filter(|sink| sink.wants_log(level)) else { return };
        if let Ok(data) = serde_json::value::to_raw_value(data) {
            sink.send(Note::Log { level, logger: logger.map(str::to_owned), data });
        }
    }

    /// Lets an HTTP client disconnect and come back after `retry`; other clients do not notice.
    pub fn pause(&self, retry: Duration) {
        if let Some(sink) = &self.0 {
            sink.send(Note::Pause { retry });
        }
    }

    /// Subscribes the calling legacy session to a resource, within its limits. Callers without a
    /// session do not notice.
    pub fn watch(&self, uri: &str) {
        if let Some(sink) = &self.0 {
            sink.send(Note::Watch { uri: uri.into() });
        }
    }

    /// Ends the session's subscription to a resource, whether the client or a callee made it.
    pub fn unwatch(&self, uri: &str) {
        if let Some(sink) = &self.0 {
            sink.send(Note::Unwatch { uri: uri.into() });
        }
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Notes" } else { "Notes(silent)" })
    }
}

//! Encodes a call's notes for its caller and queues them where its answer will go. A note that
//! watches a resource is not sent: it changes the subscriptions of the call's session.
//!
//! Every legacy or modern call has one sink; after the call has ended, nothing is sent through it.

use crate::session_state::SessionState;
use crate::traffic;
use hobnob_mcp_engine::{Note, NoteSink, StreamEvent};
use hobnob_mcp_transport::{Merge, Outbox};
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Method, Params, ProgressToken, Revision, encode};
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// The sink for one call's notes.
pub(crate) struct CallNoteSink {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) revision: Revision,
    /// `None` if the caller wants no progress notifications.
    pub(crate) progress: Option<Arc<CallProgress>>,
    pub(crate) gate: LogGate,
    pub(crate) pause: PauseMode,
    pub(crate) call: CallLife,
}

/// The progress of a call over all its rounds. An upstream server may report less than before, or
/// start again after a question, but the protocol requires progress to grow.
#[derive(Debug)]
pub(crate) struct CallProgress {
    token: ProgressToken,
    furthest: Mutex<Option<f64>>,
}

impl CallProgress {
    /// The progress of a call that reports it under this token.
    pub(crate) fn new(token: ProgressToken) -> Arc<Self> {
        Arc::new(Self { token, furthest: Mutex::default() })
    }

    /// Records the progress; `false` if it is not greater than what was reported before.
    fn reach(&self, progress: f64) -> bool {
        let mut furthest = self.furthest.lock();
        let grows = furthest.is_none_or(|furthest| progress > furthest);
        if grows {
            *furthest = Some(progress);
        }
        grows
    }

    /// Advances by one step from what was reported before.
    fn step(&self) -> f64 {
        let mut furthest = self.furthest.lock();
        let next = furthest.map_or(1.0, |furthest| furthest.floor() + 1.0);
        *furthest = Some(next);
        next
    }
}

/// Whether the call still runs. A handler that blocks its thread outlives its cancelled call, and
/// must not send anything afterwards.
pub(crate) struct CallLife(Weak<Params>);

impl CallLife {
    /// A call lives as long as its parameters: no other part of the server keeps those.
    pub(crate) fn of(params: &Arc<Params>) -> Self {
        Self(Arc::downgrade(params))
    }

    fn is_over(&self) -> bool {
        self.0.strong_count() == 0
    }
}

/// Which log messages are sent.
pub(crate) enum LogGate {
    /// Those of the level that the request itself named; without one, none.
    Request(Option<LoggingLevel>),
    /// Those of the session's level at the time of the message.
    Session(Arc<SessionState>),
}

impl LogGate {
    /// The session that the call belongs to, if any.
    fn session(&self) -> Option<&SessionState> {
        match self {
            Self::Request(_) => None,
            Self::Session(session) => Some(session),
        }
    }
}

/// Whether the reader may be asked to disconnect and come back.
pub(crate) enum PauseMode {
    /// No: it could not resume.
    Ignored,
    /// Yes: it reads a stream of a legacy HTTP session.
    Resumable,
}

impl NoteSink for CallNoteSink {
    fn wants_progress(&self) -> bool {
        self.progress.is_some()
    }

    fn wants_log(&self, level: LoggingLevel) -> bool {
        let min_level = match &self.gate {
            LogGate::Request(min_level) => *min_level,
            LogGate::Session(session) => Some(session.handshake().log_level()),
        };
        min_level.is_some_and(|min_level| level >= min_level)
    }

    fn send(&self, note: Note) {
        if self.call.is_over() {
            return;
        }
        match note {
            Note::Progress { progress, total, message } => {
                let Some(call) = &self.progress else { return };
                let progress = if progress.is_finite() { progress } else { 0.0 };
                if !call.reach(progress) {
                    return;
                }
                let token = call.token.0.to_json();
                let params = object(|object| {
                    object.raw("progressToken", &token).raw("progress", &number(progress));
                    if let Some(total) = total {
                        object.raw("total", &number(total));
                    }
                    if let Some(text) = message.filter(|_| self.revision > Revision::V2024_11_05) {
                        object.string("message", &text);
                    }
                });
                let merge = Merge::WhenBehind(token.into());
                traffic::note(&self.outbox, encode::notification(Method::Progress, &params), merge);
            }
            Note::Event(event) => {
                if let (Some(call), Some(text)) = (&self.progress, event.message()) {
                    self.send_event(call, event.kind(), text);
                }
            }
            Note::Log { level, logger, data } => {
                let params = object(|object| {
                    object.raw("level", &serde_json::to_string(&level).unwrap_or_default());
                    if let Some(logger) = &logger {
                        object.string("logger", logger);
                    }
                    object.raw("data", data.get());
                });
                traffic::note(
                    &self.outbox,
                    encode::notification(Method::LogMessage, &params),
                    Merge::Never,
                );
            }
            Note::Pause { retry } => match self.pause {
                PauseMode::Ignored => {}
                PauseMode::Resumable => self.outbox.pause(retry),
            },
            Note::Watch { uri } => {
                if let Some(session) = self.gate.session() {
                    session.watch(&uri);
                }
            }
            Note::Unwatch { uri } => {
                if let Some(session) = self.gate.session() {
                    session.unwatch(&uri);
                }
            }
        }
    }
}

impl CallNoteSink {
    /// Sends an event as a step of progress with its text as the message, or drops it when there is
    /// no room. The result has everything; events without text, such as the end, are only in there.
    fn send_event(&self, call: &CallProgress, kind: &str, text: &str) {
        let token = call.token.0.to_json();
        let meta = object(|meta| {
            meta.string(StreamEvent::META_KEY, kind);
        });
        let params = object(|object| {
            object.raw("progressToken", &token).raw("progress", &number(call.step()));
            if self.revision > Revision::V2024_11_05 {
                object.string("message", text);
            }
            if self.revision >= Revision::V2025_06_18 {
                object.raw("_meta", &meta);
            }
        });
        let notification = encode::notification(Method::Progress, &params);
        if self.revision > Revision::V2024_11_05 {
            traffic::note_if_room(&self.outbox, notification);
        } else {
            // Without the text, only the latest step matters.
            traffic::note(&self.outbox, notification, Merge::WhenBehind(token.into()));
        }
    }
}

/// A number in JSON: integers without a fraction, NaN and infinities as zero.
fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { "0".into() }
}

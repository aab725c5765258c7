//! The ids of events on the streams of a legacy session. They are unique within the session, so
//! that an id tells which stream a client resumes, and where.
//!
//! A server chooses the form of the ids; streams number their events with it.

use hobnob_mcp_server::EventIdForm;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The prefix of event ids that the session counts.
const NUMBERED_PREFIX: &str = "evt-";

/// How events are numbered, and the form of their ids.
#[derive(Debug, Clone)]
pub(crate) enum EventIds {
    /// Each stream counts its own events.
    StreamAndNumber,
    /// The session counts the events of all its streams; holds the newest number.
    Numbered(Arc<AtomicU64>),
}

impl EventIds {
    pub(crate) fn new(form: EventIdForm) -> Self {
        match form {
            EventIdForm::StreamAndNumber => Self::StreamAndNumber,
            EventIdForm::Numbered => Self::Numbered(Arc::default()),
        }
    }

    /// The number of the next event; `next` is the number by the stream's own count.
    pub(crate) fn number(&self, next: u64) -> u64 {
        match self {
            Self::StreamAndNumber => next,
            Self::Numbered(newest) => newest.fetch_add(1, Ordering::Relaxed) + 1,
        }
    }

    pub(crate) fn id(&self, stream: u64, number: u64) -> String {
        match self {
            Self::StreamAndNumber => format!("{stream}-{number}"),
            Self::Numbered(_) => format!("{NUMBERED_PREFIX}{number}"),
        }
    }

    /// The event type to write explicitly, although it is the default.
    pub(crate) fn event_type(&self) -> Option<&'static str> {
        match self {
            Self::StreamAndNumber => None,
            Self::Numbered(_) => Some("message"),
        }
    }

    /// The number in an event id that the session counted.
    pub(crate) fn parse_numbered(id: &str) -> Option<u64> {
        id.strip_prefix(NUMBERED_PREFIX)?.parse().ok()
    }
}

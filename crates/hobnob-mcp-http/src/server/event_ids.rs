//! The ids of events on the streams of a legacy session: unique in it, so that one of them says which
//! stream a client resumes, and where.
//!
//! A server chooses the form; streams number their events with it.

use hobnob_mcp_server::EventIdForm;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the id of an event begins with that the session counts.
const NUMBERED: &str = "evt-";

/// How events are numbered and what they are called.
#[derive(Debug, Clone)]
pub(crate) enum EventIds {
    /// Each stream counts its own.
    StreamAndNumber,
    /// The session counts those of all its streams; this is the newest one's number.
    Numbered(Arc<AtomicU64>),
}

impl EventIds {
    pub(crate) fn new(form: EventIdForm) -> Self {
        match form {
            EventIdForm::StreamAndNumber => Self::StreamAndNumber,
            EventIdForm::Numbered => Self::Numbered(Arc::default()),
        }
    }

    /// The number of an event whose stream would count it as `next`.
    pub(crate) fn number(&self, next: u64) -> u64 {
        match self {
            Self::StreamAndNumber => next,
            Self::Numbered(newest) => newest.fetch_add(1, Ordering::Relaxed) + 1,
        }
    }

    pub(crate) fn id(&self, stream: u64, number: u64) -> String {
        match self {
            Self::StreamAndNumber => format!("{stream}-{number}"),
            Self::Numbered(_) => format!("{NUMBERED}{number}"),
        }
    }

    /// The type of events, where it is written although it is the usual one.
    pub(crate) fn event_type(&self) -> Option<&'static str> {
        match self {
            Self::StreamAndNumber => None,
            Self::Numbered(_) => Some("message"),
        }
    }

    /// The number in the id of an event that the session counts.
    pub(crate) fn parse_numbered(id: &str) -> Option<u64> {
        id.strip_prefix(NUMBERED)?.parse().ok()
    }
}

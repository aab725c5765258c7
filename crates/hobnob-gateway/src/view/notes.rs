//! Filters notes of a call for one view's clients: without log messages, or under another name.

use crate::view::View;
use hobnob_mcp_engine::{BoxFuture, Note, NoteSink, Notes};
use hobnob_mcp_types::logging::LoggingLevel;
use std::sync::Arc;

/// A built-in's notes: log messages carry the name that the profile gives this server.
pub(crate) fn built_in_notes(view: &View, notes: Notes) -> Notes {
    match view.profile.as_ref().and_then(|profile| profile.server.name.as_deref()) {
        Some(name) => logged_as(notes, name),
        None => notes,
    }
}

/// A call's notes without log messages.
pub(crate) fn without_logs(notes: Notes) -> Notes {
    Notes::new(Arc::new(LogFilter { notes, logs: Logs::Dropped }))
}

/// A built-in's notes for a client that knows this server by another name.
fn logged_as(notes: Notes, name: &str) -> Notes {
    Notes::new(Arc::new(LogFilter { notes, logs: Logs::By(name.into()) }))
}

struct LogFilter {
    notes: Notes,
    logs: Logs,
}

/// What happens to log messages.
enum Logs {
    /// They are dropped, as the client was promised.
    Dropped,
    /// They carry this logger name.
    By(Box<str>),
}

impl NoteSink for LogFilter {
    fn wants_progress(&self) -> bool {
        self.notes.wants_progress()
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        // The wrapped notes decide about the level themselves.
        matches!(self.logs, Logs::By(_))
    }

    fn send(&self, note: Note) {
        match (note, &self.logs) {
            (Note::Progress { progress, total, message }, _) => {
                self.notes.progress(progress, total, message.as_deref());
            }
            (Note::Event(event), _) => self.notes.event(event),
            (Note::Log { level, data, .. }, Logs::By(name)) => {
                self.notes.log(level, Some(name), &data);
            }
            (Note::Log { .. }, Logs::Dropped) => {}
            (Note::Pause { retry }, _) => self.notes.pause(retry),
            (Note::Watch { uri }, _) => self.notes.watch(&uri),
            (Note::Unwatch { uri }, _) => self.notes.unwatch(&uri),
        }
    }

    fn needs_every_event(&self) -> bool {
        self.notes.needs_every_event()
    }

    fn room(&self) -> Option<BoxFuture<'_, ()>> {
        self.notes.room()
    }
}

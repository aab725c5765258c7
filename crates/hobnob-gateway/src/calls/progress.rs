//! Reports the progress of a running call to the observer, besides to its caller.
//!
//! `record` wraps the notes of a call that has both an observer and a caller who asked for progress:
//! an upstream reports none to others. What must stay true: every note reaches the caller unchanged,
//! and no note waits for the observer.

use crate::calls::observer::{CallObserver, ObservedCall, ObservedProgress};
use hobnob_mcp_engine::{BoxFuture, Note, NoteSink, Notes};
use hobnob_mcp_types::logging::LoggingLevel;
use std::sync::Arc;

/// The notes of a call, which the observer gets the progress of, too.
pub(super) struct ObservedNotes {
    pub(super) notes: Notes,
    pub(super) call: Arc<ObservedCall>,
    pub(super) observer: Arc<dyn CallObserver>,
}

impl NoteSink for ObservedNotes {
    fn wants_progress(&self) -> bool {
        self.notes.wants_progress()
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        // The wrapped notes decide about the level themselves.
        true
    }

    fn send(&self, note: Note) {
        match note {
            Note::Progress { progress, total, message } => {
                let message = message.as_deref();
                let observed = ObservedProgress::new(progress, total, message);
                self.observer.progressed(&self.call, observed);
                self.notes.progress(progress, total, message);
            }
            Note::Event(event) => self.notes.event(event),
            Note::Log { level, logger, data } => self.notes.log(level, logger.as_deref(), &data),
            Note::Pause { retry } => self.notes.pause(retry),
            Note::Watch { uri } => self.notes.watch(&uri),
            Note::Unwatch { uri } => self.notes.unwatch(&uri),
        }
    }

    fn needs_every_event(&self) -> bool {
        self.notes.needs_every_event()
    }

    fn room(&self) -> Option<BoxFuture<'_, ()>> {
        self.notes.room()
    }
}

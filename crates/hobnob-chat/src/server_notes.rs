//! What servers say while a call runs, on its way to whoever watches the turn: progress, log messages.
//!
//! `hub_tools` wraps each call in it. What must stay true: whoever reads the transport never waits for
//! a screen, and one call cannot say more than so much, however long it runs.

use hobnob_agent::{AgentEvent, AgentView};
use hobnob_mcp_engine::{Note, NoteSink, Notes};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_text::ellipsize;
use serde_json::value::RawValue;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc;

#[cfg(test)]
mod tests;

/// Events that may wait to be shown; more are dropped.
const WAITING: usize = 64;
/// Log messages of one call that are shown.
const MAX_LOGS: usize = 20;
/// Steps of progress of one call that are shown.
const MAX_STEPS: usize = 1_000;
/// Characters of one text that are shown.
const MAX_TEXT: usize = 1_000;
/// What is less severe is not asked for.
pub(super) const SHOWN_LEVEL: LoggingLevel = LoggingLevel::Warning;

/// What is said during one call, until it is shown.
pub(super) struct ServerNotes(mpsc::Receiver<AgentEvent>);

impl ServerNotes {
    /// The receiver, and where the call with this id says something.
    pub(super) fn of_call(id: &str) -> (Self, Notes) {
        let (events, waiting) = mpsc::channel(WAITING);
        let (steps, logs) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let sink = EventNoteSink { id: id.into(), events, steps, logs };
        (Self(waiting), Notes::new(Arc::new(sink)))
    }

    /// Makes the call, and shows what is said meanwhile.
    pub(super) async fn show_during<T>(
        mut self,
        view: &Arc<dyn AgentView>,
        call: impl Future<Output = T>,
    ) -> T {
        let mut call = pin!(call);
        let done = loop {
            tokio::select! {
                done = &mut call => break done,
                Some(event) = self.0.recv() => view.show(&event),
            }
        };
        while let Ok(event) = self.0.try_recv() {
            view.show(&event);
        }
        done
    }
}

/// Makes events of notes.
struct EventNoteSink {
    id: Box<str>,
    events: mpsc::Sender<AgentEvent>,
    steps: AtomicUsize,
    logs: AtomicUsize,
}

impl EventNoteSink {
    fn log(&self, level: LoggingLevel, logger: Option<String>, data: &RawValue) {
        let level = serde_json::to_string(&level).unwrap_or_default().replace('"', "");
        let text = match self.logs.fetch_add(1, Ordering::Relaxed) {
            ..MAX_LOGS => {
                let text = serde_json::from_str::<String>(data.get());
                ellipsize(text.as_deref().unwrap_or(data.get()), MAX_TEXT).into_owned()
            }
            MAX_LOGS => "more messages of this call are not shown".to_owned(),
            _ => return,
        };
        let logger = logger.map(|logger| ellipsize(&logger, MAX_TEXT).into_owned());
        drop(self.events.try_send(AgentEvent::Logged { level: level.into(), logger, text }));
    }
}

impl NoteSink for EventNoteSink {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, level: LoggingLevel) -> bool {
        SHOWN_LEVEL <= level
    }

    fn send(&self, note: Note) {
        match note {
            Note::Progress { progress, total, message } => {
                if MAX_STEPS <= self.steps.fetch_add(1, Ordering::Relaxed) {
                    return;
                }
                let message = message.map(|it| ellipsize(&it, MAX_TEXT).into_owned());
                let id = self.id.clone();
                let event = AgentEvent::CallProgress { id, progress, total, message };
                drop(self.events.try_send(event));
            }
            Note::Log { level, logger, data } => self.log(level, logger, &data),
            // The result says what events say; the others mean something only to a server's session.
            Note::Event(_) | Note::Pause { .. } | Note::Watch { .. } | Note::Unwatch { .. } => {}
        }
    }
}

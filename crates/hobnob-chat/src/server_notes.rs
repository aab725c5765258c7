//! Progress and log messages of servers while a call runs, on their way to the view of the turn.
//!
//! `hub_tools` wraps each call in it. What must stay true: the task that reads the transport never
//! waits for a screen, and the messages of one call are bounded, however long it runs.

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
const QUEUE_LENGTH: usize = 64;
/// Log messages of one call that are shown.
const MAX_LOGS: usize = 20;
/// Steps of progress of one call that are shown.
const MAX_STEPS: usize = 1_000;
/// Characters of one text that are shown.
const MAX_TEXT: usize = 1_000;
/// The chat asks servers for log messages of this level and above.
pub(super) const SHOWN_LEVEL: LoggingLevel = LoggingLevel::Warning;

/// The events of one call that wait to be shown.
pub(super) struct ServerNotes(mpsc::Receiver<AgentEvent>);

impl ServerNotes {
    /// The receiver, and the notes that feed it during the call with this id.
    pub(super) fn of_call(id: &str) -> (Self, Notes) {
        let (events, waiting) = mpsc::channel(QUEUE_LENGTH);
        let (steps, logs) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let sink = EventNoteSink { id: id.into(), events, steps, logs };
        (Self(waiting), Notes::new(Arc::new(sink)))
    }

    /// Makes the call, and shows its events meanwhile.
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

/// Turns notes of the engine into events.
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
            // The result repeats what events say; the other notes concern only a server's session.
            Note::Event(_) | Note::Pause { .. } | Note::Watch { .. } | Note::Unwatch { .. } => {}
        }
    }
}

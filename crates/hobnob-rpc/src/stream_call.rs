//! Runs one call: delivers its events as they come, and then exactly one event that ends it.
//!
//! An event that ends a stream is held back until the service has answered: only then is it certain
//! how the call ended, and that no event follows.

use crate::collected::CollectedEvents;
use crate::event_messages::EventMessages;
use crate::flow::{Flow, RpcLimits};
use hobnob_mcp_engine::{BoxFuture, Call, Note, NoteSink, Notes, Outcome, StreamEvent};
use hobnob_mcp_server::ServiceCalls;
use hobnob_mcp_transport::Outbox;
use hobnob_mcp_types::json::{elements, field};
use hobnob_mcp_types::logging::LoggingLevel;
use parking_lot::{Mutex, MutexGuard};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Notify;

/// The destination of a call's events.
#[derive(Debug)]
pub(crate) enum EventDelivery {
    /// A reader; each event is one message.
    Stream { outbox: Arc<Outbox>, flow: Arc<Flow> },
    /// The single response to the caller.
    Single(Arc<CollectedEvents>),
}

/// Runs a call to its end. Dropping the future cancels it; nothing is delivered afterwards.
pub(crate) async fn stream_call(
    service: &ServiceCalls,
    call: Call,
    messages: EventMessages,
    delivery: EventDelivery,
    limits: &RpcLimits,
) {
    let caller = call.caller.clone();
    let sink = Arc::new(EventSink {
        messages,
        delivery,
        slow_reader: limits.slow_reader,
        state: Mutex::default(),
        reason: OnceLock::new(),
        cut: Notify::new(),
    });
    let _closed = CloseOnDrop(Arc::clone(&sink));
    let calling = service.call(call, Notes::new(Arc::clone(&sink) as Arc<dyn NoteSink>));
    let done = tokio::select! {
        done = calling => Some(done),
        () = sink.cut.notified() => None,
    };
    // A call that never waits may end before it is cut, although it has lost events.
    let end = match (sink.cut_reason(), done) {
        (None, Some(Ok(outcome))) => sink.end_of(outcome),
        (None, Some(Err(error))) => failure(&error.to_rpc(&caller)),
        (reason, _) => StreamEvent::error(&reason.unwrap_or_default()),
    };
    sink.finish(&end);
}

/// Delivers a call's notes to the caller.
struct EventSink {
    messages: EventMessages,
    delivery: EventDelivery,
    slow_reader: Duration,
    state: Mutex<SinkState>,
    /// Why the call is cut, if it is; checked for every event.
    reason: OnceLock<String>,
    /// Notified when the call is cut.
    cut: Notify,
}

#[derive(Default)]
struct SinkState {
    sequence: u64,
    /// The event with which the service ended its stream.
    end: Option<StreamEvent>,
    /// Set when the call is over: a handler that blocks its thread may outlive it.
    closed: bool,
}

impl EventSink {
    /// The final event of an answered call: the service's own, unless the call failed.
    fn end_of(&self, outcome: Outcome) -> StreamEvent {
        let said = self.state().end.take();
        match outcome {
            Outcome::Complete(answer) => match (is_failure(&answer.body), said) {
                (true, Some(end)) if end.kind() == StreamEvent::ERROR => end,
                (true, _) => StreamEvent::error(&texts_of(&answer.body)),
                (false, Some(end)) => end,
                (false, None) => {
                    StreamEvent::complete().with_json("result", &result_of(&answer.body))
                }
            },
            Outcome::NeedsInput(_) => StreamEvent::error(
                "the tool asks a question, which a native caller cannot answer; call it with tools/call",
            ),
            // A native call never offers to become a task.
            Outcome::Started(_) => {
                StreamEvent::error("the tool went on as a task; call it with tools/call")
            }
        }
    }

    /// Delivers the last event.
    fn finish(&self, end: &StreamEvent) {
        let mut state = self.state();
        state.sequence += 1;
        state.closed = true;
        match &self.delivery {
            // Queued regardless of room, so that a slow reader still learns why its call was cut.
            EventDelivery::Stream { outbox, flow } => {
                let message = self.messages.message(end, state.sequence);
                let hold = flow.hold(message.len());
                outbox.event(message, hold);
            }
            EventDelivery::Single(collected) => {
                collected.add_last(&self.messages.params(end, state.sequence));
            }
        }
    }

    /// Delivers an event; holds back one that ends the stream.
    fn deliver(&self, event: StreamEvent) {
        let mut state = self.state();
        if state.closed || self.reason.get().is_some() {
            return;
        }
        if event.is_end() {
            state.end = Some(event);
            return;
        }
        let sequence = state.sequence + 1;
        match &self.delivery {
            EventDelivery::Stream { outbox, flow } => {
                let message = self.messages.message(&event, sequence);
                let hold = flow.hold(message.len());
                outbox.event(message, hold);
            }
            EventDelivery::Single(collected) => {
                if collected.add(&self.messages.params(&event, sequence)).is_err() {
                    drop(state);
                    self.cut_for(
                        "there are more events than one response holds; accept text/event-stream",
                    );
                    return;
                }
            }
        }
        state.sequence = sequence;
    }

    fn has_room(&self) -> bool {
        let has_room = match &self.delivery {
            EventDelivery::Stream { flow, .. } => flow.has_room(),
            EventDelivery::Single(_) => true,
        };
        has_room && self.reason.get().is_none()
    }

    /// Waits for room, up to a limit. A call that is cut is dropped while it waits here.
    async fn wait_for_room(&self) {
        if let EventDelivery::Stream { flow, .. } = &self.delivery
            && self.cut_reason().is_none()
        {
            if tokio::time::timeout(self.slow_reader, flow.room()).await.is_ok() {
                return;
            }
            let seconds = self.slow_reader.as_secs();
            self.cut_for(&format!(
                "the client reads too slowly: no room for an event for {seconds} s"
            ));
        }
        std::future::pending::<()>().await;
    }

    fn cut_for(&self, reason: &str) {
        self.reason.get_or_init(|| reason.to_owned());
        self.cut.notify_one();
    }

    /// Why the call is cut, if it is.
    fn cut_reason(&self) -> Option<String> {
        self.reason.get().cloned()
    }

    fn state(&self) -> MutexGuard<'_, SinkState> {
        self.state.lock()
    }
}

impl NoteSink for EventSink {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        false
    }

    fn send(&self, note: Note) {
        match note {
            Note::Event(event) => self.deliver(event),
            Note::Progress { progress, total, message } => {
                // Later progress supersedes it, so it may be dropped.
                if self.has_room() {
                    self.deliver(progress_event(progress, total, message));
                }
            }
            Note::Log { .. } | Note::Pause { .. } | Note::Watch { .. } | Note::Unwatch { .. } => {}
        }
    }

    fn needs_every_event(&self) -> bool {
        true
    }

    fn room(&self) -> Option<BoxFuture<'_, ()>> {
        (!self.has_room()).then(|| -> BoxFuture<'_, ()> { Box::pin(self.wait_for_room()) })
    }
}

/// Closes the sink when the stream is over or cancelled: nothing is delivered afterwards.
struct CloseOnDrop(Arc<EventSink>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.state().closed = true;
    }
}

fn progress_event(progress: f64, total: Option<f64>, message: Option<String>) -> StreamEvent {
    let event = StreamEvent::new("progress").with("progress", &progress);
    let event = match total {
        Some(total) => event.with("total", &total),
        None => event,
    };
    match message {
        Some(message) => event.with("message", &message),
        None => event,
    }
}

fn failure(error: &hobnob_mcp_types::RpcError) -> StreamEvent {
    let event = StreamEvent::error(&error.message).with("code", &error.code);
    match &error.data {
        Some(data) => event.with_json("data", data.get()),
        None => event,
    }
}

fn is_failure(body: &str) -> bool {
    field(body, "isError") == Some("true")
}

/// The texts of a result, one per line.
fn texts_of(body: &str) -> String {
    let content = field(body, "content").map(elements).unwrap_or_default();
    let texts: Vec<String> = content.into_iter().filter_map(text_of).collect();
    match texts.is_empty() {
        true => "the tool failed and does not say why".into(),
        false => texts.join("\n"),
    }
}

fn text_of(block: &str) -> Option<String> {
    serde_json::from_str(field(block, "text")?).ok()
}

/// A tool's result: its structured content, or else its only text, or else its content.
fn result_of(body: &str) -> String {
    if let Some(data) = field(body, "structuredContent") {
        return data.to_owned();
    }
    let content = field(body, "content").unwrap_or("[]");
    match elements(content).as_slice() {
        [only] if field(only, "type") == Some("\"text\"") => {
            field(only, "text").unwrap_or("null").to_owned()
        }
        _ => content.to_owned(),
    }
}

//! One call whose events are delivered as they come, and then exactly one event that ends it.
//!
//! An event that ends a stream is held back until the service has answered: only then it is certain
//! how the call ended, and that nothing comes after it.

use crate::collected::CollectedEvents;
use crate::event_messages::EventMessages;
use crate::flow::{Flow, RpcLimits};
use hobnob_mcp_engine::{BoxFuture, Call, Note, NoteSink, Notes, Outcome, StreamEvent};
use hobnob_mcp_server::ServiceCalls;
use hobnob_mcp_transport::Outbox;
use hobnob_mcp_types::json::{elements, field};
use hobnob_mcp_types::logging::LoggingLevel;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Where the events of a call go.
#[derive(Debug)]
pub(crate) enum EventDelivery {
    /// To a reader, one message each.
    Stream { outbox: Arc<Outbox>, flow: Arc<Flow> },
    /// Into the one response that the caller gets.
    Single(Arc<CollectedEvents>),
}

/// Runs a call to its end. Dropping the future cancels it, and then nothing more is delivered.
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
    // A call that never waits ends before anybody can cut it, and loses events all the same.
    let end = match (sink.cut_reason(), done) {
        (None, Some(Ok(outcome))) => sink.end_of(outcome),
        (None, Some(Err(error))) => failure(&error.to_rpc(&caller)),
        (reason, _) => StreamEvent::error(&reason.unwrap_or_default()),
    };
    sink.finish(&end);
}

/// What a call says, on its way to the caller.
struct EventSink {
    messages: EventMessages,
    delivery: EventDelivery,
    slow_reader: Duration,
    state: Mutex<SinkState>,
    /// Why the call must end, if it must; looked at for every event.
    reason: OnceLock<String>,
    /// The call must end, for that reason.
    cut: Notify,
}

#[derive(Default)]
struct SinkState {
    sequence: u64,
    /// The event with which the service ended its stream.
    end: Option<StreamEvent>,
    /// Nothing more may be delivered: a handler that blocks its thread outlives its call.
    closed: bool,
}

impl EventSink {
    /// How the stream of an answered call ends: as the service said, unless it failed.
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
            // Nobody offered one.
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
            // Always taken, so that a reader that was too slow still learns why.
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

    /// Delivers an event before the last one.
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

    /// Waits for a reader, but not for ever. A call that is cut is dropped while it waits here.
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

    /// Why the call must end, if it must.
    fn cut_reason(&self) -> Option<String> {
        self.reason.get().cloned()
    }

    fn state(&self) -> MutexGuard<'_, SinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
                // The next one says more, so nobody waits for this one.
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

/// Nothing is delivered after the stream is over or was cancelled.
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

/// The texts of a result, one after the other.
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

/// What a tool answered: its data, or else its only text, or else its content.
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

//! Handlers that block their thread are named in the log, each once; other handlers are not.

use super::{Bench, call_of};
use crate::Kit;
use parking_lot::Mutex;
use serde_json::json;
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;
use tracing::field::{Field, Visit};
use tracing::span;

/// Records the fields of every event.
#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<String>>>);

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}

impl tracing::Subscriber for Events {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().push(text.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// With a paused clock, `advance` moves the time within one poll, as a blocking handler does, and a
/// timeout moves it between two polls.
#[tokio::test(start_paused = true)]
async fn a_handler_that_blocks_is_named_once() {
    let events = Events::default();
    let _logging = tracing::subscriber::set_default(events.clone());
    let kit = Kit::plain("k")
        .tool("blocks", "Blocks", || async {
            tokio::task::yield_now().await;
            tokio::time::advance(Duration::from_millis(250)).await;
            "done"
        })
        .tool("waits", "Waits", || async {
            let nothing = std::future::pending::<()>();
            let waited = tokio::time::timeout(Duration::from_secs(5), nothing).await;
            if waited.is_err() { "done" } else { "too early" }
        });
    let bench = Bench::new([kit]);
    for tool in ["waits", "blocks", "waits", "blocks", "blocks"] {
        bench.shown(call_of(tool, json!({}))).await;
    }
    let slow: Vec<String> = events.0.lock().drain(..).collect();
    let slow: Vec<&String> = slow.iter().filter(|it| it.contains("blocked its thread")).collect();
    assert_eq!(slow.len(), 1, "{slow:?}");
    assert!(slow[0].contains("handler=\"blocks\" milliseconds=250"), "{slow:?}");
}

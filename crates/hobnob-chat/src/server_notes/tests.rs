//! How many events of a call are shown.

use super::{MAX_LOGS, MAX_STEPS, MAX_TEXT, ServerNotes};
use hobnob_agent::{AgentEvent, AgentView};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_types::logging::LoggingLevel;
use parking_lot::Mutex;
use serde_json::json;
use std::sync::Arc;

#[derive(Default)]
struct Collected(Mutex<Vec<String>>);

impl AgentView for Collected {
    fn show(&self, event: &AgentEvent) {
        self.0.lock().push(match event {
            AgentEvent::CallProgress { progress, .. } => format!("{progress}"),
            AgentEvent::Logged { level, logger, text } => format!("{level} {logger:?} {text}"),
            other => panic!("{other:?}"),
        });
    }
}

/// What the view shows of a call that sends these notes.
async fn shown(say: impl AsyncFnOnce(&Notes)) -> Vec<String> {
    let (events, notes) = ServerNotes::of_call("1");
    let collected = Arc::new(Collected::default());
    let view: Arc<dyn AgentView> = Arc::clone(&collected) as _;
    events.show_during(&view, async { say(&notes).await }).await;
    std::mem::take(&mut *collected.0.lock())
}

#[tokio::test]
async fn what_is_said_is_shown_in_order_and_whole() {
    let said = shown(async |notes| {
        notes.progress(1.0, None, None);
        notes.log(LoggingLevel::Error, Some("db"), &"broken");
        notes.log(LoggingLevel::Info, None, &"not asked for");
        notes.log(LoggingLevel::Warning, None, &json!({"a": 1}));
        notes.progress(2.0, None, None);
    })
    .await;
    assert_eq!(said, ["1", "error Some(\"db\") broken", "warning None {\"a\":1}", "2"]);
}

#[tokio::test]
async fn one_call_cannot_fill_the_screen() {
    let said = shown(async |notes| {
        for _ in 0..MAX_LOGS * 3 {
            notes.log(LoggingLevel::Error, None, &"x".repeat(MAX_TEXT * 2));
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(said.len(), MAX_LOGS + 1, "{said:?}");
    assert!(said[0].chars().count() < MAX_TEXT + 20 && said[0].ends_with('…'));
    assert!(said[MAX_LOGS].ends_with("more messages of this call are not shown"));
    let said = shown(async |notes| {
        for step in 0..MAX_STEPS * 2 {
            notes.progress(step as f64, None, None);
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(said.len() <= MAX_STEPS && !said.is_empty(), "{}", said.len());
    // If no view receives the events, the call drops them and does not block.
    let (_events, notes) = ServerNotes::of_call("1");
    (0..MAX_STEPS).for_each(|step| notes.progress(step as f64, None, None));
}

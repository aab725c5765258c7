//! What lives on the page of a hub, in a real browser: the progress of calls, servers over time, and
//! 10,000 calls a minute. `page_setup` has the stage; the scripts are in `tests/peers/page`.
//!
//! The load takes one minute in every run and ten with `SLOW_TESTS=1`; its figures are printed. Only
//! what no busy machine changes is asserted: the page's bounds, and that every call is counted.

use crate::faults_setup::times;
use crate::page_setup::{Callers, Stage, scripts};
use serde_json::{Value, json};
use std::time::Duration;

/// What the browser and the hub need besides the load itself.
const SLACK: Duration = Duration::from_secs(120);

/// The most memory of the page's script, in kB, and elements of its document. It keeps 500 calls.
const MAX_HEAP_KB: u64 = 64_000;
const MAX_NODES: u64 = 60_000;

/// The rows of two tables and their headings.
const MAX_ROWS: u64 = 300;

#[tokio::test]
async fn progress_and_the_last_hour_are_seen() {
    let Some(mut stage) = Stage::start(Callers::Local).await else { return };
    let report = stage.run("history.mjs", json!({})).await;
    assert_eq!((&report["found"], &report["wider"]), (&json!([]), &json!([0, 0, 0])), "{report:#}");
    assert_eq!(report["progress"]["part"], "0.25");
    assert_all(&report["progress"]["text"], &["in the queue"]);
    assert_eq!(report["bands"].as_array().unwrap().len(), 3, "{report:#}");
    assert_all(&report["bands"].to_string().into(), &["ready for", "failed for"]);
    assert_all(&report["shop"], &["Memory", "Processes", "Calls in", "ready"]);
    assert_all(&report["broken"], &["no settings found", "failed", "Started in the last hour"]);
    assert_all(
        &report["health"],
        &[
            "SQLite",
            "2026-07-28",
            "open files and connections",
            "calls in flight",
            "HTTP connections",
            "HTTP sessions of one endpoint",
            "large request bodies",
            "event streams",
            "questions to you",
            "disk of the store",
            "Processes of servers",
            "all clients",
        ],
    );
    assert_all(&report["recorded"], &["shop"]);
}

#[tokio::test]
async fn ten_thousand_calls_a_minute_are_shown() {
    let Some(stage) = Stage::start(Callers::Local).await else { return };
    let script = scripts().join("echo.py");
    let mut stage =
        stage.with_server("echo", json!({"command": "python3", "args": [script]})).await;
    let (closed, open) = (times(15, 120), times(60, 600));
    let limit = Duration::from_secs(u64::try_from(closed + open).unwrap()) + SLACK;
    let report = stage.run_within(limit, "load.mjs", json!({"closed": closed, "open": open})).await;
    println!("10,000 calls a minute for {open} s: {report:#}");
    let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("no number: {value}"));
    assert_eq!((&report["closed"]["failed"], &report["open"]["failed"]), (&json!(0), &json!(0)));
    // The history counts what ended in the last quarter of an hour, which the load did not exceed.
    assert_eq!(report["counted"], report["open"]["calls"], "{report:#}");
    assert!(number(&report["rows"]) <= MAX_ROWS, "{report:#}");
    assert!(number(&report["nodes"]["most"]) <= MAX_NODES, "{report:#}");
    assert!(number(&report["heap_kb"]["most"]) <= MAX_HEAP_KB, "{report:#}");
    assert!(1 <= number(&report["uses"]), "the page was used under load: {report:#}");
}

fn assert_all(text: &Value, parts: &[&str]) {
    let text = text.as_str().unwrap_or_else(|| panic!("no text: {text}"));
    for part in parts {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

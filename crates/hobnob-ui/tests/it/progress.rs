//! The progress of running calls, and servers over time, as the page learns of them.

use crate::page_hub::{PageHub, call, end, pass};
use crate::requests::{OpenEvents, browser, get};
use hobnob_gateway::{CallObserver as _, ObservedProgress};
use hobnob_policy::audit::AuditOutcome;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn progress_comes_a_few_times_a_second_and_ends_with_its_call() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let mut stream = OpenEvents::open(&hub, &browser, None).await;
    stream.event("state").await;
    let one = hub.begin(1);
    for done in 1..=1_000 {
        let message = format!("file {done}");
        hub.feed
            .progressed(&one, ObservedProgress::new(f64::from(done), Some(4e3), Some(&message)));
    }
    let moved = stream.event("progress").await;
    let newest =
        json!([{"id": 1, "progress": {"at": 1000.0, "total": 4000.0, "message": "file 1000"}}]);
    assert_eq!(moved.data, newest);
    // Many within one interval are one frame, and the newest is never lost.
    let mut frames = 0;
    for done in 1_001..=1_100 {
        hub.feed.progressed(&one, ObservedProgress::new(f64::from(done), None, None));
        pass(Duration::from_millis(10)).await;
    }
    loop {
        let moved = stream.event("progress").await;
        frames += 1;
        if moved.data[0]["progress"]["at"] == json!(1100.0) {
            break;
        }
    }
    assert!(frames <= 6, "{frames} frames in a second");
    let state = get("/ui/api/state").by(&browser).answer(&hub).await.1;
    let progress = &state["running"][0]["progress"];
    assert_eq!(progress, &json!({"at": 1100.0, "total": null, "message": null}));
    hub.end(&one);
    hub.feed.progressed(&one, ObservedProgress::new(5e3, None, Some("late")));
    let state = get("/ui/api/state").by(&browser).answer(&hub).await.1;
    assert_eq!((&state["running"], &state["recent"][0]["progress"]), (&json!([]), &Value::Null));
}

#[test]
fn messages_of_progress_are_cut() {
    let message = "é".repeat(1_000);
    let kept = ObservedProgress::new(1.0, None, Some(&message)).message.unwrap();
    assert!(kept.len() <= 200 && kept.ends_with('…'), "{kept}");
    assert_eq!(ObservedProgress::new(1.0, None, Some("short")).message.as_deref(), Some("short"));
}

#[tokio::test]
async fn servers_have_a_history_and_figures_while_a_page_watches() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    hub.call(1);
    let path = "/ui/api/servers/git/history";
    let one = get(path).by(&browser).answer(&hub).await.1;
    assert_eq!(one["servers"][0]["calls"], Value::Null, "without a page nothing is counted");
    let changes = &one["servers"][0]["changes"];
    assert_eq!(changes[1]["reason"], "<b>no settings</b>");
    let used = json!({"processes": 2, "resident_bytes": 4096, "cpu_ms": 7});
    assert_eq!(one["servers"][0]["process"], used);
    let mut stream = OpenEvents::open(&hub, &browser, None).await;
    stream.event("state").await;
    let mut late = call(2);
    late.at = jiff::Timestamp::now();
    for outcome in [AuditOutcome::Ok, AuditOutcome::Timeout] {
        hub.feed.ended(&Arc::new(late.clone()), &end(outcome));
    }
    let one = get(path).by(&browser).answer(&hub).await.1;
    let calls = &one["servers"][0]["calls"];
    assert_eq!((&calls["calls"], &calls["errors"]), (&json!(2), &json!(1)), "{one}");
    let all = get("/ui/api/histories").by(&browser).answer(&hub).await.1;
    // Of changes that are older than an hour, only the phase that still lasts counts.
    let changes = &all["servers"][0]["changes"];
    assert_eq!(changes, &json!([{"at": "2026-01-02T03:00:01Z", "phase": "failed"}]));
    let unknown = get("/ui/api/servers/other/history").by(&browser).answer(&hub).await.1;
    assert_eq!(unknown["servers"], json!([]));
}

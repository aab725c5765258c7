//! What a page learns from its stream: calls in few frames, states that differ, and the end.

use crate::page_hub::{PageHub, call, end, pass, question, server, status};
use crate::requests::{OpenEvents, browser, get};
use hobnob_gateway::{CallObserver as _, ObservedCall, Phase};
use hobnob_policy::audit::AuditOutcome;
use hobnob_ui::PageChange;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, advance, sleep_until};

fn ids(calls: &Value) -> Vec<u64> {
    calls.as_array().unwrap().iter().map(|call| call["id"].as_u64().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_stream_begins_with_the_state_and_goes_on_from_there() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    hub.call(1);
    let second = hub.begin(2);
    let mut stream = OpenEvents::open(&hub, &browser, None).await;
    // No frame has the third call when the state is made.
    let third = hub.begin(3);
    let state = stream.next().await.unwrap();
    assert_eq!((&*state.name, ids(&state.data["running"])), ("state", vec![2, 3]));
    assert_eq!(ids(&state.data["recent"]), [1]);
    assert_eq!(state.data["status"]["servers"][0]["name"], "git");
    hub.end(&second);
    hub.end(&third);
    hub.call(4);
    let calls = stream.event("calls").await;
    assert!(state.id < calls.id);
    assert_eq!(ids(&calls.data["ended"]), [2, 3, 4]);
    assert_eq!((ids(&calls.data["begun"]), &calls.data["dropped"]), (vec![], &json!(0)));
}

#[tokio::test(start_paused = true)]
async fn a_state_for_one_page_hides_no_call_from_another() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let mut first = OpenEvents::open(&hub, &browser, None).await;
    first.event("state").await;
    hub.begin(1);
    // No frame has the call when the second page reads its state.
    let mut second = OpenEvents::open(&hub, &browser, None).await;
    assert_eq!(ids(&second.event("state").await.data["running"]), [1]);
    assert_eq!(ids(&first.event("calls").await.data["begun"]), [1]);
}

#[tokio::test]
async fn a_call_has_the_fields_of_the_page() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let one = hub.begin(1);
    let state = get("/ui/api/state").by(&browser).answer(&hub).await.1;
    let running = json!({
        "id": 1, "at": "2026-01-02T03:04:05.678Z", "method": "tools/call", "target": "git_log",
        "server": "git", "principal": "", "client": "claude", "via": null, "own_page": false,
    });
    assert_eq!((&state["running"], &state["recent"]), (&json!([running]), &json!([])));
    hub.feed.ended(&one, &end(AuditOutcome::Error(-32603)));
    for (id, outcome) in [(2, AuditOutcome::ToolError), (3, AuditOutcome::UpstreamLost)] {
        hub.feed.ended(&Arc::new(call(id)), &end(outcome));
    }
    let state = get("/ui/api/state").by(&browser).answer(&hub).await.1;
    let mut ended = running;
    for (name, value) in [
        ("outcome", json!("error")),
        ("code", json!(-32603)),
        ("duration_us", json!(5000)),
        ("request_bytes", json!(12)),
        ("result_bytes", json!(34)),
    ] {
        ended[name] = value;
    }
    assert_eq!((&state["running"], &state["recent"][0]), (&json!([]), &ended));
    let words =
        |at: usize| (state["recent"][at]["outcome"].clone(), state["recent"][at]["code"].clone());
    assert_eq!(words(1), (json!("tool_error"), Value::Null));
    assert_eq!(words(2), (json!("upstream_lost"), Value::Null));
}

#[tokio::test(start_paused = true)]
async fn at_most_ten_frames_a_second_have_calls() {
    let hub = PageHub::new();
    let mut stream = OpenEvents::open(&hub, &browser(&hub).await, None).await;
    stream.event("state").await;
    let begun = Instant::now();
    let many = async {
        for number in 0..1_000 {
            hub.call(number);
            sleep_until(begun + Duration::from_millis(number + 1)).await;
        }
    };
    let (mut frames, mut ended) = (0, 0);
    let read = async {
        while ended < 1_000 {
            let calls = stream.event("calls").await;
            frames += 1;
            ended += ids(&calls.data["ended"]).len();
        }
    };
    tokio::join!(many, read);
    assert!((2..=11).contains(&frames), "{frames} frames");
}

#[tokio::test(start_paused = true)]
async fn a_frame_is_bounded_and_every_call_that_runs_on_the_page_ends_there() {
    let hub = PageHub::new();
    let mut stream = OpenEvents::open(&hub, &browser(&hub).await, None).await;
    let shown: Vec<_> = (0..700).map(|id| hub.begin(id)).collect();
    assert_eq!(ids(&stream.event("state").await.data["running"]).len(), 700);
    (1_000..3_000).for_each(|id| hub.call(id));
    shown.iter().for_each(|call| hub.end(call));
    let calls = stream.event("calls").await.data;
    let ended = ids(&calls["ended"]);
    assert!((0..700).all(|id| ended.contains(&id)));
    assert_eq!((ended.len(), &calls["dropped"]), (1_200, &json!(1_500)));
}

#[tokio::test(start_paused = true)]
async fn running_and_ended_calls_are_bounded_in_number_and_length() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    (0..600).for_each(|id| hub.call(id));
    let long = || Some("é".repeat(4_000).into_boxed_str());
    let huge = |id| ObservedCall {
        target: "é".repeat(1 << 20).into(),
        client: long(),
        via: long(),
        principal: "é".repeat(4_000).into(),
        ..call(id)
    };
    hub.feed.ended(&Arc::new(huge(600)), &end(AuditOutcome::Ok));
    let running: Vec<_> = (700..3_000).map(|id| Arc::new(huge(id))).take(3).collect();
    running.iter().for_each(|call| hub.feed.begun(call));
    let more: Vec<_> = (5_000..7_100).map(|id| hub.begin(id)).collect();
    let state = get("/ui/api/state").by(&browser).answer(&hub).await.1;
    let recent = ids(&state["recent"]);
    assert_eq!((recent.len(), recent.first(), recent.last()), (500, Some(&101), Some(&600)));
    assert_eq!(ids(&state["running"]).len(), 2_000);
    for call in [&state["recent"][499], &state["running"][0]] {
        for name in ["target", "client", "via", "principal"] {
            let text = call[name].as_str().unwrap();
            assert!((2_000..=2_048).contains(&text.len()) && text.ends_with('…'), "{name}");
        }
    }
    // A call that was not shown ends like any other.
    hub.end(more.last().unwrap());
    let state = get("/ui/api/state").by(&browser).answer(&hub).await.1;
    assert_eq!(ids(&state["recent"]).last(), Some(&7_099));
}

#[tokio::test(start_paused = true)]
async fn states_are_sent_when_they_differ() {
    let hub = PageHub::new();
    let mut stream = OpenEvents::open(&hub, &browser(&hub).await, None).await;
    // The first comparison has nothing to compare with.
    for expected in ["state", "status", "questions", "recordings", "changed"] {
        assert_eq!(stream.next().await.unwrap().name, expected);
    }
    // Time alone is no difference: the next thing that is heard is a comment.
    hub.hub.status.lock().servers[0].uptime_seconds = Some(99);
    hub.hub.questions.lock().clear();
    assert_eq!(stream.block().await.unwrap(), ": hobnob\n\n");
    // Nor is a limit that moves by less than a twentieth of its bound.
    *hub.hub.limit.lock() = 4;
    assert_eq!(stream.block().await.unwrap(), ": hobnob\n\n");
    *hub.hub.limit.lock() = 5;
    *hub.hub.status.lock() = status(vec![
        server("git", Phase::Ready),
        server("new one", Phase::NeedsApproval),
        server("far", Phase::NeedsLogin),
    ]);
    hub.hub.status.lock().servers[0].quarantined = vec!["push".into()];
    hub.hub.questions.lock().push(question(7));
    hub.page.changed(PageChange::Memory);
    let status = stream.next().await.unwrap();
    assert_eq!((&*status.name, &status.data["servers"][1]["name"]), ("status", &json!("new one")));
    let questions = stream.next().await.unwrap();
    assert_eq!(questions.name, "questions");
    assert_eq!(questions.data["questions"][0]["arguments"], json!({ "text": "{\"force\":true}" }));
    assert_eq!(
        questions.data["waiting"],
        json!({
            "approvals": [{
                "server": "new one", "command": "uvx server", "reason": "",
                "how": "hobnob approve 'new one'",
            }],
            "changed_tools": [{ "server": "git", "tool": "push", "how": "hobnob approve git" }],
            "logins": [{ "server": "far", "reason": "", "how": "hobnob login far" }],
        })
    );
    let changed = stream.next().await.unwrap();
    assert_eq!(
        (&*changed.name, changed.data),
        ("changed", json!({ "what": ["memory", "tools", "health"] }))
    );
}

#[tokio::test(start_paused = true)]
async fn calls_that_end_change_the_audit_log_once_a_second() {
    let hub = PageHub::new();
    let mut stream = OpenEvents::open(&hub, &browser(&hub).await, None).await;
    stream.event("changed").await;
    let begun = Instant::now();
    let many = async {
        for number in 0..300 {
            hub.call(number);
            sleep_until(begun + Duration::from_millis(10 * (number + 1))).await;
        }
    };
    let count = async {
        for _ in 0..3 {
            assert_eq!(stream.event("changed").await.data, json!({ "what": ["audit"] }));
        }
        begun.elapsed()
    };
    let ((), elapsed) = tokio::join!(many, count);
    assert!(Duration::from_secs(2) <= elapsed, "{elapsed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_says_that_it_lives() {
    let hub = PageHub::new();
    let mut stream = OpenEvents::open(&hub, &browser(&hub).await, None).await;
    stream.event("changed").await;
    let begun = Instant::now();
    for number in 1..4 {
        assert_eq!(stream.block().await.unwrap(), ": hobnob\n\n");
        assert_eq!(begun.elapsed().as_secs(), 15 * number);
    }
}

#[tokio::test(start_paused = true)]
async fn streams_end_with_the_hub() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let mut stream = OpenEvents::open(&hub, &browser, None).await;
    stream.event("state").await;
    hub.stop.cancel();
    assert_eq!(stream.event("end").await.data, json!({ "reason": "stopping" }));
    assert_eq!(stream.next().await, None);
    for path in ["/ui/events", "/ui/api/state", "/ui/api/session"] {
        assert_eq!(get(path).by(&browser).status(&hub).await, 503, "{path}");
    }
}

#[tokio::test]
async fn at_most_sixteen_streams_are_open() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let mut streams = Vec::new();
    for _ in 0..16 {
        streams.push(OpenEvents::open(&hub, &browser, None).await);
    }
    let (status, body) = get("/ui/events").by(&browser).answer(&hub).await;
    assert_eq!(status, 429);
    assert!(body["error"].as_str().unwrap().contains("close"), "{body}");
    streams.pop();
    OpenEvents::open(&hub, &browser, None).await.event("state").await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_collected_while_no_page_watches() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    (0..5_000).for_each(|id| hub.call(id));
    let mut stream = OpenEvents::open(&hub, &browser, None).await;
    assert_eq!(ids(&stream.event("state").await.data["recent"]).len(), 500);
    drop(stream);
    // Half a minute after the last page left, its frames are gone and no more are made.
    advance(Duration::from_secs(32)).await;
    pass(Duration::from_secs(2)).await;
    (5_000..10_000).for_each(|id| hub.call(id));
    let mut stream = OpenEvents::open(&hub, &browser, None).await;
    assert_eq!(ids(&stream.event("state").await.data["recent"]).last(), Some(&9_999));
    hub.call(10_000);
    assert_eq!(ids(&stream.event("calls").await.data["ended"]), [10_000]);
}

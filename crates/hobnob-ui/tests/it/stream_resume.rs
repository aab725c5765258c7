//! A page that lost its connection goes on where it was, or begins anew if that is gone; a page that
//! reads slowly misses frames and nothing else.

use crate::page_hub::{PageHub, pass};
use crate::requests::{Browser, OpenEvents, PageEvent, browser, get};
use serde_json::Value;
use std::time::Duration;

/// The calls that have ended, as a page with these events knows them.
fn ended(events: &[PageEvent]) -> Vec<u64> {
    let mut ended = Vec::new();
    for event in events {
        let calls = match &*event.name {
            "state" => {
                ended.clear();
                &event.data["recent"]
            }
            "calls" => &event.data["ended"],
            _ => &Value::Null,
        };
        let calls = calls.as_array().into_iter().flatten();
        ended.extend(calls.map(|call| call["id"].as_u64().unwrap()));
    }
    ended
}

/// Reads events until a call has ended.
async fn read_to(stream: &mut OpenEvents, last: u64) -> Vec<PageEvent> {
    let mut events = Vec::new();
    while !ended(&events).contains(&last) {
        events.push(stream.next().await.expect("the stream ended"));
    }
    events
}

async fn frames(hub: &PageHub, ids: std::ops::Range<u64>) {
    for id in ids {
        hub.call(id);
        pass(Duration::from_millis(150)).await;
    }
}

/// Reads the first events, and what follows the last of them after a pause.
async fn gap(
    hub: &PageHub,
    browser: &Browser,
    pause: Duration,
) -> (Vec<PageEvent>, Vec<PageEvent>) {
    let mut stream = OpenEvents::open(hub, browser, None).await;
    frames(hub, 0..3).await;
    let before = read_to(&mut stream, 2).await;
    drop(stream);
    pass(pause).await;
    frames(hub, 3..6).await;
    let last = before.last().unwrap().id;
    let mut stream = OpenEvents::open(hub, browser, last).await;
    (before, read_to(&mut stream, 5).await)
}

#[tokio::test(start_paused = true)]
async fn a_page_that_comes_back_gets_what_it_missed() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let (before, after) = gap(&hub, &browser, Duration::from_secs(20)).await;
    assert!(after.iter().all(|event| event.name != "state"), "{after:?}");
    assert_eq!(ended(&[before.clone(), after.clone()].concat()), [0, 1, 2, 3, 4, 5]);
    let ids: Vec<_> = before.iter().chain(&after).map(|event| event.id.unwrap()).collect();
    assert!(ids.is_sorted_by(|one, two| one < two), "{ids:?}");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_comes_back_late_begins_anew() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let (before, after) = gap(&hub, &browser, Duration::from_secs(60)).await;
    assert_eq!(after[0].name, "state");
    assert_eq!(ended(&after), [0, 1, 2, 3, 4, 5]);
    assert!(before.last().unwrap().id < after[0].id);
}

#[tokio::test(start_paused = true)]
async fn another_page_keeps_the_frames() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let mut other = OpenEvents::open(&hub, &browser, None).await;
    let (before, after) = gap(&hub, &browser, Duration::from_secs(60)).await;
    assert!(after.iter().all(|event| event.name != "state"), "{after:?}");
    assert_eq!(ended(&[before, after].concat()), [0, 1, 2, 3, 4, 5]);
    assert_eq!(ended(&read_to(&mut other, 5).await), [0, 1, 2, 3, 4, 5]);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_id_begins_anew() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let mut stream = OpenEvents::open(&hub, &browser, None).await;
    let first = stream.event("state").await.id.unwrap();
    for id in [0, 1, first - 1, first + 1_000, u64::MAX] {
        let mut stream = OpenEvents::open(&hub, &browser, Some(id)).await;
        assert_eq!(stream.next().await.unwrap().name, "state", "{id}");
    }
    for id in ["", "x", "-1", "1e3"] {
        let answer = get("/ui/events").by(&browser).header("last-event-id", id).send(&hub).await;
        assert_eq!(answer.status(), 200, "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_page_begins_anew_and_holds_up_no_other() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let mut slow = OpenEvents::open(&hub, &browser, None).await;
    let mut quick = OpenEvents::open(&hub, &browser, None).await;
    slow.event("state").await;
    let reading = async { ended(&read_to(&mut quick, 1_499).await) };
    let ((), read) = tokio::join!(frames(&hub, 0..1_500), reading);
    assert_eq!(read, (0..1_500).collect::<Vec<_>>());
    let missed = slow.next().await.unwrap();
    assert_eq!(missed.name, "state");
    assert_eq!(ended(&[missed]), (1_000..1_500).collect::<Vec<_>>());
    hub.call(9_999);
    assert_eq!(ended(&[slow.event("calls").await]), [9_999]);
}

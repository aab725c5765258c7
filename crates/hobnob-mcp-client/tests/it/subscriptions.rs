//! Subscriptions to lists and resources, in the way of each revision.

use crate::script::{Opening, Scene, Script, next_event, settle};
use crate::support::{ALL, LEGACY, MODERN};
use hobnob_mcp_types::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::advance;

fn uris(uris: &[&str]) -> BTreeSet<Box<str>> {
    uris.iter().map(|uri| (*uri).into()).collect()
}

fn opening() -> Opening {
    let capabilities = json!({
        "tools": {"listChanged": true},
        "prompts": {},
        "resources": {"subscribe": true, "listChanged": true},
    });
    Opening { capabilities, ..Opening::new() }
}

async fn listen(script: &mut Script) -> (Value, Value) {
    let asked = script.receive().await;
    assert_eq!(asked["method"], "subscriptions/listen", "{asked}");
    (asked["id"].clone(), asked["params"]["notifications"].clone())
}

#[tokio::test(start_paused = true)]
async fn changes_arrive_in_every_revision() {
    for revision in ALL {
        let Scene { mut script, remote: _remote, mut events, .. } = opening().open(revision).await;
        for (method, params, wanted) in [
            ("tools/list_changed", json!({}), "tools"),
            ("prompts/list_changed", json!({}), "prompts"),
            ("resources/list_changed", json!({}), "resources"),
            ("resources/updated", json!({"uri": "x:y"}), "resource x:y"),
        ] {
            script.notify(&format!("notifications/{method}"), params).await;
            assert_eq!(next_event(&mut events).await, wanted);
        }
    }
}

/// One subscription per resource; unwanted ones are ended.
#[tokio::test(start_paused = true)]
async fn a_legacy_server_is_subscribed_to() {
    let Scene { mut script, remote, .. } = opening().open(LEGACY).await;
    assert!(remote.can_subscribe());
    settle().await;
    assert!(script.unread().await.is_empty(), "nothing is wished yet");
    type Asked<'a> = &'a [(&'a str, &'a str)];
    let steps: [(&[&str], Asked<'_>); 4] = [
        (&["a:a", "b:b"], &[("resources/subscribe", "a:a"), ("resources/subscribe", "b:b")]),
        (&["b:b", "c:c"], &[("resources/unsubscribe", "a:a"), ("resources/subscribe", "c:c")]),
        (&["b:b", "c:c"], &[]),
        (&[], &[("resources/unsubscribe", "b:b"), ("resources/unsubscribe", "c:c")]),
    ];
    for (wished, asked) in steps {
        remote.watch(uris(wished));
        for (method, uri) in asked {
            let request = script.receive().await;
            assert_eq!(
                (&request["method"], &request["params"]["uri"]),
                (&json!(method), &json!(uri))
            );
            script.answer(&request["id"], json!({})).await;
        }
        assert!(script.unread().await.is_empty());
    }
}

/// A new request is sent before the old one ends, so that no change is missed.
#[tokio::test(start_paused = true)]
async fn a_modern_server_is_listened_to() {
    let Scene { mut script, remote, .. } = opening().open(MODERN).await;
    let (first, filter) = listen(&mut script).await;
    assert_eq!(filter, json!({"toolsListChanged": true, "resourcesListChanged": true}));
    remote.watch(uris(&["a:a", "b:b"]));
    let (_second, filter) = listen(&mut script).await;
    assert_eq!(filter["resourceSubscriptions"], json!(["a:a", "b:b"]));
    let sent = script.receive().await;
    assert_eq!(sent["method"], "notifications/cancelled");
    assert_eq!(sent["params"]["requestId"], first);
    remote.watch(uris(&["a:a", "b:b"]));
    assert!(script.unread().await.is_empty(), "nothing has changed");
}

/// A listen request that ends is sent again, with growing pauses.
#[tokio::test(start_paused = true)]
async fn a_listen_that_ends_is_made_again() {
    let Scene { mut script, remote: _remote, .. } = opening().open(MODERN).await;
    for round in 0..6 {
        let begun = tokio::time::Instant::now();
        let (id, _) = listen(&mut script).await;
        match round {
            0 => assert_eq!(begun.elapsed().as_millis(), 0),
            _ => {
                let nominal = 500.0 * f64::from(1 << (round - 1));
                let waited = begun.elapsed().as_secs_f64() * 1000.0;
                assert!((0.7 * nominal..1.3 * nominal).contains(&waited), "{round}: {waited}");
            }
        }
        match round % 3 {
            0 => script.answer(&id, json!({"resultType": "complete"})).await,
            1 => script.refuse(&id, -32603, json!({})).await,
            _ => script.notify("notifications/cancelled", json!({"requestId": id})).await,
        }
    }
}

/// A resource without updates is reported, so that it can be polled.
#[tokio::test(start_paused = true)]
async fn a_refused_subscription_is_an_event() {
    let Scene { mut script, remote, mut events, .. } = opening().open(LEGACY).await;
    remote.watch(uris(&["a:a", "b:b"]));
    let first = script.expect("resources/subscribe").await;
    script.refuse(&first, -32602, json!({})).await;
    let second = script.expect("resources/subscribe").await;
    script.answer(&second, json!({})).await;
    assert_eq!(next_event(&mut events).await, "unwatched a:a");
    assert!(script.unread().await.is_empty());

    let Scene { mut script, remote, mut events, .. } = opening().open(MODERN).await;
    listen(&mut script).await;
    remote.watch(uris(&["a:a", "b:b"]));
    let (id, _) = listen(&mut script).await;
    agree(&mut script, &id, json!({"resourceSubscriptions": ["b:b"]})).await;
    assert_eq!(next_event(&mut events).await, "unwatched a:a");
    settle().await;
    assert!(events.try_recv().is_err());
}

async fn agree(script: &mut Script, id: &Value, filter: Value) {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
    let params = json!({"notifications": filter, "_meta": meta});
    script.notify("notifications/subscriptions/acknowledged", params).await;
}

/// Changes between the end of a listen request and the next one were not seen.
#[tokio::test(start_paused = true)]
async fn a_gap_may_have_hidden_anything() {
    let Scene { mut script, remote, mut events, .. } = opening().open(MODERN).await;
    listen(&mut script).await;
    remote.watch(uris(&["a:a"]));
    let (id, filter) = listen(&mut script).await;
    agree(&mut script, &id, filter).await;
    settle().await;
    assert!(events.try_recv().is_err(), "nothing was missed");
    script.refuse(&id, -32603, json!({})).await;
    script.expect("notifications/cancelled").await;
    let (id, filter) = listen(&mut script).await;
    settle().await;
    assert!(events.try_recv().is_err(), "it is not listened to yet");
    agree(&mut script, &id, filter).await;
    for event in ["tools", "resources", "resource a:a"] {
        assert_eq!(next_event(&mut events).await, event);
    }
}

/// A change of the wanted resources does not wait for the backoff of a broken listen request.
#[tokio::test(start_paused = true)]
async fn other_resources_do_not_wait_for_a_retry() {
    let Scene { mut script, remote, .. } = opening().open(MODERN).await;
    for _ in 0..7 {
        let (id, _) = listen(&mut script).await;
        script.refuse(&id, -32603, json!({})).await;
    }
    settle().await;
    let begun = tokio::time::Instant::now();
    remote.watch(uris(&["a:a"]));
    let (_, filter) = listen(&mut script).await;
    assert_eq!(filter["resourceSubscriptions"], json!(["a:a"]));
    assert_eq!(begun.elapsed().as_millis(), 0);
}

/// After a moment with too many requests, the client listens again.
#[tokio::test(start_paused = true)]
async fn subscriptions_survive_too_many_requests() {
    for revision in [LEGACY, MODERN] {
        let mut opening = opening();
        opening.options.in_flight = if revision == MODERN { 2 } else { 1 };
        let Scene { mut script, remote, .. } = opening.open(revision).await;
        if revision == MODERN {
            listen(&mut script).await;
        }
        let busy = async {
            let id = script.expect("ping").await;
            remote.watch(uris(&["a:a"]));
            settle().await;
            script.answer(&id, json!({})).await;
        };
        let (pong, ()) = tokio::join!(remote.request(Method::Ping, "{}"), busy);
        assert!(pong.is_ok());
        advance(Duration::from_secs(2)).await;
        let asked = script.receive().await;
        let wished = match revision {
            LEGACY => &asked["params"]["uri"],
            _ => &asked["params"]["notifications"]["resourceSubscriptions"][0],
        };
        assert_eq!(wished, "a:a", "{asked}");
    }
}

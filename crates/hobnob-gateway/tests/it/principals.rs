//! Two people behind one gateway never meet in one upstream process.

use hobnob_mcp_engine::{Change, Principal};
use serde_json::json;

use crate::harness::{ALLOW, Harness, entry, home, python, write_servers, write_settings};
use crate::view_client::Recorded;

#[tokio::test]
async fn each_principal_has_a_connection_of_its_own() {
    let Some(python) = python() else { return };
    let home = home("principals");
    let up = entry(&python, &home, "up", &[]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    let harness = Harness::open(&home);
    let (one, other) = (Principal::named("a"), Principal::named("b"));
    for expected in ["1", "2", "3"] {
        assert_eq!(harness.call(&one, "mcp__up__count", json!({})).await, expected);
    }
    // The other principal counts from the beginning.
    assert_eq!(harness.call(&other, "mcp__up__count", json!({})).await, "1");
    assert_eq!(harness.call(&Principal::anonymous(), "mcp__up__count", json!({})).await, "1");
    assert_eq!(harness.call(&one, "mcp__up__count", json!({})).await, "4");
    let before = harness.noted("up", "start");
    assert!((2..=3).contains(&before), "{before} processes");

    // If one principal's process dies, the other's is unaffected.
    harness.call(&one, "mcp__up__die", json!({})).await;
    assert_eq!(harness.call(&other, "mcp__up__count", json!({})).await, "2");
    assert_eq!(harness.call(&one, "mcp__up__count", json!({})).await, "1");

    // A cancelled call of one principal does not cancel the other's.
    let napping = harness.call(&other, "mcp__up__nap", json!({"ms": 700}));
    let given_up = async {
        let nap = harness.call(&one, "mcp__up__nap", json!({"ms": 60_000}));
        drop(tokio::time::timeout(std::time::Duration::from_millis(200), nap).await);
    };
    let (slept, ()) = tokio::join!(napping, given_up);
    assert_eq!(slept, "slept");
    harness.close().await;
}

#[tokio::test]
async fn what_is_kept_for_one_is_not_read_by_another() {
    let Some(python) = python() else { return };
    let home = home("kept");
    let up = entry(&python, &home, "up", &[]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    let harness = Harness::open(&home);
    let (one, other) = (Principal::named("a"), Principal::named("b"));
    let cut = harness.call(&one, "mcp__up__big", json!({"bytes": 600_000})).await;
    let notified = harness.call(&one, "mcp__up__echo", json!({"message": "x"})).await;
    assert_eq!(notified, "x");
    assert!(cut.len() < 300_000, "{}", cut.len());
    let poll = json!({"type": "tool", "server": "up", "toolName": "count"});
    let made = harness.call(&one, "SubscribePolling", poll).await;
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    let id = json!({"subscriptionId": made["subscriptionId"]});
    let ended = harness.call(&other, "UnsubscribePolling", id.clone()).await;
    assert_eq!(ended, r#"{"unsubscribed":false}"#);
    let ended = harness.call(&one, "UnsubscribePolling", id).await;
    assert_eq!(ended, r#"{"unsubscribed":true}"#);
    harness.close().await;
}

const NOTE: &str = "mcp://up/test://notes/1";

/// A gateway with the server `up`, whose tools may all run; `None` without Python.
fn with_one_server(name: &str) -> Option<Harness> {
    let (python, home) = (python()?, home(name));
    write_settings(&home, ALLOW);
    let up = entry(&python, &home, "up", &[]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    Some(Harness::open(&home))
}

/// All three listen for the same address, and each has a separate upstream process.
#[tokio::test]
async fn what_one_principals_server_reports_is_announced_to_nobody_else() {
    let Some(harness) = with_one_server("reports") else { return };
    let hub = &harness.plain.hub;
    let (ann, bob) = (Principal::named("ann"), Principal::named("bob"));
    for who in [&ann, &bob, &Principal::anonymous()] {
        harness.call(who, "mcp__up__count", json!({})).await;
    }
    let [of_ann, of_bob] = [&ann, &bob].map(|who| Recorded::of(hub, who.clone()));
    let _watch = hub.watch(NOTE);
    let news = Change::Resource(NOTE.into());
    let telling = async {
        while !of_ann.take().contains(&news) {
            harness.call(&ann, "mcp__up__touch", json!({})).await;
        }
    };
    let limit = std::time::Duration::from_secs(60);
    assert!(tokio::time::timeout(limit, telling).await.is_ok(), "Ann was not notified");
    assert!(!of_bob.take().contains(&news), "Bob's own was not touched");
    assert!(!harness.plain.recorded.take().contains(&news), "nor was the person's");
    harness.close().await;
}

#[tokio::test]
async fn what_a_poll_finds_is_announced_to_whoever_asked_for_it() {
    let Some(harness) = with_one_server("polled") else { return };
    let hub = &harness.plain.hub;
    let (ann, bob) = (Principal::named("ann"), Principal::named("bob"));
    let [of_ann, of_bob] = [&ann, &bob].map(|who| Recorded::of(hub, who.clone()));
    let poll = json!({"type": "tool", "server": "up", "toolName": "count", "intervalMs": 1000});
    let made = harness.call(&ann, "SubscribePolling", poll).await;
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    let uri = made["resourceUri"].as_str().unwrap_or_else(|| panic!("{made}"));
    let _watch = hub.watch(uri);
    let found = Change::Resource(uri.into());
    of_ann.until(&found).await;
    assert!(!of_bob.take().contains(&found) && !harness.plain.recorded.take().contains(&found));
    harness.close().await;
}

//! Two people behind one gateway never meet in one upstream process.

use hobnob_mcp_engine::Principal;
use serde_json::json;

use crate::harness::{Harness, entry, home, python, write_servers};

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
    // Whoever comes second counts from the beginning.
    assert_eq!(harness.call(&other, "mcp__up__count", json!({})).await, "1");
    assert_eq!(harness.call(&Principal::anonymous(), "mcp__up__count", json!({})).await, "1");
    assert_eq!(harness.call(&one, "mcp__up__count", json!({})).await, "4");
    let before = harness.noted("up", "start");
    assert!((2..=3).contains(&before), "{before} processes");

    // One's process may die; the other's does not notice.
    harness.call(&one, "mcp__up__die", json!({})).await;
    assert_eq!(harness.call(&other, "mcp__up__count", json!({})).await, "2");
    assert_eq!(harness.call(&one, "mcp__up__count", json!({})).await, "1");

    // One's cancelled call is nobody else's.
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

//! Two people behind one gateway never meet in one upstream process.

use hobnob_mcp_engine::Principal;
use serde_json::json;

use crate::house::{House, entry, home, python, write_servers};

#[tokio::test]
async fn each_principal_has_a_connection_of_its_own() {
    let Some(python) = python() else { return };
    let home = home("principals");
    let up = entry(&python, &home, "up", &[]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    let house = House::open(&home);
    let (one, other) = (Principal::named("a"), Principal::named("b"));
    for expected in ["1", "2", "3"] {
        assert_eq!(house.call(&one, "mcp__up__count", json!({})).await, expected);
    }
    // Whoever comes second counts from the beginning.
    assert_eq!(house.call(&other, "mcp__up__count", json!({})).await, "1");
    assert_eq!(house.call(&Principal::anonymous(), "mcp__up__count", json!({})).await, "1");
    assert_eq!(house.call(&one, "mcp__up__count", json!({})).await, "4");
    let before = house.noted("up", "start");
    assert!((2..=3).contains(&before), "{before} processes");

    // One's process may die; the other's does not notice.
    house.call(&one, "mcp__up__die", json!({})).await;
    assert_eq!(house.call(&other, "mcp__up__count", json!({})).await, "2");
    assert_eq!(house.call(&one, "mcp__up__count", json!({})).await, "1");

    // One's cancelled call is nobody else's.
    let napping = house.call(&other, "mcp__up__nap", json!({"ms": 700}));
    let given_up = async {
        let nap = house.call(&one, "mcp__up__nap", json!({"ms": 60_000}));
        drop(tokio::time::timeout(std::time::Duration::from_millis(200), nap).await);
    };
    let (slept, ()) = tokio::join!(napping, given_up);
    assert_eq!(slept, "slept");
    house.close().await;
}

#[tokio::test]
async fn what_is_kept_for_one_is_not_read_by_another() {
    let Some(python) = python() else { return };
    let home = home("kept");
    let up = entry(&python, &home, "up", &[]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    let house = House::open(&home);
    let (one, other) = (Principal::named("a"), Principal::named("b"));
    let cut = house.call(&one, "mcp__up__big", json!({"bytes": 600_000})).await;
    let told = house.call(&one, "mcp__up__echo", json!({"message": "x"})).await;
    assert_eq!(told, "x");
    assert!(cut.len() < 300_000, "{}", cut.len());
    let poll = json!({"type": "tool", "server": "up", "toolName": "count"});
    let made = house.call(&one, "SubscribePolling", poll).await;
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    let id = json!({"subscriptionId": made["subscriptionId"]});
    let ended = house.call(&other, "UnsubscribePolling", id.clone()).await;
    assert_eq!(ended, r#"{"unsubscribed":false}"#);
    let ended = house.call(&one, "UnsubscribePolling", id).await;
    assert_eq!(ended, r#"{"unsubscribed":true}"#);
    house.close().await;
}

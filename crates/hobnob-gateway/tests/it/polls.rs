//! Subscriptions and polls are bounded: a server is read at a limited rate however much is watched,
//! and unreadable resources are given up.

use std::time::{Duration, Instant};

use hobnob_mcp_engine::{Change, ClientId, Notes, Outcome, Principal, Service};
use hobnob_mcp_types::Method;
use serde_json::{Value, json};

use crate::harness::{ALLOW, Harness, entry, home, python, write_servers, write_settings};
use crate::view_client::call_of;

/// The limit on reads of one server per second.
const PER_SECOND: f64 = 10.0;

fn harness(name: &str) -> Option<Harness> {
    let python = python()?;
    let home = home(name);
    write_settings(&home, &format!("gateway.poll_interval = \"1s\"\n{ALLOW}"));
    let up = entry(&python, &home, "up", &["--no-subscribe"]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    Some(Harness::open(&home))
}

#[tokio::test]
async fn thousands_of_made_up_addresses_cost_a_few_reads_a_second() {
    let Some(harness) = harness("made-up") else { return };
    harness.plain.list(Method::ResourcesList).await;
    let begun = Instant::now();
    let real = "mcp://up/test://notes/1";
    let made_up = (0..5000).map(|number| format!("mcp://up/test://made-up/{number}"));
    let watches: Vec<_> =
        made_up.chain([real.to_owned()]).map(|uri| harness.plain.hub.watch(&uri)).collect();
    // The one listed resource is polled all the same.
    let changed = Change::Resource(real.into());
    for _ in 0..2 {
        let notified = async {
            loop {
                harness.plain.tool("mcp__up__touch", json!({})).await.unwrap();
                let recorded = harness.plain.recorded.until(&changed);
                if tokio::time::timeout(Duration::from_secs(3), recorded).await.is_ok() {
                    break;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), notified)
            .await
            .expect("the change is notified");
    }
    let (reads, elapsed) = (harness.noted("up", "read") as f64, begun.elapsed().as_secs_f64());
    assert!(reads <= 2.0 + PER_SECOND * elapsed, "{reads} reads in {elapsed} s");
    drop(watches);
    harness.close().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_not_polled() {
    let Some(harness) = harness("refused") else { return };
    let poll = |uri: &str| json!({"type": "resource", "server": "up", "uri": uri});
    let refused = harness.plain.tool("SubscribePolling", poll("test://made-up")).await.unwrap();
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(refused.to_string().contains("no such resource"), "{refused}");
    let begun = harness.plain.tool("SubscribePolling", poll("test://notes/1")).await.unwrap();
    assert_ne!(begun["isError"], true, "{begun}");
    harness.close().await;
}

/// Starts a poll for one client.
async fn begin(harness: &Harness, client: ClientId, poll: &Value) -> Value {
    let params = json!({"name": "SubscribePolling", "arguments": poll});
    let mut call = call_of(&Principal::anonymous(), Method::ToolsCall, params);
    call.caller.client_id = client;
    let outcome = harness.plain.service.call(call, Notes::silent()).await.unwrap();
    let Outcome::Complete(answer) = outcome else { panic!("{outcome:?}") };
    serde_json::from_str(&answer.body).unwrap()
}

#[tokio::test]
async fn one_client_polls_so_much_and_no_more() {
    let Some(harness) = harness("one-client") else { return };
    let poll = json!({"type": "tool", "server": "up", "toolName": "count", "intervalMs": 60_000});
    let (mut begun, one) = (0, ClientId::next());
    let refused = loop {
        let polled = begin(&harness, one, &poll).await;
        if polled["isError"] == true {
            break polled;
        }
        begun += 1;
        assert!(begun <= 64, "there is no bound");
    };
    assert!(refused.to_string().contains("too many polls"), "{refused}");
    let other = begin(&harness, ClientId::next(), &poll).await;
    assert_ne!(other["isError"], true, "another client has its own share: {other}");
    harness.close().await;
}

//! Reloads of the configuration: at once where a request needs them, and many in a row, a tenth of
//! them with broken files, while calls run.

use hobnob_gateway::Reload;
use hobnob_mcp_engine::Principal;
use hobnob_mcp_types::Method;
use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Harness, entry, home, python, write_servers, write_settings};
use std::sync::Arc;

#[tokio::test]
async fn many_reloads_under_load_drop_no_call() {
    let Some(python) = python() else { return };
    let rounds = if std::env::var_os("SLOW_TESTS").is_some_and(|it| it == "1") { 1000 } else { 50 };
    let home = home("reloads");
    let keep = entry(&python, &home, "keep", &[]);
    let with = |extra: Option<usize>| {
        let mut servers = json!({"keep": keep});
        if let Some(number) = extra {
            let words = format!("words {number}");
            let switches = ["--only", "echo", "--description", &words];
            // It need not run: a known server is not asked for its lists twice in a row.
            servers["extra"] = entry(&python, &home, "extra", &switches);
            servers["extra"]["disabled"] = json!(number % 5 != 0);
        }
        json!({"mcpServers": servers}).to_string()
    };
    write_servers(&home, &with(None));
    let harness = Arc::new(Harness::open(&home));
    let nobody = Principal::anonymous();
    assert_eq!(harness.call(&nobody, "mcp__keep__echo", json!({"message": "up"})).await, "up");
    let mut calls = JoinSet::new();
    let mut broken = 0;
    for round in 0..rounds {
        let invalid = round % 10 == 9;
        match invalid {
            true => write_servers(&home, "{\"mcpServers\": {"),
            false => write_servers(&home, &with((round % 3 != 0).then_some(round))),
        }
        let (asked, nobody) = (Arc::clone(&harness), nobody.clone());
        calls.spawn(async move {
            let arguments = json!({"ms": round % 40});
            (asked.call(&nobody, "mcp__keep__nap", arguments).await, "slept".to_owned())
        });
        let (asked, nobody) = (Arc::clone(&harness), Principal::anonymous());
        calls.spawn(async move {
            let message = round.to_string();
            let said = asked.call(&nobody, "mcp__keep__echo", json!({"message": message})).await;
            (said, message)
        });
        tokio::task::yield_now().await;
        harness.gateway.read_again();
        let status = harness.gateway.status();
        assert!(status.servers.iter().any(|it| it.name == "keep"), "round {round}");
        assert_eq!(invalid, !status.problems.is_empty(), "round {round}: {:?}", status.problems);
        broken += usize::from(invalid);
        while calls.len() > 20 {
            let (said, expected) = calls.join_next().await.unwrap().unwrap();
            assert_eq!(said, expected, "round {round}");
        }
    }
    while let Some(done) = calls.join_next().await {
        let (said, expected) = done.unwrap();
        assert_eq!(said, expected);
    }
    assert_eq!(broken, rounds / 10);
    assert_eq!(harness.noted("keep", "start"), 1);
    let Ok(harness) = Arc::try_unwrap(harness) else { panic!("all calls are over") };
    harness.close().await;
}

/// `hobnob add` and the call after it are two lines of one script.
#[tokio::test]
async fn a_server_added_just_now_can_be_called() {
    let Some(python) = python() else { return };
    let home = home("added");
    write_servers(&home, r#"{"mcpServers": {}}"#);
    let harness = Harness::open_with(&home, Reload::Watch);
    let add = |name: &str| {
        let added = entry(&python, &home, name, &[]);
        write_servers(&home, &json!({"mcpServers": {name: added}}).to_string());
    };
    add("first");
    let nobody = Principal::anonymous();
    let said = harness.call(&nobody, "mcp__first__echo", json!({"message": "here"})).await;
    assert_eq!(said, "here");
    add("second");
    let names = harness.plain.list(Method::ToolsList).await;
    assert!(names.iter().any(|it| it == "mcp__second__echo"), "{names:?}");
    assert!(!names.iter().any(|it| it == "mcp__first__echo"), "{names:?}");
    harness.close().await;
}

/// A person who said "always" and removes the rule that this wrote is asked again.
#[tokio::test]
async fn without_its_rule_an_always_does_not_count() {
    const COUNT: &str = "mcp__up__count";
    let Some(python) = python() else { return };
    let home = home("always");
    write_settings(&home, "");
    let up = entry(&python, &home, "up", &["--only", "count"]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    let harness = Harness::open(&home);
    let call = async |says| harness.plain.call_asked(COUNT, says).await;
    assert_eq!(call("always").await, (true, "1".into()));
    assert_eq!(call("no").await, (false, "2".into()), "the answer counts before its rule is read");
    harness.gateway.read_again();
    assert_eq!(call("no").await, (false, "3".into()), "the rule counts");
    write_settings(&home, "");
    harness.gateway.read_again();
    assert!(call("no").await.0, "without the rule, a person is asked again");
    assert_eq!(harness.noted("up", "call"), 3);
    harness.close().await;
}

//! The configuration changes under load: only what changed is touched, what is broken changes
//! nothing.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::faults_client::{Client, text_of};
use crate::faults_setup::{ALLOW, Setup, times, until, zombies_of};

/// Asks for the status until it is so.
async fn status_until(client: &mut Client, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + Duration::from_secs(20);
    let mut looks = tokio::time::interval(Duration::from_millis(50));
    loop {
        let status = client.status().await;
        if holds(&status) {
            return status;
        }
        assert!(Instant::now() < end, "{what}: {status}");
        looks.tick().await;
    }
}

fn names(status: &Value) -> Vec<&str> {
    let servers = status["servers"].as_array().unwrap();
    servers.iter().map(|it| it["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn only_what_changed_is_touched() {
    let Some(mut setup) = Setup::new("reload").await else { return };
    setup.upstream("keep", &[]).upstream("change", &["--only", "echo"]);
    let mut client = Client::legacy(&setup).await;
    for server in ["keep", "change"] {
        client.text(&format!("mcp__{server}__echo"), json!({"message": "up"})).await;
    }
    let running = client.send_call("mcp__keep__nap", json!({"ms": 7000})).await;

    setup.upstream("new", &["--only", "echo"]).upstream("change", &["--only", "count"]);
    setup.write();
    while !client.tools().await.iter().any(|name| name == "mcp__new__echo") {
        client.notified("notifications/tools/list_changed").await;
    }
    while !client.tools().await.iter().any(|name| name == "mcp__change__count") {
        client.notified("notifications/tools/list_changed").await;
    }
    assert!(!client.tools().await.iter().any(|name| name == "mcp__change__echo"));
    assert_eq!(client.text("mcp__new__echo", json!({"message": "hi"})).await, "hi");

    setup.without("new").write();
    while client.tools().await.iter().any(|name| name == "mcp__new__echo") {
        client.notified("notifications/tools/list_changed").await;
    }
    until("it is stopped", Duration::from_secs(10), || setup.process("new").is_none()).await;
    assert_eq!(text_of(&client.response(running).await), "slept");
    assert_eq!(setup.noted("keep", "start"), 1);
    client.end().await;
}

#[tokio::test]
async fn a_broken_file_changes_nothing_and_is_reported() {
    let Some(mut setup) = Setup::new("broken").await else { return };
    setup.upstream("keep", &[]);
    let mut client = Client::legacy(&setup).await;
    client.text("mcp__keep__echo", json!({"message": "up"})).await;
    for (file, text) in [
        ("config/mcp.json", "{\"mcpServers\": {"),
        ("config/config.toml", "[gateway]\nresult_cap = \"many\"\n"),
        ("config/config.toml", "[[permissions]]\ntool = \"mcp__*\"\naction = \"perhaps\"\n"),
    ] {
        setup.put(file, text);
        let name = file.rsplit('/').next().unwrap();
        let status =
            status_until(&mut client, file, |status| status["problems"].to_string().contains(name))
                .await;
        assert_eq!(names(&status), ["keep"]);
        assert_eq!(client.text("mcp__keep__echo", json!({"message": "on"})).await, "on");
        setup.write();
        status_until(&mut client, file, |status| status["problems"].is_null()).await;
    }
    assert_eq!(setup.noted("keep", "start"), 1);
    client.end().await;
}

#[tokio::test]
async fn rules_take_effect_at_once_and_times_with_the_next_start() {
    let Some(mut setup) = Setup::new("settings").await else { return };
    setup.upstream("keep", &[]);
    let mut client = Client::legacy(&setup).await;
    client.text("mcp__keep__echo", json!({"message": "up"})).await;
    let deny = "[[permissions]]\ntool = \"mcp__keep__echo\"\naction = \"deny\"\n";
    setup.settings(&format!("{deny}{ALLOW}[servers.keep]\ncall = \"1s\"\n")).write();
    while client.tools().await.iter().any(|name| name == "mcp__keep__echo") {
        client.notified("notifications/tools/list_changed").await;
    }
    assert_eq!(setup.noted("keep", "start"), 1);
    client.call("mcp__keep__die", json!({})).await;
    let begun = Instant::now();
    let response = client.call("mcp__keep__nap", json!({"ms": 30_000})).await;
    assert!(text_of(&response).contains("no answer within 1 s"), "{response}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    client.end().await;
}

#[tokio::test]
async fn reloads_under_load_drop_nothing() {
    let Some(mut setup) = Setup::new("reloads").await else { return };
    setup.upstream("keep", &[]);
    let mut client = Client::legacy(&setup).await;
    client.text("mcp__keep__echo", json!({"message": "up"})).await;
    for round in 1..=times(4, 40) {
        let broken = round % 4 == 0;
        if broken {
            setup.put("config/mcp.json", "{\"mcpServers\": ");
        } else {
            let name = format!("extra{}", round % 2);
            if round % 3 == 0 {
                setup.without(&name);
            } else {
                setup.upstream(&name, &["--only", "echo", "--description", &round.to_string()]);
            }
            setup.write();
        }
        // Longer than it takes to be noticed.
        let long = client.send_call("mcp__keep__nap", json!({"ms": 2500})).await;
        let mut calls = Vec::new();
        for number in 0..50 {
            let message = number.to_string();
            calls.push((
                client.send_call("mcp__keep__echo", json!({"message": message})).await,
                message,
            ));
        }
        for (id, message) in calls {
            assert_eq!(text_of(&client.response(id).await), message);
        }
        assert_eq!(text_of(&client.response(long).await), "slept", "round {round}");
        if broken {
            let status = status_until(&mut client, "it is reported", |status| {
                status["problems"].to_string().contains("mcp.json")
            })
            .await;
            assert!(names(&status).contains(&"keep"), "{status}");
        }
    }
    assert_eq!(setup.noted("keep", "start"), 1);
    let me = client.process();
    until("no zombie", Duration::from_secs(10), || zombies_of(me) == 0).await;
    client.end().await;
}

/// Limits from outside how many files a process may have open.
async fn limit_files(process: u32, limit: &str) -> bool {
    let mut command = tokio::process::Command::new("prlimit");
    command.args([format!("--pid={process}"), format!("--nofile={limit}")]);
    command.status().await.is_ok_and(|status| status.success())
}

#[tokio::test]
async fn a_lack_of_descriptors_holds_nothing_back_and_is_forgotten() {
    let Some(mut setup) = Setup::new("descriptors").await else { return };
    setup.upstream("one", &["--only", "echo"]);
    let mut client = Client::legacy(&setup).await;
    assert_eq!(client.text("mcp__one__echo", json!({"message": "up"})).await, "up");
    let kept = std::path::PathBuf::from(setup.file("state/approvals.json"));
    until("the tools are remembered", Duration::from_secs(20), || kept.exists()).await;
    let me = client.process();
    if !limit_files(me, "3:").await {
        eprintln!("SKIPPED: there is no prlimit to take descriptors away with");
        return client.end().await;
    }
    // Not one file can be opened now, and everything looks changed.
    for file in ["state/approvals.json", "config/config.toml", "config/mcp.json"] {
        let text = std::fs::read_to_string(setup.file(file)).unwrap();
        setup.put(file, &text);
    }
    let is_reported = |status: &Value| status["problems"].to_string().contains("approvals.json");
    let status = status_until(&mut client, "it is reported", is_reported).await;
    assert!(status["servers"][0]["quarantined"].is_null(), "{status}");
    assert!(client.tools().await.iter().any(|name| name == "mcp__one__echo"));
    assert_eq!(client.text("mcp__one__echo", json!({"message": "on"})).await, "on");
    // Once descriptors are available again, everything is read again, without a further change.
    assert!(limit_files(me, "1024:").await);
    let is_well = |status: &Value| status["problems"].is_null();
    status_until(&mut client, "it is read again", is_well).await;
    assert_eq!(client.text("mcp__one__echo", json!({"message": "hi"})).await, "hi");
    client.end().await;
}

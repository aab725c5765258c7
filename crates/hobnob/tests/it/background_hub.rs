//! A client that gives up before its servers have started: a hub in the background goes on without
//! it, and leaves nothing behind.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::dialogue::Dialogue;
use crate::faults_client::{Client, able};
use crate::faults_setup::{ALLOW, Setup, all_processes, signal, until};
use crate::program::within;

const SOON: Duration = Duration::from_secs(60);

/// A home whose hubs stay this long, with a server that is slower than the first list waits.
async fn slow(name: &str, background: &str) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings(&format!("[gateway]\nbackground_hub = \"{background}\"\n{ALLOW}"));
    setup.first_list_wait("100ms").upstream("slow", &["--only", "echo", "--start-ms", "3000"]);
    setup.write();
    Some(setup)
}

/// A client that leaves first starts to the background, as real ones do.
async fn client(setup: &Setup) -> Client {
    let mut command = setup.hobnob(&["serve"]);
    command.env_remove("HOBNOB_NO_REUSE").env_remove("HOBNOB_NO_BACKGROUND");
    Client::with(Dialogue::with(&mut command), "2025-11-25", able()).await
}

async fn hubs(setup: &Setup) -> Vec<Value> {
    let mut command = setup.hobnob(&["--json", "hubs"]);
    let output = within("hubs", command.stdin(Stdio::null()).output()).await.unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The process of the one hub that runs.
async fn hub(setup: &Setup) -> u32 {
    let hubs = hubs(setup).await;
    assert_eq!(hubs.len(), 1, "{hubs:?}");
    u32::try_from(hubs[0]["pid"].as_u64().unwrap()).unwrap()
}

fn runs(id: u32) -> bool {
    all_processes().iter().any(|it| it.id == id && it.state != 'Z')
}

async fn nothing_runs(setup: &Setup, hub: u32) {
    let gone = || !runs(hub) && setup.processes().is_empty();
    until("nothing is left of the hub", SOON, gone).await;
}

#[tokio::test]
async fn a_start_goes_on_when_its_client_is_killed() {
    let Some(setup) = slow("background-goes-on", "5s").await else { return };
    let mut first = client(&setup).await;
    assert!(!first.tools().await.contains(&"mcp__slow__echo".to_owned()));
    let hub = hub(&setup).await;
    let described = &hubs(&setup).await[0];
    assert_eq!(described["kind"], "background", "{described}");
    assert_ne!(first.process(), hub);
    signal("KILL", first.process());
    drop(first);
    until("its lists are stored", SOON, || setup.home.join("state/catalogues").exists()).await;
    let mut second = client(&setup).await;
    assert!(second.tools().await.contains(&"mcp__slow__echo".to_owned()));
    assert_eq!(second.text("mcp__slow__echo", json!({"message": "hi"})).await, "hi");
    assert_eq!(setup.noted("slow", "start"), 1, "it was started once, by the same hub");
    second.end().await;
    nothing_runs(&setup, hub).await;
    // Every server is known now, so the next pipe starts no background hub.
    let mut third = client(&setup).await;
    assert!(third.tools().await.contains(&"mcp__slow__echo".to_owned()));
    assert_eq!(hubs(&setup).await[0]["kind"], "pipe");
    third.end().await;
}

#[tokio::test]
async fn whoever_takes_list_changed_is_told_when_the_list_is_complete() {
    let Some(setup) = slow("background-changed", "1s").await else { return };
    let mut client = client(&setup).await;
    assert!(!client.tools().await.contains(&"mcp__slow__echo".to_owned()));
    client.notified("notifications/tools/list_changed").await;
    assert!(client.tools().await.contains(&"mcp__slow__echo".to_owned()));
    client.end().await;
}

#[tokio::test]
async fn a_hub_in_the_background_that_is_killed_leaves_nothing_and_is_replaced() {
    let Some(setup) = slow("background-killed", "60s").await else { return };
    let mut client = client(&setup).await;
    client.tools().await;
    let hub = hub(&setup).await;
    until("the server runs", SOON, || setup.process("slow").is_some()).await;
    let server = setup.process("slow").unwrap().id;
    signal("KILL", hub);
    until("both are gone", SOON, || !runs(hub) && !runs(server)).await;
    // The client's own process is the hub now.
    assert_eq!(client.text("mcp__slow__echo", json!({"message": "hi"})).await, "hi");
    assert_eq!(self::hub(&setup).await, client.process());
    client.end().await;
}

#[tokio::test]
async fn it_belongs_to_no_client_and_is_stopped_by_a_command() {
    let Some(setup) = slow("background-stop", "60s").await else { return };
    let mut client = client(&setup).await;
    client.tools().await;
    let hub = hub(&setup).await;
    let stat = std::fs::read_to_string(format!("/proc/{hub}/stat")).unwrap();
    let session = stat.rsplit_once(") ").unwrap().1.split(' ').nth(3).unwrap().to_owned();
    assert_eq!(session, hub.to_string(), "it leads a session of its own");
    client.end().await;
    assert!(runs(hub), "it outlives its client");
    let mut command = setup.hobnob(&["stop"]);
    let output = within("stop", command.stdin(Stdio::null()).output()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("stopped hub {hub}\n"));
    assert!(!runs(hub));
    assert_eq!(setup.processes().len(), 0);
}

#[tokio::test]
async fn it_can_be_switched_off() {
    let Some(mut setup) = slow("background-off", "off").await else { return };
    // Longer than a start once had to take for its interruption to be remembered.
    setup.first_list_wait("4s").upstream("slow", &["--start-ms", "60000"]).write();
    let mut client = client(&setup).await;
    client.tools().await;
    assert_eq!(hub(&setup).await, client.process());
    client.end().await;
    // Being interrupted is no failure.
    let mut command = setup.hobnob(&["--json", "status"]);
    let output = within("status", command.stdin(Stdio::null()).output()).await.unwrap();
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(status["servers"][0]["phase"], "unknown", "{status}");
}

//! What was promised first: the table of failures and the points to verify, one test each.

use std::time::Duration;

use serde_json::{Value, json};

use crate::faults_client::{Client, text_of};
use crate::faults_setup::{Setup, until};
use crate::program::within;

/// Runs a command of the program and returns what it said: success, output, errors.
async fn run(setup: &Setup, arguments: &[&str]) -> (bool, String, String) {
    let running = setup.hobnob(arguments).stdin(std::process::Stdio::null()).output();
    let output = within(&arguments.join(" "), running).await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// One upstream, and a legacy client of the hub.
async fn with_one(name: &str) -> Option<(Setup, Client)> {
    let mut setup = Setup::new(name).await?;
    setup.upstream("one", &[]);
    let client = Client::legacy(&setup).await;
    Some((setup, client))
}

fn has(tools: &[String], start: &str) -> bool {
    tools.iter().any(|name| name.starts_with(start))
}

#[tokio::test]
async fn no_file_means_no_servers_and_no_words() {
    let Some(setup) = Setup::new("nofile").await else { return };
    let mut command = setup.hobnob(&["serve"]);
    let mut child = command.spawn().unwrap();
    drop(child.stdin.take());
    let output = within("its end", child.wait_with_output()).await.unwrap();
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("WARN") && !said.contains("ERROR"), "{said}");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_a_warning_with_its_place() {
    let Some(setup) = Setup::new("badfile").await else { return };
    setup.put("config/mcp.json", "{\n  \"mcpServers\": {\n    oops\n");
    let mut command = setup.hobnob(&["serve"]);
    let mut child = command.spawn().unwrap();
    drop(child.stdin.take());
    let output = within("its end", child.wait_with_output()).await.unwrap();
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("mcp.json") && said.contains(":3:"), "{said}");
}

#[tokio::test]
async fn servers_that_cannot_be_started_or_greeted_are_skipped() {
    let Some(mut setup) = Setup::new("skipped").await else { return };
    setup.server("missing", json!({"command": "/no/such/program"}));
    setup.server("unset", json!({"command": "x", "env": {"A": "${NO_SUCH_VARIABLE}"}}));
    setup.upstream("exits", &["--fault", "exit"]).upstream("good", &[]);
    setup.upstream("listless", &["--fault", "tools"]);
    let refuses = "import sys, json\nfor line in sys.stdin:\n  m = json.loads(line)\n  \
                   'id' in m and print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'error': \
                   {'code': -32000, 'message': 'go away'}}), flush=True)\n";
    setup.script("refuses", refuses);
    let mut client = Client::legacy(&setup).await;
    assert_eq!(client.text("mcp__good__echo", json!({"message": "hi"})).await, "hi");
    let tools = client.tools().await;
    for server in ["missing", "unset", "exits", "refuses", "listless"] {
        assert!(!has(&tools, &format!("mcp__{server}")), "{tools:?}");
    }
    for (server, phase, why) in [
        ("missing", "failed", "/no/such/program"),
        ("unset", "misconfigured", "NO_SUCH_VARIABLE"),
        ("exits", "failed", "no configuration found"),
        ("refuses", "failed", "go away"),
    ] {
        let mut status = client.status_of(server).await;
        while status["phase"] == "starting" {
            status = client.status_of(server).await;
        }
        assert_eq!(status["phase"], phase, "{status}");
        assert!(status["reason"].as_str().unwrap().contains(why), "{status}");
    }
    let status = client.status_of("listless").await;
    assert_eq!((&status["phase"], &status["tools"]), (&json!("ready"), &json!(0)), "{status}");
    client.end().await;
}

#[tokio::test]
async fn a_tool_that_fails_is_an_error_of_the_tool() {
    let Some((_setup, mut client)) = with_one("toolfails").await else { return };
    let failed = client.call("mcp__one__fail", json!({})).await;
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(text_of(&failed), "it failed");
    let crashed = client.call("mcp__one__die", json!({})).await;
    assert_eq!(crashed["result"]["isError"], true);
    assert!(text_of(&crashed).contains("lost during the call"), "{crashed}");
    client.end().await;
}

#[tokio::test]
async fn ctrl_c_ends_the_servers() {
    let Some((setup, mut client)) = with_one("ctrlc").await else { return };
    client.text("mcp__one__echo", json!({"message": "up"})).await;
    let _running = client.send_call("mcp__one__nap", json!({"ms": 600_000})).await;
    until("it runs", Duration::from_secs(10), || setup.noted("one", "napping") == 1).await;
    crate::faults_setup::signal("INT", client.process());
    assert_eq!(client.dialogue.ended().await.code(), Some(0));
    until("nothing is left", Duration::from_secs(5), || setup.processes().is_empty()).await;
}

#[tokio::test]
async fn tools_are_found_and_called_from_the_project_and_the_terminal() {
    let Some(setup) = Setup::new("project").await else { return };
    let entry = setup.entry("mine", &[]);
    setup.write();
    let file = json!({"mcpServers": {"mine": entry}});
    setup.put("project/.mcp.json", &file.to_string());
    // A project's server starts only after a person approved it.
    let mut client = Client::legacy(&setup).await;
    assert!(!has(&client.tools().await, "mcp__mine"));
    let status = client.status_of("mine").await;
    assert_eq!(status["phase"], "needs-approval", "{status}");
    assert!(status["hint"].as_str().unwrap().contains("hobnob approve mine"), "{status}");
    assert_eq!(setup.noted("mine", "start"), 0);
    let (ok, _, said) = run(&setup, &["approve", "mine", "--yes"]).await;
    assert!(ok, "{said}");
    while !has(&client.tools().await, "mcp__mine") {
        client.notified("notifications/tools/list_changed").await;
    }
    assert_eq!(client.text("mcp__mine__echo", json!({"message": "hi"})).await, "hi");
    client.end().await;
}

#[tokio::test]
async fn resources_are_listed_and_read_by_the_tools() {
    let Some(mut setup) = Setup::new("resources").await else { return };
    setup.upstream("one", &[]).upstream("two", &[]);
    let mut client = Client::legacy(&setup).await;
    let listed = client.text("ListMcpResources", json!({})).await;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let servers: Vec<_> = listed.as_array().unwrap().iter().map(|it| &it["server"]).collect();
    assert_eq!(servers, ["one", "two"]);
    let read = json!({"server": "two", "uri": "test://notes/1"});
    let read = client.call("ReadMcpResource", read).await;
    let contents = &read["result"]["structuredContent"]["contents"];
    assert_eq!(contents[0]["uri"], "test://notes/1", "{read}");
    assert_eq!(contents[0]["text"], "version 0", "{read}");
    let missing = json!({"server": "two", "uri": "test://none"});
    let missing = client.call("ReadMcpResource", missing).await;
    assert_eq!(missing["result"]["isError"], true, "{missing}");
    client.end().await;
}

#[tokio::test]
async fn polling_and_subscribing_through_the_tools_tells_of_changes() {
    let Some((setup, mut client)) = with_one("polling").await else { return };
    let at = json!({"server": "one", "uri": "test://notes/1"});
    client.text("SubscribeMcpResource", at).await;
    let limit = Duration::from_secs(10);
    until("it is passed on", limit, || setup.noted("one", "subscribe") == 1).await;
    client.text("mcp__one__touch", json!({})).await;
    let notification = client.notified("notifications/resources/updated").await;
    assert_eq!(notification["params"]["uri"], "mcp://one/test://notes/1");

    let poll = json!({"type": "tool", "server": "one", "toolName": "count", "intervalMs": 1000});
    let made = client.text("SubscribePolling", poll).await;
    let made: Value = serde_json::from_str(&made).unwrap();
    let notification = client.notified("notifications/resources/updated").await;
    assert_eq!(notification["params"]["uri"], made["resourceUri"], "{notification}");
    let uri = made["resourceUri"].clone();
    let read = client.ask("resources/read", json!({"uri": uri})).await;
    let found = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(found.contains("content"), "{read}");
    let gone = json!({"server": "one", "target": "count"});
    let gone = client.text("UnsubscribePolling", gone).await;
    assert_eq!(serde_json::from_str::<Value>(&gone).unwrap(), json!({"unsubscribed": true}));
    let read = client.ask("resources/read", json!({"uri": uri})).await;
    assert!(read["error"].is_object(), "{read}");
    client.end().await;
}

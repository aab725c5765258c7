//! `isolation = "client"`: every client has its own process, which ends with the client.

use std::time::Duration;

use hobnob_mcp_engine::{ClientId, Notes, Outcome, Principal, Service};
use hobnob_mcp_types::Method;
use serde_json::{Value, json};

use crate::harness::{ALLOW, Harness, entry, home, python, write_servers, write_settings};
use crate::view_client::call_of;

/// Calls a tool as one client; returns the text of the result or of the error.
async fn call(harness: &Harness, client: ClientId, tool: &str) -> String {
    let params = json!({"name": tool, "arguments": {}});
    let mut call = call_of(&Principal::anonymous(), Method::ToolsCall, params);
    call.caller.client_id = client;
    let outcome = harness.plain.service.call(call, Notes::silent()).await.unwrap();
    let Outcome::Complete(answer) = outcome else { panic!("{outcome:?}") };
    let result: Value = serde_json::from_str(&answer.body).unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

fn harness(name: &str, settings: &str) -> Option<Harness> {
    let python = python()?;
    let home = home(name);
    write_settings(&home, &format!("{ALLOW}{settings}"));
    let mut own = entry(&python, &home, "own", &[]);
    own["isolation"] = "client".into();
    let set = entry(&python, &home, "set", &[]);
    let shared = entry(&python, &home, "shared", &[]);
    let servers = json!({"own": own, "set": set, "shared": shared});
    write_servers(&home, &json!({"mcpServers": servers}).to_string());
    Some(Harness::open(&home))
}

fn connections(harness: &Harness, name: &str) -> usize {
    let status = harness.gateway.status();
    status.servers.iter().find(|it| it.name == name).unwrap().connections
}

#[tokio::test]
async fn clients_have_processes_of_their_own_where_a_server_is_isolated() {
    let Some(harness) = harness("isolated", "[servers.set]\nisolation = \"client\"\n") else {
        return;
    };
    harness.plain.list(Method::ToolsList).await;
    let (one, other) = (ClientId::next(), ClientId::next());
    for server in ["own", "set"] {
        let count = format!("mcp__{server}__count");
        assert_eq!(call(&harness, one, &count).await, "1", "{server}");
        assert_eq!(call(&harness, one, &count).await, "2", "{server}");
        assert_eq!(call(&harness, other, &count).await, "1", "{server}");
    }
    assert_eq!(call(&harness, one, "mcp__shared__count").await, "1");
    assert_eq!(call(&harness, other, "mcp__shared__count").await, "2");
    // The process of a client that leaves ends; others do not get it.
    harness.plain.service.client_gone(one);
    assert_eq!((connections(&harness, "own"), connections(&harness, "shared")), (1, 1));
    assert_eq!(call(&harness, other, "mcp__own__count").await, "2");
    harness.close().await;
}

/// How often the processes of a server were notified of changed roots.
fn notifications(harness: &Harness, name: &str) -> usize {
    let journal = harness.home.join(format!("{name}.journal"));
    let journal = std::fs::read_to_string(journal).unwrap();
    journal.matches("notifications/roots/list_changed").count()
}

#[tokio::test]
async fn a_process_of_one_client_is_told_of_its_roots() {
    let Some(harness) = harness("roots-changed", "") else { return };
    harness.plain.list(Method::ToolsList).await;
    let (one, other) = (ClientId::next(), ClientId::next());
    for client in [one, other] {
        call(&harness, client, "mcp__own__count").await;
        call(&harness, client, "mcp__shared__count").await;
    }
    harness.plain.service.roots_changed(one);
    harness.plain.service.roots_changed(ClientId::next());
    // Each process reads in order: once it answers, earlier notifications are in its journal.
    for client in [one, other] {
        call(&harness, client, "mcp__own__count").await;
        call(&harness, client, "mcp__shared__count").await;
    }
    assert_eq!((notifications(&harness, "own"), notifications(&harness, "shared")), (1, 0));
    harness.close().await;
}

#[tokio::test]
async fn the_processes_of_an_isolated_server_are_bounded() {
    let Some(harness) = harness("bounded", "") else { return };
    harness.plain.list(Method::ToolsList).await;
    let mut clients = Vec::new();
    let refused = loop {
        let client = ClientId::next();
        let said = call(&harness, client, "mcp__own__count").await;
        if said != "1" {
            break said;
        }
        clients.push(client);
        assert!(clients.len() <= 16, "there is no bound");
    };
    assert!(refused.contains("too many connections"), "{refused}");
    assert_eq!(call(&harness, clients[0], "mcp__own__count").await, "2");
    harness.plain.service.client_gone(clients[1]);
    let next = tokio::time::timeout(Duration::from_secs(30), async {
        while call(&harness, ClientId::next(), "mcp__own__count").await != "1" {}
    });
    next.await.expect("there is room again");
    harness.close().await;
}

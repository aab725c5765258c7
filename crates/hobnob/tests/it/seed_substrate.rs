//! The examples of the description that the profile `substrate` follows, through the real binary: MCP in
//! dotted names with the handshake it asks for, trees as resources, and native calls beside it.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::interval;

use crate::agents_service::{grant, home as home_with_claude};
use crate::program::within;
use crate::seed_wire::{Home, ServerTransport, Wire};
use crate::shell_service::person;

const PROFILE: &str = "substrate";

fn request(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn hello(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {"roots": {"listChanged": true}, "sampling": {}},
        "clientInfo": {"name": "claude-code", "version": "1.0.0"},
    })
}

async fn greeted(home: &Home, way: ServerTransport, version: &str) -> Wire {
    let mut wire = Wire::open(home, way, Some(PROFILE)).await;
    let answer = wire.result("initialize", hello(version)).await;
    let expected = json!({
        "protocolVersion": version,
        "capabilities": {
            "tools": {"listChanged": true},
            "resources": {"subscribe": true, "listChanged": true},
            "prompts": {"listChanged": true},
            "logging": {},
        },
        "serverInfo": {"name": "substrate", "version": "0.1.0"},
    });
    // Completions and tasks are more than the description has.
    for (member, value) in expected.as_object().unwrap() {
        match member.as_str() {
            "capabilities" => {
                for (name, declared) in value.as_object().unwrap() {
                    assert_eq!(&answer["capabilities"][name], declared, "{name}: {answer}");
                }
            }
            _ => assert_eq!(&answer[member], value, "{answer}"),
        }
    }
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    wire
}

/// A home whose person grants every line of `sh` in one folder, and a stand-in for `claude`.
async fn granted(label: &str) -> Home {
    let (home, own, folder) = home_with_claude(label);
    grant(&home, &own, &folder).await;
    person(&home, &["enable", "shell"]).await;
    person(&home, &["grant", "shell", "--in", folder.to_str().unwrap(), "--line"]).await;
    std::fs::write(folder.join("file1.txt"), "").unwrap();
    std::fs::write(folder.join("file2.txt"), "").unwrap();
    home
}

#[tokio::test]
async fn requests_wait_for_the_handshake_and_unknown_versions_are_refused() {
    let home = Home::new("substrate-hello");
    let mut wire = Wire::open(&home, ServerTransport::Stdio, Some(PROFILE)).await;
    let (_, early) = wire.ask(request(1, "tools/list", json!({"cursor": null}))).await;
    let not_yet = json!({"code": -32002, "message": "Server not initialized"});
    assert_eq!(early["error"], not_yet, "{early}");
    let (_, refused) = wire.ask(request(2, "initialize", hello("1999-01-01"))).await;
    let error = &refused["error"];
    assert_eq!(error["code"], -32602, "{refused}");
    assert_eq!(error["message"], "Unsupported protocol version");
    assert_eq!(error["data"]["requested"], "1999-01-01");
    assert!(error["data"]["supported"].as_array().unwrap().contains(&json!("2024-11-05")));
    let (_, answer) = wire.ask(request(3, "initialize", hello("2024-11-05"))).await;
    assert_eq!(answer["result"]["protocolVersion"], "2024-11-05", "{answer}");
    let (_, early) = wire.ask(request(4, "tools/list", json!({}))).await;
    assert_eq!(early["error"]["message"], "Server initializing", "{early}");
    let (_, pong) = wire.ask(request(7, "ping", json!({}))).await;
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
}

#[tokio::test]
async fn tools_have_dotted_names_and_answer_as_described() {
    let home = granted("substrate-tools").await;
    for way in ServerTransport::ALL {
        for version in ["2024-11-05", "2025-03-26"] {
            let mut wire = greeted(&home, way, version).await;
            let listed = wire.result("tools/list", json!({"cursor": null})).await;
            let tools = listed["tools"].as_array().unwrap();
            let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name);
            for tool in tools {
                assert!(tool["name"].as_str().unwrap().contains('.'), "{tool}");
            }
            let chat = tool("claudecode.chat").expect("the chat");
            assert_eq!(chat["description"], "Chat with a Claude Code session");
            let schema = &chat["inputSchema"];
            assert_eq!(schema["properties"]["max_turns"]["type"], json!(["integer", "null"]));
            assert_eq!(schema["required"], json!(["session_name", "query"]));
            let bash = tool("bash.execute").expect("the shell");
            assert_eq!(bash["description"], "Execute a bash command");
            assert_eq!(bash["inputSchema"]["required"], json!(["command"]));
            assert!(tool("arbor.tree_create").is_some() && tool("health.check").is_some());

            let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
            let listing = call("bash.execute", json!({"command": "ls"}));
            let ran = wire.result("tools/call", listing).await;
            let text = json!([{"type": "text", "text": "file1.txt\nfile2.txt\n"}]);
            assert_eq!((&ran["content"], &ran["isError"]), (&text, &json!(false)), "{ran}");
            let asked = json!({"session_name": "my-session", "query": "Hello, world!"});
            let missing = wire.result("tools/call", call("claudecode.chat", asked)).await;
            let text = json!([{"type": "text", "text": "Session 'my-session' not found"}]);
            assert_eq!((&missing["content"], &missing["isError"]), (&text, &json!(true)));
            let undotted = request(9, "tools/call", call("bash", json!({})));
            let (_, refused) = wire.ask(undotted).await;
            let error = json!({"code": -32602, "message": "Invalid tool name format: bash"});
            assert_eq!(refused["error"], error, "{refused}");
        }
    }
}

/// The first resource, once there is one: lists follow the store, and do not wait for it.
async fn listed_trees(wire: &mut Wire) -> Value {
    let mut looks = interval(Duration::from_millis(10));
    loop {
        let listed = wire.result("resources/list", json!({})).await;
        if let Some(first) = listed["resources"].get(0) {
            return first.clone();
        }
        looks.tick().await;
    }
}

#[tokio::test]
async fn trees_are_resources() {
    let home = Home::new("substrate-trees");
    for way in ServerTransport::ALL {
        let mut wire = greeted(&home, way, "2025-03-26").await;
        if let ServerTransport::Stdio = way {
            let made = json!({"name": "arbor.tree_create", "arguments": {"name": "main"}});
            let made = wire.result("tools/call", made).await;
            assert_eq!(made["isError"], false, "{made}");
        }
        let listed = within("the tree to be listed", listed_trees(&mut wire)).await;
        let expected = json!({
            "uri": "arbor://tree/main/node/root",
            "name": "Main Tree Root",
            "mimeType": "application/json",
        });
        for (member, value) in expected.as_object().unwrap() {
            assert_eq!(&listed[member], value, "{listed}");
        }
        let read = json!({"uri": "arbor://tree/main/node/root"});
        let contents = &wire.result("resources/read", read).await["contents"][0];
        assert_eq!(contents["mimeType"], "application/json", "{contents}");
        assert!(contents["text"].as_str().unwrap().contains("\"role\""), "{contents}");
        let prompts = wire.result("prompts/list", json!({})).await;
        assert!(prompts["prompts"].is_array(), "{prompts}");
    }
}

/// A native call needs no handshake: a subscription, then one message for each event.
#[tokio::test]
async fn a_native_call_streams_its_events() {
    let home = granted("substrate-native").await;
    let mut wire = Wire::open(&home, ServerTransport::Stdio, Some(PROFILE)).await;
    let (_, answer) = wire.ask(request(1, "bash.execute", json!(["ls"]))).await;
    let subscription = answer["result"].as_i64().unwrap_or_else(|| panic!("{answer}"));
    let mut kinds = Vec::new();
    let mut output = String::new();
    loop {
        let message = wire.next().await;
        assert_eq!(message["method"], "bash.execute", "{message}");
        let params = &message["params"];
        assert_eq!(params["subscription"], subscription, "{message}");
        assert_eq!(params["provenance"][0], "substrate", "{message}");
        let event = &params["result"];
        let kind = event["type"].as_str().unwrap().to_owned();
        output.push_str(event["data"].as_str().unwrap_or_default());
        let is_last = kind == "complete";
        if is_last {
            assert_eq!(event["exit_code"], 0, "{event}");
        }
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
        if is_last {
            break;
        }
    }
    assert_eq!(kinds, ["start", "stdout", "complete"]);
    assert_eq!(output, "file1.txt\nfile2.txt\n");
}

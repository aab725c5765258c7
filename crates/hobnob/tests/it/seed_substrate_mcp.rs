//! Tools, resources, prompts and cancelling in the profile `substrate`, as the description has
//! them: results in one piece, on pipes and over HTTP.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::interval;

use crate::program::within;
use crate::seed_substrate::{GrantedHome, PROFILE, call, greeted, request};
use crate::seed_wire::{Home, ServerTransport, Wire};
use crate::shell_service::{mark, until_count};

const REVISIONS: [&str; 2] = ["2024-11-05", "2025-03-26"];

/// The content and `isError` of a tool's result.
async fn outcome(wire: &mut Wire, tool: &str, arguments: Value) -> (Value, Value) {
    let (_, answer) = wire.ask(call(3, tool, arguments)).await;
    let result = &answer["result"];
    assert!(result.is_object(), "{tool}: {answer}");
    (result["content"].clone(), result["isError"].clone())
}

fn texts(texts: &[&str]) -> Value {
    texts.iter().map(|text| json!({"type": "text", "text": text})).collect()
}

#[tokio::test]
async fn tools_have_dotted_names_and_answer_as_described() {
    let granted = GrantedHome::new("substrate-tools").await;
    for way in ServerTransport::ALL {
        for version in REVISIONS {
            let mut wire = greeted(&granted.home, way, version).await;
            let (_, listed) = wire.ask(request(2, "tools/list", json!({"cursor": null}))).await;
            check_tools(&listed["result"]);
            let listing = outcome(&mut wire, "bash.execute", json!({"command": "ls"})).await;
            assert_eq!(listing, (texts(&["file1.txt\nfile2.txt\n"]), json!(false)));
            let asked = json!({"session_name": "nobody's", "query": "Hello, world!"});
            let missing = outcome(&mut wire, "claudecode.chat", asked).await;
            assert_eq!(missing, (texts(&["Session 'nobody's' not found"]), json!(true)));
            let (_, refused) = wire.ask(call(9, "bash", json!({}))).await;
            let error = json!({"code": -32602, "message": "Invalid tool name format: bash"});
            assert_eq!(refused["error"], error, "{refused}");
        }
    }
}

fn check_tools(listed: &Value) {
    let tools = listed["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["name"].as_str().unwrap().contains('.')), "{listed}");
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name);
    let expected = json!({
        "type": "object",
        "properties": {
            "session_name": {"type": "string", "description": "Name of the session"},
            "query": {"type": "string", "description": "The query to send"},
            "max_turns": {
                "type": ["integer", "null"],
                "description": "Maximum conversation turns"
            }
        },
        "required": ["session_name", "query"]
    });
    let chat = tool("claudecode.chat").expect("the chat");
    assert_eq!(chat["description"], "Chat with a Claude Code session");
    assert_eq!(chat["inputSchema"], expected);
    let bash = tool("bash.execute").expect("the shell");
    assert_eq!(bash["description"], "Execute a bash command");
    let schema = &bash["inputSchema"];
    assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!(["command"])));
    let properties: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(properties, ["command"]);
    for name in ["health.check", "echo.echo", "arbor.tree_create", "cone.chat", "cone.registry"] {
        assert!(tool(name).is_some(), "{name}");
    }
    // Fewer than fifty fit on one page, and `null` is no cursor in the specification.
    assert!(listed.get("nextCursor").is_none() && tools.len() < 50, "{}", tools.len());
}

/// Text first and joined, then tools and errors; the completion if nothing else came.
#[tokio::test]
async fn the_events_of_a_chat_are_one_result() {
    let granted = GrantedHome::new("substrate-chat").await;
    for way in ServerTransport::ALL {
        let mut wire = greeted(&granted.home, way, "2025-03-26").await;
        if way == ServerTransport::Stdio {
            let made = outcome(&mut wire, "claudecode.create", json!({"name": "my-session"})).await;
            assert_eq!(made.1, false, "{made:?}");
        }
        for (query, content, is_error) in [
            ("Hello, world!", texts(&["Hello! How can I help you today?"]), false),
            ("tool", texts(&["Files: \n\ntwo.", r#"[Tool: Bash] {"command":"ls"}"#]), false),
            ("fail", texts(&["Half", "it broke"]), true),
            ("silent", texts(&["{\n  \"session_id\": \"id-1\",\n  \"turns\": 1\n}"]), false),
        ] {
            let asked = json!({"session_name": "my-session", "query": query, "max_turns": null});
            let came = outcome(&mut wire, "claudecode.chat", asked).await;
            assert_eq!(came, (content, json!(is_error)), "{way:?} {query}");
        }
        // A tool that emits nothing has its data for a result, indented too.
        let (health, is_error) = outcome(&mut wire, "health.check", json!({})).await;
        let text = health[0]["text"].as_str().unwrap();
        assert!(text.starts_with("{\n  \"status\": \"ok\",\n  \"version\": "), "{text}");
        assert_eq!((is_error, health.as_array().unwrap().len()), (json!(false), 1));
    }
}

/// The first resource, once there is one: lists follow the store, and do not wait for it.
async fn listed_trees(wire: &mut Wire) -> Value {
    let mut looks = interval(Duration::from_millis(10));
    loop {
        let (_, answer) =
            wire.ask(json!({"jsonrpc": "2.0", "id": 4, "method": "resources/list"})).await;
        if answer["result"]["resources"].get(0).is_some() {
            return answer["result"]["resources"].clone();
        }
        looks.tick().await;
    }
}

#[tokio::test]
async fn trees_are_resources_and_nodes_have_a_role_and_content() {
    let home = Home::new("substrate-trees");
    for way in ServerTransport::ALL {
        let mut wire = greeted(&home, way, "2025-03-26").await;
        if way == ServerTransport::Stdio {
            let made = outcome(&mut wire, "arbor.tree_create", json!({"name": "main"})).await;
            assert_eq!(made.1, false, "{made:?}");
        }
        let listed = within("the tree to be listed", listed_trees(&mut wire)).await;
        let expected = json!([{
            "uri": "arbor://tree/main/node/root",
            "name": "Main Tree Root",
            "mimeType": "application/json",
        }]);
        assert_eq!(listed, expected);
        let node = json!({"tree_id": "main", "parent": "root", "role": "assistant",
            "content": "..."});
        let (said, _) = outcome(&mut wire, "arbor.node_create_text", node).await;
        let said: Value = serde_json::from_str(said[0]["text"].as_str().unwrap()).unwrap();
        let uri = format!("arbor://tree/main/node/{}", said["node_id"].as_str().unwrap());
        let (_, read) = wire.ask(request(5, "resources/read", json!({"uri": uri}))).await;
        let contents = &read["result"]["contents"];
        assert_eq!(contents.as_array().map(Vec::len), Some(1), "{read}");
        assert_eq!(
            (&contents[0]["uri"], &contents[0]["mimeType"]),
            (&json!(uri), &expected[0]["mimeType"])
        );
        let text: Value = serde_json::from_str(contents[0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, json!({"role": "assistant", "content": "..."}));
        let root = json!({"uri": "arbor://tree/main/node/root"});
        let (_, read) = wire.ask(request(5, "resources/read", root)).await;
        assert!(read["result"]["contents"][0]["text"].is_string(), "{read}");
        let (_, prompts) =
            wire.ask(json!({"jsonrpc": "2.0", "id": 6, "method": "prompts/list"})).await;
        assert_eq!(prompts, json!({"jsonrpc": "2.0", "id": 6, "result": {"prompts": []}}));
    }
}

#[tokio::test]
async fn lists_have_pages_of_fifty() {
    let home = Home::new("substrate-pages");
    let mut wire = greeted(&home, ServerTransport::Stdio, "2024-11-05").await;
    for number in 1..=51 {
        let name = json!({"name": format!("tree{number}")});
        assert_eq!(outcome(&mut wire, "arbor.tree_create", name).await.1, false);
    }
    let listed = async {
        let mut looks = interval(Duration::from_millis(10));
        loop {
            let listed = wire.result("resources/list", json!({})).await;
            if listed["nextCursor"].is_string() {
                return listed;
            }
            looks.tick().await;
        }
    };
    let first = within("a second page", listed).await;
    assert_eq!(first["resources"].as_array().map(Vec::len), Some(50));
    let second = wire.result("resources/list", json!({"cursor": first["nextCursor"]})).await;
    assert_eq!(second["resources"].as_array().map(Vec::len), Some(1), "{second}");
    assert!(second.get("nextCursor").is_none(), "{second}");
    assert_eq!(wire.result("logging/setLevel", json!({"level": "error"})).await, json!({}));
}

/// Without the service there are no resources, and the capability is not declared.
#[tokio::test]
async fn resources_are_declared_only_with_arbor() {
    let home = Home::new("substrate-no-arbor");
    std::fs::create_dir_all(home.0.join("config")).unwrap();
    std::fs::write(home.0.join("config/config.toml"), "[services]\narbor = false\n").unwrap();
    let mut wire = Wire::open(&home, ServerTransport::Stdio, Some(PROFILE)).await;
    let hello = crate::seed_substrate::hello("2024-11-05");
    let (_, answer) = wire.ask(request(1, "initialize", hello)).await;
    let able = &answer["result"]["capabilities"];
    assert!(able.get("resources").is_none() && able["tools"].is_object(), "{able}");
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let (_, refused) = wire.ask(request(4, "resources/list", json!({}))).await;
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
}

/// The service `echo` exists only in profiles that name it.
#[tokio::test]
async fn only_this_profile_has_the_echo() {
    let home = Home::new("substrate-echo");
    for profile in [None, Some("subcog"), Some("bossman"), Some("sysmcp"), Some(PROFILE)] {
        let mut wire = Wire::open(&home, ServerTransport::Stdio, profile).await;
        let hello = crate::seed_substrate::hello("2025-03-26");
        wire.ask(request(1, "initialize", hello)).await;
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        let (_, listed) = wire.ask(request(2, "tools/list", json!({}))).await;
        let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
        let has_echo = tools.iter().any(|it| it["name"].as_str().unwrap().starts_with("echo"));
        assert_eq!(has_echo, profile == Some(PROFILE), "{profile:?}");
        let (_, hash) = wire.ask(request(3, "hash", json!(["echo"]))).await;
        assert_eq!(hash["result"].is_string(), profile == Some(PROFILE), "{profile:?}: {hash}");
    }
}

/// `"3"` is another id than `3`, as in the specification.
#[tokio::test]
async fn a_call_is_cancelled_by_the_id_it_has() {
    let granted = GrantedHome::new("substrate-cancel").await;
    let mut wire = greeted(&granted.home, ServerTransport::Stdio, "2025-03-26").await;
    let cancelled = |id: Value| {
        let params = json!({"requestId": id, "reason": "User cancelled"});
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    };
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"});
    let mark = mark();
    let line = format!("while ! test -e go; do sleep 0.01; done; echo {mark}");
    wire.send(call(3, "bash.execute", json!({"command": line}))).await;
    until_count(&mark, |count| count >= 1).await;
    wire.send(cancelled(json!("3"))).await;
    // Its answer says that the notification has been read.
    assert_eq!(wire.ask(ping.clone()).await.0, [json!(null); 0]);
    std::fs::write(granted.folder.join("go"), "").unwrap();
    let answer = wire.next().await;
    assert_eq!(answer["id"], 3, "{answer}");
    assert_eq!(answer["result"]["content"], texts(&[&format!("{mark}\n")]));
    std::fs::remove_file(granted.folder.join("go")).unwrap();

    wire.send(call(3, "bash.execute", json!({"command": line}))).await;
    until_count(&mark, |count| count >= 1).await;
    wire.send(cancelled(json!(3))).await;
    until_count(&mark, |count| count == 0).await;
    // Nothing came of it, and nothing will.
    assert_eq!(wire.ask(ping).await.0, [json!(null); 0]);
}

//! What the profile `sysmcp` asks of the protocol, through the real binary: the short handshake and
//! results in envelopes, in a profile of the test's own that shows the task service.

use serde_json::{Value, json};

use crate::seed_wire::{Home, ServerTransport, Wire};

const PROFILE: &str = r#"
    services = ["tasks"]
    servers = []
    hobnob_tools = false
    [server]
    name = "SysMCP"
    version = "1.0.0"
    announce_changes = false
    logging = false
    handshake = "lenient"
    [results]
    envelope = true
    [resources."*"]
    enabled = false
    [templates."*"]
    enabled = false
    [prompts."*"]
    enabled = false
"#;

async fn open(label: &str, way: ServerTransport) -> (Home, Wire) {
    let home = Home::new(label);
    let folder = home.0.join("config/profiles");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("short.toml"), PROFILE).unwrap();
    let wire = Wire::open(&home, way, Some("short")).await;
    (home, wire)
}

pub(crate) fn request(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn call(id: i64, name: &str, arguments: Value) -> Value {
    request(id, "tools/call", json!({"name": name, "arguments": arguments}))
}

/// The result of the handshake.
pub(crate) fn greeting(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "SysMCP", "version": "1.0.0"},
    })
}

fn client() -> Value {
    json!({"name": "Claude", "version": "1.0.0"})
}

/// The result of a call, after what holds for every envelope was checked.
pub(crate) fn envelope(answer: &Value, structured: bool) -> &Value {
    let result = &answer["result"];
    let success = result["success"].as_bool().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(result["isError"], !success, "{answer}");
    assert!(result["content"][0]["text"].is_string(), "{answer}");
    let member = if success { "data" } else { "error" };
    let inside = json!({"success": success, member: result[member]});
    match structured {
        true => assert_eq!(result["structuredContent"], inside, "{answer}"),
        false => assert_eq!(result.get("structuredContent"), None, "{answer}"),
    }
    result
}

#[tokio::test]
async fn the_handshake_may_be_short_and_results_are_in_envelopes() {
    for way in ServerTransport::ALL {
        let (_home, mut wire) = open("sysmcp-short", way).await;
        let (_, refused) = wire.ask(request(1, "initialize", json!({"capabilities": {}}))).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        let hello = json!({"clientInfo": client()});
        let (_, answer) = wire.ask(request(1, "initialize", hello)).await;
        assert_eq!(answer["result"], greeting("2024-11-05"), "{answer}");
        let (_, listed) = wire.ask(request(2, "tools/list", json!({}))).await;
        assert!(listed["result"]["tools"].as_array().is_some_and(|all| !all.is_empty()));
        let (_, made) = wire.ask(call(3, "tasks_create", json!({"description": "Look"}))).await;
        let made = envelope(&made, false);
        assert_eq!(made["data"]["description"], "Look", "{made}");
        let (_, wrong) = wire.ask(call(4, "tasks_list", json!({"limit": "invalid"}))).await;
        let error = json!({
            "code": "InvalidParams",
            "message": "Invalid parameter: limit must be an integer",
            "details": {"path": "arguments.limit", "expected": "integer", "received": "string"},
        });
        assert_eq!(envelope(&wrong, false)["error"], error, "{wrong}");
        let (_, unknown) = wire.ask(call(5, "nonexistent_tool", json!({}))).await;
        let error = json!({"code": "ToolNotFound", "message": "Unknown tool: nonexistent_tool"});
        assert_eq!(envelope(&unknown, false)["error"], error, "{unknown}");
        let (_, failed) = wire.ask(call(6, "tasks_get", json!({"id": "task_xyz"}))).await;
        assert_eq!(envelope(&failed, false)["error"]["code"], "ToolExecutionError", "{failed}");
        // After all that it still answers.
        let (_, listed) = wire.ask(call(7, "tasks_list", json!({}))).await;
        assert_eq!(envelope(&listed, false)["data"]["count"], 1, "{listed}");
    }
}

#[tokio::test]
async fn newer_revisions_get_the_envelope_as_structured_content_too() {
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let (_home, mut wire) = open("sysmcp-newer", ServerTransport::Stdio).await;
        let hello = json!({"protocolVersion": revision, "clientInfo": client()});
        let (_, answer) = wire.ask(request(1, "initialize", hello)).await;
        assert_eq!(answer["result"]["protocolVersion"], revision, "{answer}");
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {}}), "{answer}");
        let structured = revision > "2025-03-26";
        let (_, wrong) = wire.ask(call(2, "tasks_list", json!({"limit": "invalid"}))).await;
        assert_eq!(envelope(&wrong, structured)["error"]["code"], "InvalidParams", "{wrong}");
        let (_, listed) = wire.ask(call(3, "tasks_list", json!({}))).await;
        assert_eq!(envelope(&listed, structured)["data"]["count"], 0, "{listed}");
    }
}

#[tokio::test]
async fn requests_that_stand_alone_get_envelopes() {
    let (_home, mut wire) = open("sysmcp-modern", ServerTransport::Stdio).await;
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": client(),
    });
    let standing = |mut request: Value| {
        request["params"]["_meta"] = about.clone();
        request
    };
    let discover = standing(request(1, "server/discover", json!({})));
    let (_, answer) = wire.ask(discover).await;
    assert_eq!(answer["result"]["capabilities"], json!({"tools": {}}), "{answer}");
    let wrong = standing(call(2, "tasks_list", json!({"limit": "invalid"})));
    let (_, wrong) = wire.ask(wrong).await;
    assert_eq!(envelope(&wrong, true)["error"]["details"]["path"], "arguments.limit", "{wrong}");
    let (_, listed) = wire.ask(standing(call(3, "tasks_list", json!({})))).await;
    assert_eq!(envelope(&listed, true)["data"]["count"], 0, "{listed}");
    let (_, unknown) = wire.ask(standing(call(4, "nothing", json!({})))).await;
    assert_eq!(envelope(&unknown, true)["error"]["code"], "ToolNotFound", "{unknown}");
}

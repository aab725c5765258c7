//! The examples of SysMCP's documentation, in the profile that replaces it: each request word for
//! word, each answer with the documented shape, on pipes and over HTTP.
//!
//! The log `System` is a file of 523 lines that was written for this test; nothing of the machine's
//! own logs is read.

use serde_json::{Value, json};

use crate::program::within;
use crate::seed_wire::{Home, ServerTransport, Wire};
use crate::sysmcp_protocol::{self, call, greeting, request};

const SYSTEM: &str = include_str!("../corpus/sysmcp/System");
/// The documented revision, and the newest one with a handshake.
const REVISIONS: [&str; 2] = ["2024-11-05", "2025-11-25"];
const TOOLS: [&str; 6] =
    ["eventlog_list_logs", "eventlog_query", "fs_search", "fs_stat", "reg_read", "reg_write"];

/// A home with a folder of logs, in which nothing is granted yet.
fn home(label: &str) -> Home {
    let home = Home::new(label);
    std::fs::create_dir_all(home.0.join("logs")).unwrap();
    std::fs::write(home.0.join("logs/System"), SYSTEM).unwrap();
    home
}

/// Runs a command that a person types and that must succeed.
async fn run(home: &Home, words: &[&str]) {
    let output = within("a command", home.hobnob(words).output()).await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}");
}

async fn grant_all(home: &Home) {
    let folder = home.0.join("logs");
    let folder = folder.to_str().unwrap();
    run(home, &["enable", "logs", "--read-only"]).await;
    run(home, &["grant", "logs", folder]).await;
    run(home, &["enable", "files", "--read-only"]).await;
    run(home, &["grant", "files", folder]).await;
}

/// Every way in both revisions.
async fn everywhere(label: &str, talk: impl AsyncFn(&Home, &mut Wire, &str)) {
    for way in ServerTransport::ALL {
        for revision in REVISIONS {
            let home = home(label);
            let mut wire = Wire::open(&home, way, Some("sysmcp")).await;
            greet(&mut wire, revision).await;
            talk(&home, &mut wire, revision).await;
        }
    }
}

/// Neither `capabilities` nor `notifications/initialized`, as the documentation has it.
async fn greet(wire: &mut Wire, revision: &str) {
    let client = json!({"name": "Claude", "version": "1.0.0"});
    let hello = json!({"clientInfo": client, "protocolVersion": revision});
    let (_, answer) = wire.ask(request(1, "initialize", hello)).await;
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 1, "result": greeting(revision)}));
}

/// Checks that everything documented is there; there may be more.
fn assert_has(found: &Value, documented: &Value) {
    match (found, documented) {
        (Value::Object(found_members), Value::Object(members)) => {
            for (key, value) in members {
                let inside = found_members.get(key);
                assert_has(inside.unwrap_or_else(|| panic!("no {key} in {found}")), value);
            }
        }
        _ => assert_eq!(found, documented),
    }
}

/// The members of an answer's envelope; they stand in `structuredContent` where that is known.
fn envelope<'a>(answer: &'a Value, revision: &str) -> &'a Value {
    sysmcp_protocol::envelope(answer, revision >= "2025-06-18")
}

#[tokio::test]
async fn the_six_tools_are_listed_before_anything_is_granted() {
    everywhere("sysmcp-list", async |_, wire, revision| {
        let (_, answer) = wire.ask(request(2, "tools/list", json!({}))).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        let mut names: Vec<&str> = tools.iter().map(|it| it["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, TOOLS, "{answer}");
        let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
        let text = |about: &str| json!({"type": "string", "description": about});
        let number = |about: &str| json!({"type": "number", "description": about});
        let documented = json!({
            "name": "eventlog_query",
            "description": "Query Windows Event Log",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "logName": text("Event log name (System, Application, Security, etc.)"),
                    "limit": number("Maximum number of results (default: 100, max: 10000)"),
                    "offset": number("Pagination offset (default: 0)"),
                    "minLevel": text("Minimum event level (INFORMATION, WARNING, ERROR)"),
                    "source": text("Event source filter"),
                },
                "required": ["logName"],
            },
        });
        assert_has(tool("eventlog_query"), &documented);
        let documented = json!({
            "name": "eventlog_list_logs",
            "description": "List all available Windows Event Logs",
            "inputSchema": {"type": "object", "properties": {}},
        });
        assert_has(tool("eventlog_list_logs"), &documented);
        let calls = [
            ("eventlog_query", json!({"logName": "System"})),
            ("eventlog_list_logs", json!({})),
            ("fs_search", json!({"pattern": "*.log"})),
            ("fs_stat", json!({"path": "/etc/hostname"})),
            ("reg_read", json!({"key": "HKLM\\Software"})),
            ("reg_write", json!({"key": "HKCU\\Software\\X", "valueName": "a", "data": "b"})),
        ];
        for (id, (name, arguments)) in (3..).zip(calls) {
            let (_, answer) = wire.ask(call(id, name, arguments)).await;
            let error = &envelope(&answer, revision)["error"];
            assert_eq!(error["code"], "ToolExecutionError", "{name}: {answer}");
            let message = error["message"].as_str().unwrap();
            // Without a registry there is nothing to grant.
            let says = message.contains("hobnob enable") || message.contains("hobnob grant");
            assert!(says || name.starts_with("reg_"), "{name}: {answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_log_is_queried_page_by_page() {
    everywhere("sysmcp-query", async |home, wire, revision| {
        // The grants hold for the connection that stands.
        grant_all(home).await;
        let asked = call(3, "eventlog_query", json!({"logName": "System", "limit": 100}));
        let (_, answer) = wire.ask(asked).await;
        let data = &envelope(&answer, revision)["data"];
        let entries = data["entries"].as_array().unwrap();
        assert_eq!(entries.len(), 100, "{answer}");
        let newest = json!({
            "logName": "System",
            "level": "ERROR",
            "source": "kernel",
            "message": "Event message about a device that is gone",
            "timestamp": "2024-02-10T10:30:45Z",
        });
        assert_has(&entries[0], &newest);
        assert!(entries[0]["id"].is_u64() && entries[0]["eventId"].is_u64(), "{answer}");
        let counts = json!({"totalCount": 523, "nextOffset": 100, "page": 1, "pageSize": 100});
        assert_has(data, &counts);
        let last = json!({"logName": "System", "limit": 100, "offset": 500});
        let (_, answer) = wire.ask(call(4, "eventlog_query", last)).await;
        let data = &envelope(&answer, revision)["data"];
        assert_eq!(data["entries"].as_array().unwrap().len(), 23, "{answer}");
        assert!(data.get("nextOffset").is_none_or(Value::is_null), "{answer}");
        assert_has(data, &json!({"totalCount": 523, "page": 6, "pageSize": 100}));
        let errors = json!({"logName": "System", "minLevel": "ERROR", "source": "kernel"});
        let (_, answer) = wire.ask(call(5, "eventlog_query", errors)).await;
        let entries = envelope(&answer, revision)["data"]["entries"].as_array().unwrap();
        let fits = |it: &Value| it["level"] == "ERROR" && it["source"] == "kernel";
        assert!(!entries.is_empty() && entries.iter().all(fits), "{answer}");
        let (_, answer) = wire.ask(call(6, "eventlog_list_logs", json!({}))).await;
        let listed = envelope(&answer, revision)["data"].to_string();
        assert!(listed.contains("\"System\""), "{answer}");
    })
    .await;
}

#[tokio::test]
async fn failures_are_the_documented_ones_and_the_server_goes_on() {
    everywhere("sysmcp-errors", async |home, wire, revision| {
        grant_all(home).await;
        let wrong = json!({"logName": "System", "limit": "invalid"});
        let (_, answer) = wire.ask(call(4, "eventlog_query", wrong)).await;
        let documented = json!({
            "code": "InvalidParams",
            "message": "Invalid parameter: limit must be a number",
            "details": {"path": "arguments.limit", "expected": "number", "received": "string"},
        });
        assert_eq!(envelope(&answer, revision)["error"], documented);
        let (_, answer) = wire.ask(call(5, "eventlog_query", json!({}))).await;
        let error = &envelope(&answer, revision)["error"];
        assert_eq!(error["message"], "Invalid parameter: logName is required", "{answer}");
        let (_, answer) = wire.ask(call(6, "eventlog_nothing", json!({}))).await;
        let error = json!({"code": "ToolNotFound", "message": "Unknown tool: eventlog_nothing"});
        assert_eq!(envelope(&answer, revision)["error"], error);
        let absent = json!({"logName": "No such log"});
        let (_, answer) = wire.ask(call(7, "eventlog_query", absent)).await;
        assert_eq!(envelope(&answer, revision)["success"], false);
        let text = answer.to_string();
        assert!(!text.contains(home.0.to_str().unwrap()), "a path is nobody's business: {text}");
        let (_, answer) = wire.ask(request(8, "no/such/method", json!({}))).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        let again = json!({"logName": "System", "limit": 50});
        let (_, answer) = wire.ask(call(9, "eventlog_query", again)).await;
        assert_eq!(envelope(&answer, revision)["data"]["totalCount"], 523, "{answer}");
    })
    .await;
}

#[tokio::test]
async fn files_are_found_and_looked_at() {
    everywhere("sysmcp-files", async |home, wire, revision| {
        grant_all(home).await;
        let (_, answer) = wire.ask(call(3, "fs_search", json!({"pattern": "System"}))).await;
        let data = &envelope(&answer, revision)["data"];
        assert_has(data, &json!({"totalCount": 1}));
        assert_eq!(data["entries"][0]["name"], "System", "{answer}");
        let path = home.0.join("logs/System");
        let (_, answer) = wire.ask(call(4, "fs_stat", json!({"path": path}))).await;
        let data = &envelope(&answer, revision)["data"];
        assert_has(data, &json!({"name": "System", "size": SYSTEM.len()}));
        // A misspelled argument is no search without it.
        let misspelled = [
            ("fs_search", json!({"pattern": "System", "contents": "a"})),
            ("fs_stat", json!({"path": path, "contents": true})),
        ];
        for (tool, arguments) in misspelled {
            let (_, answer) = wire.ask(call(5, tool, arguments)).await;
            let error = &envelope(&answer, revision)["error"];
            assert!(error["message"].as_str().unwrap().contains("contents"), "{answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_complete_interaction_needs_no_more_than_is_documented() {
    let home = home("sysmcp-complete");
    grant_all(&home).await;
    let mut wire = Wire::open(&home, ServerTransport::Stdio, Some("sysmcp")).await;
    let nameless = request(1, "initialize", json!({"protocolVersion": "2024-11-05"}));
    let (_, answer) = wire.ask(nameless).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let hello = json!({"clientInfo": {"name": "Claude", "version": "1.0"}});
    let (_, answer) = wire.ask(request(1, "initialize", hello)).await;
    assert_eq!(answer["result"], greeting("2024-11-05"), "{answer}");
    let (_, answer) = wire.ask(request(2, "tools/list", json!({}))).await;
    assert_eq!(answer["result"]["tools"].as_array().map(Vec::len), Some(6), "{answer}");
    let asked = json!({"logName": "System", "limit": 50});
    let (_, answer) = wire.ask(call(3, "eventlog_query", asked)).await;
    let result = envelope(&answer, "2024-11-05");
    assert_has(result, &json!({"success": true, "data": {"totalCount": 523}}));
}

#[tokio::test]
async fn requests_that_stand_alone_get_the_same_envelopes() {
    let home = home("sysmcp-modern");
    grant_all(&home).await;
    let mut wire = Wire::open(&home, ServerTransport::Stdio, Some("sysmcp")).await;
    let standing = |mut request: Value| {
        request["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        request
    };
    let asked = call(1, "eventlog_query", json!({"logName": "System", "limit": 1}));
    let (_, answer) = wire.ask(standing(asked)).await;
    let data = &envelope(&answer, "2026-07-28")["data"];
    assert_has(data, &json!({"totalCount": 523, "nextOffset": 1, "pageSize": 1}));
    let wrong = call(2, "eventlog_query", json!({"logName": "System", "limit": "invalid"}));
    let (_, answer) = wire.ask(standing(wrong)).await;
    assert_eq!(envelope(&answer, "2026-07-28")["error"]["details"]["path"], "arguments.limit");
    let (_, answer) = wire.ask(standing(call(3, "no_tool", json!({})))).await;
    assert_eq!(envelope(&answer, "2026-07-28")["error"]["code"], "ToolNotFound", "{answer}");
}

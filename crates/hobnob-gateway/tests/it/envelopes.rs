//! A view whose results are in envelopes: built-ins and an upstream, in every way a call can end.

use hobnob_mcp_engine::{Answers, Notes, Outcome, Principal, Service as _, TaskOffer, TaskOwner};
use hobnob_mcp_toolbox::{Kit, Structured, TaskMode, ToolError, ToolSpec};
use hobnob_mcp_types::{Method, Revision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::harness::{Harness, entry, home, python, write_servers};
use crate::view_client::call_of;

const PROFILE: &str = r#"
    services = ["demo"]
    hobnob_tools = false
    [server]
    announce_changes = false
    logging = false
    [results]
    envelope = true
    [tools.demo_count]
    name = "count"
    arguments = ["limit"]
    [tools.demo_hidden]
    enabled = false
    [prompts."*"]
    enabled = false
    [resources."*"]
    enabled = false
    [templates."*"]
    enabled = false
    [[permissions]]
    tool = "demo_denied"
    action = "deny"
"#;

#[derive(Deserialize, JsonSchema)]
struct Limit {
    /// How many entries to return.
    limit: f64,
    /// Only entries of this kind.
    #[serde(default)]
    #[expect(dead_code, reason = "the profile hides it")]
    kind: String,
}

#[derive(Serialize, JsonSchema)]
struct Counted {
    /// How many there are.
    total: f64,
}

fn kit() -> Kit {
    let count = ToolSpec::new("Counts").tasks(TaskMode::Optional);
    Kit::service("demo")
        .tool("count", count, |args: Limit| async move {
            if args.limit < 0.0 {
                return Err(ToolError::params("limit is below zero"));
            }
            Ok(Structured(Counted { total: args.limit }))
        })
        .tool("fail", "Fails", || async { Err::<String, _>(ToolError::failed("out of order")) })
        .tool("hidden", "Hidden", || async { "hidden" })
        .tool("denied", "Denied", || async { "denied" })
        .build()
        .unwrap()
}

fn error(code: &str, message: &str, details: Option<Value>) -> Value {
    let mut error = json!({"code": code, "message": message});
    if let Some(details) = details {
        error["details"] = details;
    }
    json!({"success": false, "error": error})
}

#[tokio::test]
async fn every_end_of_a_call_is_in_an_envelope() {
    let home = home("envelopes");
    let harness = Harness::open(&home);
    let view = harness.view("boxed", PROFILE, vec![kit()]);
    let details = |path: &str, expected: &str, received: &str| {
        Some(json!({"path": path, "expected": expected, "received": received}))
    };
    let cases = [
        ("count", json!({"limit": 3}), json!({"success": true, "data": {"total": 3.0}})),
        (
            "count",
            json!({"limit": "invalid"}),
            error(
                "InvalidParams",
                "Invalid parameter: limit must be a number",
                details("arguments.limit", "number", "string"),
            ),
        ),
        (
            "count",
            json!({}),
            error(
                "InvalidParams",
                "Invalid parameter: limit is required",
                details("arguments.limit", "a value", "nothing"),
            ),
        ),
        (
            "count",
            json!({"limit": 1, "kind": "x"}),
            error(
                "InvalidParams",
                "Invalid parameter: kind is not known",
                details("arguments.kind", "no such property", "string"),
            ),
        ),
        ("count", json!({"limit": -1}), error("ValidationError", "limit is below zero", None)),
        ("demo_fail", json!({}), error("ToolExecutionError", "out of order", None)),
        ("demo_hidden", json!({}), error("ToolNotFound", "Unknown tool: demo_hidden", None)),
        ("nothing", json!({}), error("ToolNotFound", "Unknown tool: nothing", None)),
    ];
    for (tool, arguments, expected) in cases {
        let found = view.tool(tool, arguments.clone()).await.unwrap();
        assert_eq!(found["structuredContent"], expected, "{tool} {arguments}");
        assert_eq!(found["isError"], json!(expected["success"] == false), "{tool} {arguments}");
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&found[key], value, "{tool} {arguments}");
        }
        assert!(found["content"].as_array().is_some_and(|blocks| !blocks.is_empty()));
    }
    let denied = view.tool("demo_denied", json!({})).await.unwrap();
    assert_eq!(denied["error"]["code"], "ToolNotFound");
    // A call without a name is not a tool call.
    let nameless = view.ask(Method::ToolsCall, json!({"arguments": {}})).await;
    assert_eq!(nameless.unwrap_err().0, -32602);
    harness.close().await;
}

#[tokio::test]
async fn tools_in_envelopes_promise_neither_schemas_nor_tasks() {
    let home = home("envelope-lists");
    let harness = Harness::open(&home);
    let view = harness.view("boxed", PROFILE, vec![kit()]);
    let listed = view.entry(Method::ToolsList, "count").await;
    for member in ["outputSchema", "execution"] {
        assert_eq!(listed.get(member), None, "{listed}");
    }
    assert!(listed.get("inputSchema").is_some(), "{listed}");
    let offered = serde_json::to_value(view.service.offer().capabilities).unwrap();
    let tasks = "io.modelcontextprotocol/tasks";
    assert_eq!((offered.get("tasks"), offered["extensions"].get(tasks)), (None, None), "{offered}");
    // A caller that asks for a task anyway gets the result.
    let owner = TaskOwner(Some("me".into()));
    for task in [TaskOffer::Asked { owner: owner.clone(), ttl_ms: None }, TaskOffer::Able { owner }]
    {
        let params = json!({"name": "count", "arguments": {"limit": 1}});
        let mut call = call_of(&Principal::anonymous(), Method::ToolsCall, params);
        call.caller.revision = Revision::V2025_11_25;
        call.task = task;
        call.answers = Answers::default();
        let outcome = view.service.call(call, Notes::silent()).await.unwrap();
        assert!(matches!(outcome, Outcome::Complete(_)), "{outcome:?}");
    }
    harness.close().await;
}

#[tokio::test]
async fn results_of_upstreams_are_in_envelopes_too() {
    let Some(python) = python() else { return };
    let home = home("envelope-upstream");
    let up = entry(&python, &home, "up", &["--only", "echo"]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    let harness = Harness::open(&home);
    let view = harness.view("boxed", PROFILE, vec![kit()]);
    let plain = harness.plain.tool("mcp__up__echo", json!({"text": "hello"})).await.unwrap();
    let boxed = view.tool("mcp__up__echo", json!({"text": "hello"})).await.unwrap();
    assert_eq!((&boxed["success"], &boxed["content"]), (&json!(true), &plain["content"]));
    assert_eq!(plain.get("success"), None, "the plain view stays as it is");
    harness.close().await;
}

//! The examples of a guide to a small task server over stdio, revision 2025-03-26: its requests
//! verbatim, and its answers with the additions that the protocol allows.
//!
//! This server differs from those answers in three permitted ways: it declares more capabilities
//! (`listChanged`), leaves `isError` out if it is false, and answers a batch in the order in which
//! its calls finish.

use crate::support::Gate;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};
use hobnob_mcp_toolbox::{Kit, KitBuilder, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const HELLO: &str = r#"
    > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26",
        "capabilities":{},"clientInfo":{"name":"ExampleClient","version":"1.0.0"}}}
    < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26",
        "capabilities":{"tools":{"listChanged":true},"logging":{}},
        "serverInfo":{"name":"bossman","version":"0.1.0"}}}
    > {"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

fn after_hello(script: &str) -> String {
    format!("{HELLO}{script}")
}

/// The guide's integration test: handshake, list, call, end of input.
#[tokio::test(start_paused = true)]
async fn a_whole_session() {
    let script = r#"
        > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":2,"result":{"tools":[
            {"name":"create_task","description":"Create a new task","inputSchema":{"type":"object",
                "properties":{"description":{"type":"string","description":"Task description"}},
                "required":["description"],"additionalProperties":false}},
            {"name":"wait","description":"$any","inputSchema":"$any"}]}}
        # `isError` is false by leaving it out.
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"create_task",
            "arguments":{"description":"Fix parser bug"}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text",
            "text":"{\"id\":\"task_abc123\",\"description\":\"Fix parser bug\",\"status\":\"pending\"}"}]}}
        end
        !
    "#;
    converse(&bossman(&Gate::new()), &after_hello(script)).await;
}

/// The two kinds of errors.
#[tokio::test(start_paused = true)]
async fn execution_errors_are_results_and_protocol_errors_are_not() {
    let script = r#"
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"create_task",
            "arguments":{"description":"task_xyz"}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text",
            "text":"error: task not found: task_xyz"}],"isError":true}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nonexistent_tool"}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Unknown tool: nonexistent_tool"}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"create_task","arguments":{}}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,
            "message":"arguments.description: expected a value, received nothing",
            "data":{"problems":"$any"}}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"create_task",
            "arguments":{"description":"a","colour":"red"}}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"$has arguments.colour",
            "data":{"problems":"$any"}}}
    "#;
    converse(&bossman(&Gate::new()), &after_hello(script)).await;
}

/// The guide's table of messages: which are allowed in which state.
#[tokio::test(start_paused = true)]
async fn each_message_in_its_state() {
    let script = r#"
        # Created: only `ping` and `initialize`; a cancellation is ignored.
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$any"}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_task","arguments":{"description":"a"}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$any"}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"123"}}
        !
        # Initializing: the same.
        > {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-03-26",
            "capabilities":{},"clientInfo":{"name":"ExampleClient","version":"1.0.0"}}}
        < {"jsonrpc":"2.0","id":2,"result":"$any"}
        > {"jsonrpc":"2.0","id":3,"method":"ping"}
        < {"jsonrpc":"2.0","id":3,"result":{}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"$any"}}
        # Operating: all of it, but no second `initialize`.
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":4,"method":"ping"}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":5,"result":"$any"}
        > {"jsonrpc":"2.0","id":6,"method":"initialize","params":{"protocolVersion":"2025-03-26",
            "capabilities":{},"clientInfo":{"name":"ExampleClient","version":"1.0.0"}}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"$any"}}
    "#;
    converse(&bossman(&Gate::new()), script).await;
}

/// The guide's batch, answered in an array whose order is free.
#[tokio::test(start_paused = true)]
async fn a_batch_of_two() {
    let script = r#"
        > [{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"}]
        < [{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{"tools":["$any","$any"]}}]
        > [{"jsonrpc":"2.0","method":"notifications/initialized"}]
        !
    "#;
    converse(&bossman(&Gate::new()), &after_hello(script)).await;
}

/// The guide's cancellation: no answer; an unknown or finished request is ignored.
#[tokio::test(start_paused = true)]
async fn a_cancellation() {
    let script = r#"
        > {"jsonrpc":"2.0","id":"123","method":"tools/call","params":{"name":"wait"}}
        do begun
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"123",
            "reason":"User requested cancellation"}}
        do dropped
        !
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"123",
            "reason":"User requested cancellation"}}
        !
    "#;
    let gate = Gate::new();
    converse_doing(&bossman(&gate), &after_hello(script), |deed| match deed {
        "begun" => assert_eq!(gate.tally(), (1, 0, 0)),
        _ => assert_eq!(gate.tally(), (1, 0, 1)),
    })
    .await;
}

/// The guide's unit tests of ids: strings and numbers are returned unchanged, null is refused.
#[tokio::test(start_paused = true)]
async fn ids_are_strings_or_numbers() {
    let script = r#"
        > {"jsonrpc":"2.0","id":"1","method":"ping"}
        = {"jsonrpc":"2.0","id":"1","result":{}}
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        = {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":null,"method":"ping"}
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$any"}}
        > {"jsonrpc":"2.0",
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"$any"}}
        > {"jsonrpc":"2.0","id":2,"method":"nonsense"}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"$any"}}
    "#;
    converse(&bossman(&Gate::new()), &after_hello(script)).await;
}

/// A task to be.
#[derive(Debug, Deserialize, JsonSchema)]
struct NewTask {
    /// Task description
    description: String,
}

fn bossman(gate: &Gate) -> Server {
    let server = Server::builder("bossman", "0.1.0").kit(gate.kit());
    server.kit(kit()).build().expect("a server")
}

fn kit() -> KitBuilder {
    let schema = json!({
        "type": "object",
        "properties": {"description": {"type": "string", "description": "Task description"}},
        "required": ["description"],
        "additionalProperties": false,
    });
    let create = ToolSpec::new("Create a new task").schema(schema);
    Kit::plain("bossman").tool("create_task", create, async |task: NewTask| {
        if task.description == "task_xyz" {
            return Err(ToolError::failed("error: task not found: task_xyz"));
        }
        let description = task.description;
        Ok(json!({"id": "task_abc123", "description": description, "status": "pending"})
            .to_string())
    })
}

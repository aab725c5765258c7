//! The examples of the task server's guide, in the profile that succeeds it: each request word for
//! word, each answer with the guide's shape, on pipes and over HTTP.

use serde_json::{Value, json};

use crate::seed_wire::{Home, ServerTransport, Wire};

/// The revision of the guide, and the one before.
const REVISIONS: [&str; 2] = ["2024-11-05", "2025-03-26"];

const TOOLS: [&str; 8] = [
    "create_task",
    "list_tasks",
    "get_task",
    "update_task",
    "delete_task",
    "add_blocker",
    "remove_blocker",
    "get_blockers",
];

/// Every way in every revision.
async fn everywhere(label: &str, talk: impl AsyncFn(&mut Wire, &str)) {
    for way in ServerTransport::ALL {
        for revision in REVISIONS {
            let home = Home::new(label);
            let mut wire = Wire::open(&home, way, Some("bossman")).await;
            greet(&mut wire, revision).await;
            talk(&mut wire, revision).await;
        }
    }
}

async fn greet(wire: &mut Wire, revision: &str) {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": {"name": "ExampleClient", "version": "1.0.0"},
    }});
    let (_, answer) = wire.ask(hello).await;
    let expected = json!({
        "protocolVersion": revision,
        "capabilities": {"tools": {}, "logging": {}},
        "serverInfo": {"name": "bossman", "version": "0.1.0"},
    });
    assert_eq!(answer["result"], expected, "{answer}");
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
}

fn call(id: i64, name: &str, arguments: Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// A whole answer to a call: its data, after the shape around it was checked.
fn data_of(answer: &Value) -> Value {
    let result = answer["result"].as_object().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(result["isError"], false, "{answer}");
    assert_eq!(result.len(), 2, "{answer}");
    let text = result["content"][0]["text"].as_str().expect("a text");
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"))
}

#[tokio::test]
async fn the_eight_tools_are_listed_with_closed_and_described_schemas() {
    everywhere("seed2-tools", async |wire, _| {
        let listed = wire.result("tools/list", json!({})).await;
        let tools = listed["tools"].as_array().unwrap();
        let mut names: Vec<&str> = tools.iter().map(|it| it["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        let mut expected = TOOLS;
        expected.sort_unstable();
        assert_eq!(names, expected);
        for tool in tools {
            let schema = &tool["inputSchema"];
            assert_eq!(schema["additionalProperties"], false, "{tool}");
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{name} of {tool}");
            }
        }
        let create = tools.iter().find(|tool| tool["name"] == "create_task").unwrap();
        assert_eq!(create["description"], "Create a new task");
        let expected = json!({
            "type": "object",
            "properties": {
                "description": {"type": "string", "description": "Task description"}},
            "required": ["description"],
            "additionalProperties": false,
        });
        assert_eq!(create["inputSchema"], expected);
    })
    .await;
}

#[tokio::test]
async fn a_task_is_created_and_failures_are_results() {
    everywhere("seed2-create", async |wire, _| {
        let asked = call(3, "create_task", json!({"description": "Fix parser bug"}));
        let (_, answer) = wire.ask(asked).await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        let id = data_of(&answer)["id"].as_str().expect("an id").to_owned();
        assert!(id.starts_with("task_"), "{id}");
        let expected =
            format!(r#"{{"id":"{id}","description":"Fix parser bug","status":"pending"}}"#);
        assert_eq!(text, expected);
        let (_, answer) = wire.ask(call(3, "get_task", json!({"id": "task_xyz"}))).await;
        let failed = json!({
            "content": [{"type": "text", "text": "error: task not found: task_xyz"}],
            "isError": true,
        });
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 3, "result": failed}));
        let (_, answer) = wire.ask(call(3, "nonexistent_tool", json!({}))).await;
        let error = json!({"code": -32602, "message": "Unknown tool: nonexistent_tool"});
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 3, "error": error}));
        for hidden in ["tasks_create", "tasks_claim", "tasks.claim", "memory_capture", "hobnob"] {
            let (_, answer) = wire.ask(call(4, hidden, json!({"description": "x"}))).await;
            assert_eq!(answer["error"]["code"], -32602, "{hidden}: {answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_task_lives_through_the_eight_tools() {
    everywhere("seed2-life", async |wire, _| {
        let mut number = 10;
        let mut ask = async |name: &str, arguments: Value| {
            number += 1;
            let (_, answer) = wire.ask(call(number, name, arguments)).await;
            answer
        };
        let first = data_of(&ask("create_task", json!({"description": "Write the parser"})).await);
        let second = data_of(&ask("create_task", json!({"description": "Test the parser"})).await);
        let (first, second) = (first["id"].clone(), second["id"].clone());
        let pair = json!({"id": second, "blocker_id": first});
        data_of(&ask("add_blocker", pair.clone()).await);
        let blockers = data_of(&ask("get_blockers", json!({"id": second})).await);
        assert_eq!(blockers["tasks"][0]["id"], first, "{blockers}");
        let begin = json!({"id": second, "status": "in_progress"});
        let blocked = ask("update_task", begin.clone()).await;
        let said = blocked["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(blocked["result"]["isError"], true, "{blocked}");
        assert!(said.starts_with("error: ") && said.contains("blocked"), "{said}");
        let cycle = ask("add_blocker", json!({"id": first, "blocker_id": second})).await;
        let said = cycle["result"]["content"][0]["text"].as_str().unwrap();
        assert!(said.contains("cycle") && said.contains(first.as_str().unwrap()), "{said}");
        let done = json!({"id": first, "status": "completed"});
        let done = data_of(&ask("update_task", done).await);
        assert!(done["started_at"].is_string() && done["finished_at"].is_string(), "{done}");
        let begun = data_of(&ask("update_task", begin).await);
        assert!(begun["started_at"].is_string(), "{begun}");
        data_of(&ask("remove_blocker", pair).await);
        let listed = data_of(&ask("list_tasks", json!({"status": "in_progress"})).await);
        assert_eq!(listed["tasks"].as_array().unwrap().len(), 1, "{listed}");
        data_of(&ask("delete_task", json!({"id": first})).await);
        let listed = data_of(&ask("list_tasks", json!({"status": "completed"})).await);
        assert_eq!(listed["tasks"], json!([]), "an empty list is a list");
    })
    .await;
}

/// Its states: what is allowed before and after the handshake, batches, cancellation, ids.
#[tokio::test]
async fn the_lifecycle_is_the_guides() {
    let home = Home::new("seed2-states");
    let mut wire = Wire::open(&home, ServerTransport::Stdio, Some("bossman")).await;
    let ping = json!({"jsonrpc": "2.0", "id": "a", "method": "ping"});
    let (_, pong) = wire.ask(ping.clone()).await;
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": "a", "result": {}}));
    let unknown = json!({"jsonrpc": "2.0", "id": "c", "method": "completion/complete", "params": {
        "ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "y", "value": ""}}});
    let (_, early) = wire.ask(call(2, "list_tasks", json!({}))).await;
    assert_eq!(early["error"]["code"], -32600, "{early}");
    greet(&mut wire, "2025-03-26").await;
    assert_eq!(wire.ask(unknown).await.1["error"]["code"], -32601);
    let again = json!({"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": {
        "protocolVersion": "2025-03-26", "capabilities": {},
        "clientInfo": {"name": "ExampleClient", "version": "1.0.0"}}});
    assert_eq!(wire.ask(again).await.1["error"]["code"], -32600);
    let late = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "123", "reason": "User requested cancellation"}});
    wire.send(late).await;
    wire.send(json!([
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 2, "method": "ping"},
    ]))
    .await;
    let Wire::Stdio(mut dialogue) = wire else { unreachable!("a pipe") };
    let answers = dialogue.receive_any().await.expect("answers");
    let ids: Vec<&Value> = answers.as_array().unwrap().iter().map(|it| &it["id"]).collect();
    assert!(ids.len() == 2 && ids.contains(&&json!(1)) && ids.contains(&&json!(2)), "{answers}");
    dialogue.close_stdin();
    assert!(dialogue.ended().await.success());
}

//! The examples of the memory server's document, in the profile that succeeds it: each request word
//! for word, each answer with the document's shape, on pipes and over HTTP.

use serde_json::{Value, json};

use crate::memory_client::{Client, ClientAbilities, Era};
use crate::seed_wire::{Home, ServerTransport, Wire};

/// The revision of the document, and the next one.
const REVISIONS: [&str; 2] = ["2024-11-05", "2025-03-26"];

/// Every way in every revision.
async fn everywhere(label: &str, talk: impl AsyncFn(&mut Wire, &str)) {
    for way in ServerTransport::ALL {
        for revision in REVISIONS {
            let home = Home::new(label);
            let mut wire = Wire::open(&home, way, Some("subcog")).await;
            greet(&mut wire, revision, json!({"roots": {"listChanged": true}})).await;
            talk(&mut wire, revision).await;
        }
    }
}

async fn greet(wire: &mut Wire, revision: &str, capabilities: Value) {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": revision,
        "capabilities": capabilities,
        "clientInfo": {"name": "claude-code", "version": "1.0.0"},
    }});
    let (_, answer) = wire.ask(hello).await;
    let result = &answer["result"];
    assert_eq!(result["protocolVersion"], revision, "{answer}");
    assert_eq!(result["serverInfo"], json!({"name": "subcog", "version": "0.1.0"}), "{answer}");
    let able = &result["capabilities"];
    assert_eq!(able["tools"], json!({"listChanged": false}), "{answer}");
    assert_eq!(able["resources"], json!({"subscribe": false, "listChanged": false}), "{answer}");
    assert_eq!(able["prompts"], json!({"listChanged": false}), "{answer}");
    assert_eq!(able["logging"], json!({}), "{answer}");
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
}

fn request(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn capture(id: i64, namespace: &str, content: &str) -> Value {
    let arguments = json!({"namespace": namespace, "content": content});
    request(id, "tools/call", json!({"name": "subcog_capture", "arguments": arguments}))
}

/// The data in a result's text.
fn data_of(answer: &Value) -> Value {
    let content = &answer["result"]["content"];
    assert_eq!(content[0]["type"], "text", "{answer}");
    serde_json::from_str(content[0]["text"].as_str().expect("a text")).expect("JSON")
}

#[tokio::test]
async fn a_memory_is_captured() {
    everywhere("seed0-capture", async |wire, _| {
        let (before, answer) =
            wire.ask(capture(3, "decisions", "Use PostgreSQL for storage")).await;
        let data = data_of(&answer);
        let id = data["id"].as_str().expect("an id").to_owned();
        assert_eq!(data, json!({"id": id, "urn": format!("subcog://project/decisions/{id}")}));
        assert_eq!(answer["result"].as_object().unwrap().len(), 1, "{answer}");
        // Its log message, while the call runs.
        let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {
            "level": "info", "logger": "subcog", "data": format!("Captured memory {id}")}});
        assert_eq!(before, [log]);
        let (_, again) = wire.ask(capture(4, "decisions", "Use PostgreSQL for storage")).await;
        assert_eq!(data_of(&again)["id"], id.as_str(), "the same is not stored twice");
        let read =
            wire.result("resources/read", json!({"uri": "subcog://project/decisions"})).await;
        let contents = &read["contents"][0];
        assert_eq!(contents["uri"], "subcog://project/decisions");
        assert_eq!(contents["mimeType"], "application/json");
        let list: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
        assert_eq!(list["count"], 1);
        assert_eq!(list["memories"][0]["id"], id.as_str());
    })
    .await;
}

#[tokio::test]
async fn a_namespace_nobody_knows_is_a_bad_parameter() {
    everywhere("seed0-namespace", async |wire, _| {
        let (_, answer) = wire.ask(capture(1, "unknown", "Use PostgreSQL")).await;
        let error = json!({"code": -32602, "message": "Invalid namespace: unknown"});
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 1, "error": error}));
    })
    .await;
}

#[tokio::test]
async fn tools_are_listed() {
    everywhere("seed0-tools", async |wire, _| {
        let listed = wire.result("tools/list", json!({})).await;
        let tools = listed["tools"].as_array().unwrap();
        let capture = tools.iter().find(|tool| tool["name"] == "subcog_capture").unwrap();
        assert_eq!(capture["description"], "Capture a memory to persistent storage");
        let schema = &capture["inputSchema"];
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["required"], json!(["content", "namespace"]));
        let properties = schema["properties"].as_object().unwrap();
        let names: Vec<&String> = properties.keys().collect();
        assert_eq!(names, ["content", "namespace", "tags", "source"]);
        assert_eq!(properties["tags"]["items"]["type"], "string");
        let namespaces = properties["namespace"]["enum"].as_array().unwrap();
        assert_eq!(namespaces[..2], [json!("decisions"), json!("patterns")]);
        assert_eq!(namespaces.len(), 12);
        assert!(tools.iter().all(|tool| tool["name"].as_str().unwrap().starts_with("subcog_")));
        for name in ["subcog_recall", "subcog_enrich", "subcog_consolidate"] {
            assert!(tools.iter().any(|tool| tool["name"] == name), "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn resources_are_listed() {
    everywhere("seed0-resources", async |wire, _| {
        let listed = wire.result("resources/list", json!({})).await;
        let expected = json!([
            {"uri": "subcog://help", "name": "Help Documentation",
             "description": "Subcog help and documentation", "mimeType": "text/markdown"},
            {"uri": "subcog://project", "name": "Project Memories",
             "description": "List project-scoped memories", "mimeType": "application/json"},
        ]);
        assert_eq!(listed["resources"], expected);
        let help = wire.result("resources/read", json!({"uri": "subcog://help"})).await;
        assert!(help["contents"][0]["text"].as_str().unwrap().contains("subcog://project"));
    })
    .await;
}

#[tokio::test]
async fn prompts_are_listed_and_filled_in() {
    everywhere("seed0-prompts", async |wire, _| {
        let listed = wire.result("prompts/list", json!({})).await;
        let prompts = listed["prompts"].as_array().unwrap();
        let capture = prompts.iter().find(|it| it["name"] == "subcog_capture").unwrap();
        let expected = json!({
            "name": "subcog_capture",
            "description": "Guided memory capture",
            "arguments": [
                {"name": "content", "description": "Content to capture", "required": true}],
        });
        assert_eq!(*capture, expected);
        let params =
            json!({"name": "subcog_capture", "arguments": {"content": "Important decision"}});
        let prompt = wire.result("prompts/get", params).await;
        assert_eq!(prompt["description"], "Guided memory capture");
        let message = &prompt["messages"][0];
        assert_eq!(
            (&message["role"], &message["content"]["type"]),
            (&json!("user"), &json!("text"))
        );
        let text = message["content"]["text"].as_str().unwrap();
        let begin = "Capture this memory:\n\nContent: Important decision\n\n\
                     Suggested namespace: decisions";
        assert!(text.starts_with(begin), "{text}");
    })
    .await;
}

/// Its table of errors of its own.
#[tokio::test]
async fn failures_have_the_documents_codes() {
    everywhere("seed0-errors", async |wire, _| {
        let missing = "0123456789abcdef0123456789abcdef";
        let key = ["AKIA", "J5Q7R2D9KX4WMN3P"].concat();
        let call = |name: &str, arguments: Value| {
            request(9, "tools/call", json!({"name": name, "arguments": arguments}))
        };
        let uri = format!("subcog://project/decisions/{missing}");
        let (_, known) = wire.ask(capture(8, "decisions", "Use PostgreSQL for storage")).await;
        let known = data_of(&known)["id"].clone();
        for (asked, code, part) in [
            (call("subcog_get", json!({"id": missing})), -32604, "Memory not found"),
            (request(9, "resources/read", json!({"uri": uri})), -32604, "Memory not found"),
            (
                capture(9, "config", &format!("aws_access_key_id = {key}")),
                -32605,
                "Content blocked",
            ),
            // By default, as the document's table has it.
            (capture(9, "context", "ssn 536-22-8726"), -32605, "us social security number"),
            (call("subcog_enrich", json!({"id": known})), -32606, "sampling"),
            (request(9, "prompts/get", json!({"name": "nothing"})), -32607, "nothing"),
            (capture(9, "decisions", "  "), -32608, "content"),
            (call("subcog_recall", json!({"filter": "nonsense"})), -32608, "filter"),
            (call("subcog_sync", json!({})), -32610, "sync failed"),
            (call("subcog_nothing", json!({})), -32602, "Unknown tool: subcog_nothing"),
            (request(9, "memories/list", json!({})), -32601, ""),
        ] {
            let (_, answer) = wire.ask(asked.clone()).await;
            assert_eq!(answer["error"]["code"], code, "{asked} gave {answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains(part), "{asked} gave {answer}");
            assert!(!message.contains(&key), "the secret is repeated: {answer}");
            assert!(!message.contains("redact"), "the profile has no such argument: {answer}");
        }
    })
    .await;
}

/// Its sampling request, on a pipe, where the server can ask back.
#[tokio::test]
async fn the_clients_model_is_asked() {
    for revision in REVISIONS {
        let home = Home::new("seed0-sampling");
        let mut wire = Wire::open(&home, ServerTransport::Stdio, Some("subcog")).await;
        let able = json!({"roots": {"listChanged": true}, "sampling": {}});
        greet(&mut wire, revision, able).await;
        let (_, captured) = wire.ask(capture(3, "decisions", "Use PostgreSQL for storage")).await;
        let id = data_of(&captured)["id"].clone();
        let asked = json!({"name": "subcog_enrich", "arguments": {"id": id}});
        wire.send(request(10, "tools/call", asked)).await;
        let question = wire.next().await;
        assert_eq!(question["method"], "sampling/createMessage", "{question}");
        let params = &question["params"];
        let text = json!({"type": "text", "text": "Suggest tags for: Use PostgreSQL for storage"});
        assert_eq!(params["messages"], json!([{"role": "user", "content": text}]));
        assert_eq!(params["maxTokens"], 100);
        let said = json!({"role": "assistant", "model": "m",
            "content": {"type": "text", "text": "database, storage"}});
        wire.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": said})).await;
        let answer = wire.next().await;
        assert_eq!(data_of(&answer)["added_tags"], json!(["database", "storage"]), "{answer}");
        let memory = wire.call("subcog_get", json!({"id": id})).await;
        assert_eq!(memory["tags"], json!(["database", "storage"]));
        assert_eq!(memory["version"], 2);
    }
}

/// A client that has a model and does not lend it, or whose model answers nonsense.
#[tokio::test]
async fn a_model_that_is_of_no_use_has_the_documents_code() {
    let said = |content: Value| json!({"role": "assistant", "model": "m", "content": content});
    let answers = [
        json!({"error": {"code": -1, "message": "User rejected sampling request"}}),
        json!({"error": {"code": -32603, "message": "no model answers"}}),
        json!({}),
        json!({"role": "nobody", "content": 7}),
        said(json!({"type": "text", "text": "  "})),
        said(json!({"type": "image", "data": "AAAA", "mimeType": "image/png"})),
    ];
    for answer in answers {
        for era in Era::ALL {
            let home = Home::new("seed0-refused");
            let reply = answer.clone();
            let able = ClientAbilities::asked(json!({"sampling": {}}), move |_, _| reply.clone());
            let mut command = home.hobnob(&["serve", "--profile", "subcog"]);
            let mut client = Client::start(&mut command, era, able).await;
            let mut ids = Vec::new();
            // A text that said the same with another time would replace the first one.
            for content in
                ["The nightly backup runs at three", "The nightly backup runs in the cellar"]
            {
                let arguments = json!({"content": content, "namespace": "decisions"});
                let asked = json!({"name": "subcog_capture", "arguments": arguments});
                ids.push(data_of(&client.ask("tools/call", asked).await)["id"].clone());
            }
            for (name, arguments) in [
                ("subcog_enrich", json!({"id": ids[0]})),
                ("subcog_consolidate", json!({"similarity": 0.3})),
            ] {
                let asked = json!({"name": name, "arguments": arguments});
                let error = client.error("tools/call", asked).await;
                assert_eq!(error["code"], -32606, "{era:?} {name} {answer}: {error}");
            }
            for id in &ids {
                let asked = json!({"name": "subcog_get", "arguments": {"id": id}});
                let memory = data_of(&client.ask("tools/call", asked).await);
                assert_eq!((&memory["version"], &memory["status"]), (&json!(1), &json!("active")));
            }
        }
    }
}

/// Models put words around the JSON they are asked for.
#[tokio::test]
async fn words_around_a_models_answer_are_understood() {
    for era in Era::ALL {
        let home = Home::new("seed0-words");
        let text =
            "Sure {here}:\n```json\n{\"tags\": [\"database\"], \"context\": \"Why.\"}\n```\nMore?";
        let said = json!({"role": "assistant", "model": "m",
            "content": {"type": "text", "text": text}});
        let able = ClientAbilities::asked(json!({"sampling": {}}), move |_, _| said.clone());
        let mut command = home.hobnob(&["serve", "--profile", "subcog"]);
        let mut client = Client::start(&mut command, era, able).await;
        let arguments = json!({"content": "Use PostgreSQL", "namespace": "decisions"});
        let asked = json!({"name": "subcog_capture", "arguments": arguments});
        let id = data_of(&client.ask("tools/call", asked).await)["id"].clone();
        let asked = json!({"name": "subcog_enrich", "arguments": {"id": id}});
        let enriched = data_of(&client.ask("tools/call", asked).await);
        assert_eq!(enriched["added_tags"], json!(["database"]), "{enriched}");
        assert_eq!(enriched["context"], "Why.", "{enriched}");
    }
}

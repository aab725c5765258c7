//! The kinds of content and of progress in the description that no service of Hobnob's makes: a
//! server behind it does, and a profile with dotted names passes them on.

use serde_json::{Value, json};

use crate::seed_substrate::{call, hello, request};
use crate::seed_wire::{Home, ServerTransport, Wire};

/// Answers every call with the three kinds of content, after progress in the middle.
const SERVER: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  token=$(printf '%s' "$line" | sed -n 's/.*"progressToken":\("[^"]*"\|[0-9]*\).*/\1/p')
  case "$line" in
  *'"method":"initialize"'*) reply '{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}' ;;
  *'"method":"tools/list"'*) reply '{"tools":[{"name":"show","description":"Shows all","inputSchema":{"type":"object"}}]}' ;;
  *'"method":"tools/call"'*)
    printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":50,"total":100}}\n' "$token"
    reply '{"content":CONTENT}' ;;
  *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"what?"}}\n' "$id" ;;
  esac
done
"#;

const WITH_SERVER: &str = r#"
services = []
servers = ["script"]
hobnob_tools = false
[server]
handshake = "known-revisions"
[errors]
explicit_success = true
tool_names = "dotted"
[tools.mcp__script__show]
name = "script.show"
"#;

fn content() -> Value {
    json!([
        {"type": "text", "text": "Result text"},
        {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
        {"type": "resource", "resource": {
            "uri": "arbor://tree/main/node/123",
            "mimeType": "application/json",
            "text": "{...}",
        }},
    ])
}

#[tokio::test]
async fn all_kinds_of_content_are_passed_on() {
    let home = Home::new("substrate-content");
    let script = home.0.join("server.sh");
    std::fs::write(&script, SERVER.replace("CONTENT", &content().to_string())).unwrap();
    let config = home.0.join("config");
    std::fs::create_dir_all(config.join("profiles")).unwrap();
    let servers = json!({"mcpServers": {"script": {"command": "sh", "args": [script]}}});
    std::fs::write(config.join("mcp.json"), servers.to_string()).unwrap();
    let allow = "[[permissions]]\ntool = \"mcp__script__*\"\naction = \"allow\"\n";
    std::fs::write(config.join("config.toml"), allow).unwrap();
    std::fs::write(config.join("profiles/dotted.toml"), WITH_SERVER).unwrap();
    // The address is where this hub's clients find the resource.
    let mut expected = content();
    expected[2]["resource"]["uri"] = json!("mcp://script/arbor://tree/main/node/123");
    let mut wire = Wire::open(&home, ServerTransport::Stdio, Some("dotted")).await;
    wire.ask(request(1, "initialize", hello("2024-11-05"))).await;
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let mut asked = call(2, "script.show", json!({}));
    asked["params"]["_meta"] = json!({"progressToken": "abc123"});
    let (before, answer) = wire.ask(asked).await;
    let result = &answer["result"];
    assert_eq!((&result["content"], &result["isError"]), (&expected, &json!(false)), "{answer}");
    let progress = json!({"progressToken": "abc123", "progress": 50, "total": 100});
    let noted = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress});
    assert!(before.contains(&noted), "{before:?}");
}

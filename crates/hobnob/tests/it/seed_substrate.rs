//! The examples of the description that the profile `substrate` follows, through the real binary.
//! Here: the handshake, the states before and after it, the codes of errors, and the options.
//!
//! | example of the description | test |
//! |---|---|
//! | `initialize`, its answer, `notifications/initialized` | [`greeted`], which every test begins with |
//! | a version that is not spoken; the three states; `ping` | `requests_wait_for_the_handshake_…` here, over HTTP in `seed_substrate_http` |
//! | "Server shutting down" | `links` in the tests of `hobnob-mcp-server` |
//! | the table of error codes; one line for each message | `errors_have_their_codes`, `a_message_is_one_line` here |
//! | `substrate --stdio`, `substrate --stdio --mcp` | `the_options_…` here |
//! | `tools/list`, `tools/call` (success, failure, name without a dot) | `seed_substrate_mcp` |
//! | the buffering layer: text, `[Tool: X]`, errors, the pretty-printed result | `seed_substrate_mcp` |
//! | `resources/list`, `resources/read`, `prompts/list`, `notifications/cancelled` | `seed_substrate_mcp` |
//! | pages, `logging/setLevel` | `seed_substrate_mcp` |
//! | capabilities from activations: resources only with arbor | `seed_substrate_mcp` |
//! | content: text, image, embedded resource | `seed_substrate_content` |
//! | `POST /mcp` with JSON and with SSE, `GET`, `DELETE`, the two headers | `seed_substrate_http` |
//! | progress on SSE: the tokens, "Using tool: X", `evt-N` | `seed_substrate_http` |
//! | progress with `total` | `seed_substrate_content` |
//! | MCP beside native calls: `bash.execute` with its events | `seed_substrate_native`, on three ways in |
//! | the order of resolution: MCP, `service.method`, `service_method` | `seed_substrate_native` |

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::agents_service::{grant, home as home_with_claude};
use crate::dialogue::Dialogue;
use crate::program::within;
use crate::seed_wire::{Home, ServerTransport, Wire};
use crate::shell_service::person;

pub(crate) const PROFILE: &str = "substrate";

/// Speaks the documented stream of `claude`, as the query says.
const AGENT: &str = r#"#!/bin/sh
own=$(dirname "$0")
query=$(cat)
piece() { echo '{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"'"$1"'"}}}'; }
echo '{"type":"system","subtype":"init","session_id":"id-1","model":"stand-in"}'
case "$query" in
    'Hello, world!') piece 'Hello! '; piece 'How can I help you today?' ;;
    stream) piece Hello; read go < "$own/fifo"; piece ' world' ;;
    tool)
        piece 'Files: '
        echo '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}'
        piece 'two.' ;;
    fail) piece Half; echo '{"type":"result","subtype":"error_during_execution","is_error":true,"result":"it broke","session_id":"id-1"}'; exit 0 ;;
esac
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"id-1"}'
"#;

/// A home whose person grants every line of `sh` in one folder, and the stand-in for `claude`.
pub(crate) struct GrantedHome {
    pub(crate) home: Home,
    /// Where the stand-in is, and the FIFO that it waits at.
    pub(crate) own: PathBuf,
    /// The folder that a person has granted to commands.
    pub(crate) folder: PathBuf,
}

impl GrantedHome {
    pub(crate) async fn new(label: &str) -> Self {
        let (home, own, folder) = home_with_claude(label);
        std::fs::write(own.join("claude"), AGENT).unwrap();
        grant(&home, &own, &folder).await;
        person(&home, &["enable", "shell"]).await;
        person(&home, &["grant", "shell", "--as-root", "--in", folder.to_str().unwrap(), "--line"])
            .await;
        for file in ["file1.txt", "file2.txt"] {
            std::fs::write(folder.join(file), "").unwrap();
        }
        Self { home, own, folder }
    }

    /// Lets the stand-in go on that waits at the FIFO.
    pub(crate) async fn let_agent_go_on(&self) {
        let fifo = self.own.join("fifo");
        let opened = tokio::task::spawn_blocking(move || std::fs::write(fifo, "go\n"));
        within("the agent to go on", opened).await.unwrap().unwrap();
    }
}

pub(crate) fn request(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn call(id: i64, tool: &str, arguments: Value) -> Value {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

pub(crate) fn hello(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {"roots": {"listChanged": true}, "sampling": {}},
        "clientInfo": {"name": "claude-code", "version": "1.0.0"},
    })
}

/// What `initialize` is answered with, as far as the description has it.
pub(crate) fn check_greeting(answer: &Value, version: &str) {
    let expected = json!({
        "tools": {"listChanged": true},
        "resources": {"subscribe": true, "listChanged": true},
        "prompts": {"listChanged": true},
        "logging": {},
    });
    // Completions and tasks are more than the description has.
    for (name, declared) in expected.as_object().unwrap() {
        assert_eq!(&answer["capabilities"][name], declared, "{name}: {answer}");
    }
    assert_eq!(answer["protocolVersion"], version, "{answer}");
    assert_eq!(answer["serverInfo"], json!({"name": "substrate", "version": "0.1.0"}));
}

pub(crate) async fn greeted(home: &Home, way: ServerTransport, version: &str) -> Wire {
    let mut wire = Wire::open(home, way, Some(PROFILE)).await;
    let (_, answer) = wire.ask(request(1, "initialize", hello(version))).await;
    check_greeting(&answer["result"], version);
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    wire
}

fn serve(home: &Home, options: &[&str]) -> Dialogue {
    let words = [&["serve", "--profile", PROFILE], options].concat();
    Dialogue::with(&mut home.hobnob(&words))
}

async fn ask(wire: &mut Dialogue, message: Value) -> Value {
    let id = message["id"].as_i64().unwrap();
    wire.send(message).await;
    wire.answer_to(id).await
}

fn not_yet(message: &str) -> Value {
    json!({"code": -32002, "message": message})
}

#[tokio::test]
async fn requests_wait_for_the_handshake_and_unknown_versions_are_refused() {
    let home = Home::new("substrate-hello");
    let mut wire = serve(&home, &[]);
    let early = ask(&mut wire, request(1, "tools/list", json!({"cursor": null}))).await;
    assert_eq!(early["error"], not_yet("Server not initialized"), "{early}");
    let refused = ask(&mut wire, request(2, "initialize", hello("1999-01-01"))).await;
    let error = &refused["error"];
    assert_eq!(error["code"], -32602, "{refused}");
    assert_eq!(error["message"], "Unsupported protocol version");
    assert_eq!(error["data"]["requested"], "1999-01-01");
    assert!(error["data"]["supported"].as_array().unwrap().contains(&json!("2024-11-05")));
    let answer = ask(&mut wire, request(3, "initialize", hello("2024-11-05"))).await;
    check_greeting(&answer["result"], "2024-11-05");
    let early = ask(&mut wire, request(4, "tools/list", json!({}))).await;
    assert_eq!(early["error"], not_yet("Server initializing"), "{early}");
    let pong = ask(&mut wire, json!({"jsonrpc": "2.0", "id": 7, "method": "ping"})).await;
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let listed = ask(&mut wire, request(8, "tools/list", json!({}))).await;
    assert!(listed["result"]["tools"].is_array(), "{listed}");
}

#[tokio::test]
async fn errors_have_their_codes() {
    let home = Home::new("substrate-codes");
    let mut wire = serve(&home, &["--stdio"]);
    let answer = ask(&mut wire, request(1, "initialize", hello("2025-03-26"))).await;
    check_greeting(&answer["result"], "2025-03-26");
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    for (line, code) in [
        (r#"{"jsonrpc":"2.0","#, -32700),
        (r#"{"jsonrpc":"2.0","id":2}"#, -32600),
        (r#"{"jsonrpc":"1.0","id":2,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":2,"method":"tools/unknown"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":2,"method":"nobody.knows"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":7}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bash"}}"#, -32602),
    ] {
        wire.write(line.as_bytes()).await;
        let answer = wire.receive().await.expect("an answer");
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
}

#[tokio::test]
async fn a_message_is_one_line() {
    let home = Home::new("substrate-lines");
    let mut wire = greeted(&home, ServerTransport::Stdio, "2024-11-05").await;
    let said = json!({"message": "one\r\ntwo\u{2028}three", "count": 2});
    // Every line that comes must be a message: `Dialogue` checks it.
    let (_, answer) = wire.ask(call(2, "echo.echo", said)).await;
    let text = "one\r\ntwo\u{2028}three\none\r\ntwo\u{2028}three";
    let expected = json!([{"type": "text", "text": text}]);
    let result = &answer["result"];
    assert_eq!((&result["content"], &result["isError"]), (&expected, &json!(false)), "{answer}");
}

/// Native calls need no handshake, unless the server was started for clients of MCP.
#[tokio::test]
async fn the_options_say_whether_native_calls_wait_for_the_handshake() {
    let home = Home::new("substrate-options");
    let echo = |id: i64| request(id, "echo.echo", json!(["hi"]));
    for options in [&[][..], &["--stdio"]] {
        let mut wire = serve(&home, options);
        assert_eq!(ask(&mut wire, echo(1)).await["result"], 1, "{options:?}");
        let early = ask(&mut wire, request(2, "tools/list", json!({}))).await;
        assert_eq!(early["error"], not_yet("Server not initialized"), "{options:?}");
    }
    let mut wire = serve(&home, &["--stdio", "--mcp"]);
    let early = ask(&mut wire, echo(1)).await;
    assert_eq!(early["error"], not_yet("Server not initialized"));
    ask(&mut wire, request(2, "initialize", hello("2024-11-05"))).await;
    let early = ask(&mut wire, echo(3)).await;
    assert_eq!(early["error"], not_yet("Server initializing"));
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    assert_eq!(ask(&mut wire, echo(4)).await["result"], 1);

    for (words, said) in [
        (&["serve", "--mcp"][..], "--mcp applies to one profile"),
        (&["serve", "--stdio", "--mcp"], "--profile substrate"),
        (&["serve", "--stdio", "--http", "127.0.0.1:0"], "cannot be used with"),
    ] {
        let ended = within("its end", home.hobnob(words).output()).await.unwrap();
        let error = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.code() == Some(2) && error.contains(said), "{words:?}: {error}");
    }
}

//! The real Claude Code on both sides: `claude mcp` reaches the profile `substrate`, and sessions
//! of `claudecode` run the program itself, which talks to a model on this machine.

use std::process::Stdio;
use std::sync::Arc;

use serde_json::json;
use tokio::process::Command;
use tokio::sync::Notify;

use crate::memory_client::{Client, Era};
use crate::model_server::{EVENTS, ModelServer, Step};
use crate::peers::Peer;
use crate::program::{PROGRAM, listening, within};
use crate::seed_wire::{Home, ServerTransport};
use crate::shell_service::person;

/// The program without the script that chooses one for the machine.
const CLAUDE: &str = "@anthropic-ai/claude-code-linux-x64/claude";

/// What `claude` says with these words, in a home of its own.
async fn claude(peer: &Peer, home: &Home, words: &[&str]) -> String {
    let mut command = Command::new(peer.npm_file(CLAUDE));
    command.args(words).env("HOME", &home.0).env("HOBNOB_HOME", &home.0);
    command.current_dir(home.0.join("project")).stdin(Stdio::null()).kill_on_drop(true);
    let output = within("the end of claude", command.output()).await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}\n{complaint}");
    said
}

/// Adds, lists, shows and removes: the health check behind it is a whole handshake.
#[tokio::test]
async fn its_verbs_reach_the_profile_over_pipes_and_http() {
    let Some(peer) = Peer::find("claude-code") else { return };
    let home = Home::new("claude-verbs");
    let server = home.hobnob(&["serve", "--profile", "substrate", "--http", "127.0.0.1:0"]);
    let server = listening(server).await;
    let pipes = ["mcp", "add", "pipes", "--", PROGRAM, "serve", "--profile", "substrate"];
    claude(&peer, &home, &pipes).await;
    claude(&peer, &home, &["mcp", "add", "--transport", "http", "web", &server.url]).await;
    let listed = claude(&peer, &home, &["mcp", "list"]).await;
    for name in ["pipes", "web"] {
        let line = listed.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        assert!(line.ends_with("Connected"), "{name}: {listed}");
        let shown = claude(&peer, &home, &["mcp", "get", name]).await;
        assert!(shown.contains("Connected"), "{shown}");
        claude(&peer, &home, &["mcp", "remove", name]).await;
    }
    let listed = claude(&peer, &home, &["mcp", "list"]).await;
    assert!(!listed.contains("Connected"), "{listed}");
}

/// One event of the Messages API.
fn event(kind: &str, more: serde_json::Value) -> Step {
    let mut data = more;
    data["type"] = json!(kind);
    Step::Piece(format!("event: {kind}\ndata: {data}\n\n").into_bytes())
}

fn piece(text: &str) -> Step {
    let delta = json!({"type": "text_delta", "text": text});
    event("content_block_delta", json!({"index": 0, "delta": delta}))
}

/// An answer in two pieces; the second waits for the test.
fn answer(gate: &Arc<Notify>) -> Vec<Step> {
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 1}});
    let stop = json!({"stop_reason": "end_turn", "stop_sequence": null});
    vec![
        Step::Head(EVENTS),
        event("message_start", json!({"message": message})),
        event(
            "content_block_start",
            json!({"index": 0, "content_block": {"type": "text", "text": ""}}),
        ),
        piece("Grüße "),
        Step::Wait(Arc::clone(gate)),
        piece("😀!"),
        event("content_block_stop", json!({"index": 0})),
        event("message_delta", json!({"delta": stop, "usage": {"output_tokens": 7}})),
        event("message_stop", json!({})),
        Step::End,
    ]
}

/// A session goes on, streams while the model works, and is forked.
#[tokio::test]
async fn a_session_runs_the_program_itself() {
    let Some(peer) = Peer::find("claude-code") else { return };
    let gate = Arc::new(Notify::new());
    let model = ModelServer::start(vec![answer(&gate)]).await;
    let home = Home::new("claude-sessions");
    let folder = home.0.canonicalize().unwrap().join("project");
    // Keys belong into the program's own settings; nothing of the environment reaches it.
    let settings = json!({"env": {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}});
    std::fs::create_dir_all(home.0.join(".claude")).unwrap();
    std::fs::write(home.0.join(".claude/settings.json"), settings.to_string()).unwrap();
    let program = peer.npm_file(CLAUDE);
    person(&home, &["enable", "agents"]).await;
    let grant = ["grant", "agents", "claude", "--in", folder.to_str().unwrap(), "--program"];
    person(&home, &[&grant[..], &[program.to_str().unwrap()]].concat()).await;

    let mut client = Client::open(&home, ServerTransport::Stdio, Era::Legacy).await;
    client.call("claudecode_create", json!({"name": "work"})).await;
    let chat = |session: &str, token: &str| {
        json!({"name": "claudecode_chat", "arguments": {"session_name": session, "query": "Hallo"},
            "_meta": {"progressToken": token}})
    };
    client.send("tools/call", chat("work", "first")).await;
    client.notified("notifications/progress", |params| params["message"] == "Grüße ").await;
    gate.notify_one();
    client.notified("notifications/progress", |params| params["message"] == "😀!").await;
    client
        .until("the end of the chat", async |client| {
            client.call("claudecode_get", json!({"name": "work"})).await["chats"] == 1
        })
        .await;
    client.call("claudecode_fork", json!({"name": "work", "new_name": "other"})).await;
    for (session, messages) in [("work", 4), ("other", 4)] {
        drop(model.seen());
        gate.notify_one();
        let result = client.result("tools/call", chat(session, session)).await;
        assert_eq!(result["isError"], false, "{session}: {result}");
        assert_eq!(result["content"][0]["text"], "Grüße 😀!", "{session}: {result}");
        let seen = model.seen();
        let asked = seen.iter().find(|request| request.body["messages"].is_array());
        let asked = asked.expect("the model was asked").body["messages"].as_array().unwrap();
        assert!(asked.len() >= messages, "{session} has forgotten: {asked:?}");
    }
    client.end().await;
}

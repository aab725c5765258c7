//! Streams as third-party clients see them: WebSocket libraries on the native RPC, and MCP clients
//! whose callbacks for progress run while the call does.
//!
//! The call waits for the client, so an event that the hub held back to the end would never come.

use std::path::Path;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::peers::{Peer, peer_tests, report_of};
use crate::program::{PROGRAM, listening};
use crate::seed_wire::Home;
use crate::shell_service::granted;

/// A WebSocket library through one path.
async fn check_socket(library: &str, path: &str, method: &str) {
    let Some(peer) = Peer::find(library) else { return };
    let (home, folder) = granted(&format!("socket-{library}")).await;
    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let url = server.url.replacen("http", "ws", 1).replace("/mcp", path);
    let mut command = match library {
        "ws" => peer.script("websocket.mjs"),
        _ => peer.python("websocket.py"),
    };
    let seen = report_of(command.args([&url, method]).arg(folder.join("go"))).await;
    assert_eq!(seen["refused"], 403, "{seen}");
    assert_eq!(seen["pong"], "sign of life", "{seen}");
    let events = json!([
        {"type": "start"},
        {"type": "stdout", "data": "one\n"},
        {"type": "stderr", "data": "two\n"},
        {"type": "complete", "exit_code": 7},
    ]);
    assert_eq!(seen["stream"], json!({"subscription": 1, "events": events}), "{seen}");
    assert_eq!(seen["unsubscribed"], json!([true, false]), "{seen}");
    let large = json!({"whole": -32601, "fragmented": -32601, "received": 300_000});
    assert_eq!(seen["large"], large, "{seen}");
    for (what, code, reason) in [
        ("binary", 1003, "only text messages"),
        ("oversized", 1009, "a message has at most"),
        ("closed", 1000, "bye"),
    ] {
        assert_eq!(seen[what]["code"], code, "{what}: {seen}");
        assert!(seen[what]["reason"].as_str().unwrap().contains(reason), "{what}: {seen}");
    }
    assert_eq!(seen["last"], 1000, "{seen}");
}

/// Which handshake the client should use.
#[derive(Clone, Copy)]
enum Era {
    Legacy,
    Modern,
}

/// How the client reaches the server.
#[derive(Clone, Copy)]
enum Transport {
    Stdio,
    Http,
}

/// An MCP client whose reaction to progress the call waits for.
async fn check_progress(library: &str, era: Era, transport: Transport) {
    let Some(peer) = Peer::find(library) else { return };
    let (home, folder) = granted(&format!("progress-{library}")).await;
    // A line of `sh` may not reach outside of its folder.
    let fifo = folder.join("gate");
    person_makes_fifo(&fifo).await;
    let mut command = match library {
        "mcp" => peer.python("progress.py"),
        _ => {
            let mut command = peer.script("progress.mjs");
            command.arg(library);
            command
        }
    };
    let era = match era {
        Era::Legacy => "legacy",
        Era::Modern => "modern",
    };
    let seen = match transport {
        Transport::Stdio => {
            own_home(&mut command, &home);
            command.args([era, "stdio"]).arg(&fifo).args([PROGRAM, "serve"]);
            report_of(&mut command).await
        }
        Transport::Http => {
            let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
            command.args([era, "http"]).arg(&fifo).arg(&server.url);
            report_of(&mut command).await
        }
    };
    assert_eq!(seen["output"], "one\ngo\n", "{seen}");
    let progress: Vec<&Value> = seen["progress"].as_array().unwrap().iter().collect();
    let counts: Vec<f64> = progress.iter().map(|note| note[0].as_f64().unwrap()).collect();
    assert!(counts.is_sorted_by(|one, next| one < next), "it only grows: {seen}");
    // The last piece may come together with the result, and some clients then drop it.
    let texts: Vec<&str> = progress.iter().filter_map(|note| note[1].as_str()).collect();
    let texts = texts.concat();
    assert!(texts == "one\n" || texts == "one\ngo\n", "each piece once, in order: {seen}");
}

/// The client starts our program with its own environment.
fn own_home(command: &mut Command, home: &Home) {
    command.env("HOBNOB_HOME", &home.0).current_dir(home.0.join("project"));
}

async fn person_makes_fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().await.unwrap();
    assert!(made.success(), "a FIFO is needed");
}

/// The profile is served beside the others.
async fn check_profile(library: &str) {
    check_socket(library, "/p/substrate/ws", "bash.execute").await;
}

peer_tests! {
    ws_speaks_natively: check_socket("ws", "/ws", "shell.run");
    ws_speaks_natively_to_a_profile: check_profile("ws");
    websockets_speaks_natively: check_socket("websockets", "/ws", "shell.run");
    websockets_speaks_natively_to_a_profile: check_profile("websockets");
    sdk_hears_progress_on_stdio: check_progress("sdk", Era::Legacy, Transport::Stdio);
    sdk_hears_progress_over_http: check_progress("sdk", Era::Legacy, Transport::Http);
    client_hears_progress_on_stdio: check_progress("client", Era::Legacy, Transport::Stdio);
    client_hears_progress_over_http: check_progress("client", Era::Legacy, Transport::Http);
    modern_client_hears_progress_on_stdio: check_progress("client", Era::Modern, Transport::Stdio);
    modern_client_hears_progress_over_http: check_progress("client", Era::Modern, Transport::Http);
    mcp_hears_progress_on_stdio: check_progress("mcp", Era::Legacy, Transport::Stdio);
    mcp_hears_progress_over_http: check_progress("mcp", Era::Legacy, Transport::Http);
    modern_mcp_hears_progress_on_stdio: check_progress("mcp", Era::Modern, Transport::Stdio);
    modern_mcp_hears_progress_over_http: check_progress("mcp", Era::Modern, Transport::Http);
}

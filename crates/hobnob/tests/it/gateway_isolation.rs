//! `isolation = "client"` over real sockets: two clients, two processes, and none that stays; and
//! the roots of a client reach the process that is its own.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::faults_client::text_of;
use crate::faults_setup::{ALLOW, Setup, until};
use crate::load::Session;
use crate::memory_client::{Client, ClientAbilities, Era};
use crate::peers::Peer;
use crate::program::listening;
use crate::seed_wire::Home;

#[tokio::test]
async fn two_sessions_have_two_processes_that_end_with_them() {
    let Some(mut setup) = Setup::new("isolation").await else { return };
    setup.settings(&format!("[servers.own]\nisolation = \"client\"\n{ALLOW}"));
    setup.upstream("own", &[]).upstream("shared", &[]);
    setup.write();
    let server = listening(setup.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let authority = server.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    let authority: Arc<str> = authority.into();
    let mut one = Session::open(&authority, "same", 0).await;
    let mut other = Session::open(&authority, "same", 1).await;
    let count = |tool: &str| json!({"name": tool, "arguments": {}});
    for (tool, wanted) in [("mcp__own__count", ["1", "1"]), ("mcp__shared__count", ["1", "2"])] {
        let first = text_of(&one.ask("tools/call", count(tool)).await.1);
        let second = text_of(&other.ask("tools/call", count(tool)).await.1);
        assert_eq!([first.as_str(), second.as_str()], wanted, "{tool}");
    }
    // A supervisor and a program for each.
    let running = |name: &str| {
        let journal = setup.file(&format!("{name}.journal"));
        let is_it = |it: &str| it.contains("faulty.py") && it.contains(&journal);
        let python = |it: &str| !it.contains("hobnob-supervisor") && !it.contains("__supervise");
        let all = setup.processes();
        all.iter().filter(|it| is_it(&it.arguments) && python(&it.arguments)).count()
    };
    assert_eq!((running("own"), running("shared")), (2, 1));
    // Only the process of the client whose roots changed gets the notification.
    one.notify("notifications/roots/list_changed").await;
    let told = |name: &str| {
        let journal = std::fs::read_to_string(setup.file(&format!("{name}.journal"))).unwrap();
        journal.matches("notifications/roots/list_changed").count()
    };
    until("its process is told", Duration::from_secs(20), || told("own") == 1).await;
    one.end().await;
    until("its process ends with it", Duration::from_secs(20), || running("own") == 1).await;
    assert_eq!(text_of(&other.ask("tools/call", count("mcp__own__count")).await.1), "2");
    assert_eq!((running("shared"), told("own"), told("shared")), (1, 1, 0));
    other.end().await;
    until("no client, no process", Duration::from_secs(20), || running("own") == 0).await;
}

/// A server that asks for roots right after the handshake, so before the answer to any list, and
/// whose tool returns the answer.
const ASKING: &str = r#"
import json, sys
told, waiting = None, []
def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def tell(ident):
    send(id=ident, result={"content": [{"type": "text", "text": json.dumps(told)}]})
for line in sys.stdin:
    message = json.loads(line)
    method, ident = message.get("method"), message.get("id")
    if method == "initialize":
        send(id=ident, result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                               "serverInfo": {"name": "asking", "version": "1"}})
    elif method == "notifications/initialized":
        send(id="roots", method="roots/list")
    elif method is None and ident == "roots":
        told = message
        for call in waiting:
            tell(call)
    elif method == "tools/list":
        tool = {"name": "get-roots-list", "inputSchema": {"type": "object"}}
        send(id=ident, result={"tools": [tool]})
    elif method == "tools/call" and told is None:
        waiting.append(ident)
    elif method == "tools/call":
        tell(ident)
"#;

/// A home with the published server that asks for roots once, soon after the handshake, and with
/// one that asks at once.
fn asking_home(label: &str) -> Option<Home> {
    let words = Peer::find("server-everything")?.node_words("mcp-server-everything");
    let home = Home::new(label);
    std::fs::create_dir_all(home.0.join("config")).unwrap();
    let entry = json!({"command": words[0], "args": [words[1], "stdio"]});
    let mut own = entry;
    own["isolation"] = "client".into();
    let shared = json!({"command": "python3", "args": ["-c", ASKING]});
    let servers = json!({"mcpServers": {"own": own, "shared": shared}});
    std::fs::write(home.0.join("config/mcp.json"), servers.to_string()).unwrap();
    let settings = format!("[gateway]\nfirst_list_wait = \"60s\"\n{ALLOW}");
    std::fs::write(home.0.join("config/config.toml"), settings).unwrap();
    Some(home)
}

async fn roots(client: &mut Client, server: &str) -> String {
    let asked = json!({"name": format!("mcp__{server}__get-roots-list"), "arguments": {}});
    let result = client.result("tools/call", asked).await;
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_server_of_one_client_gets_the_roots_of_that_client() {
    for era in Era::ALL {
        let Some(home) = asking_home("roots-pipe") else { return };
        let able = ClientAbilities::root("/of/the/client");
        let mut client = Client::start(&mut home.hobnob(&["serve"]), era, able).await;
        client.listed("tools/list", "tools", "name").await;
        // It asked before there was any call, and remembers the answer.
        for _ in 0..2 {
            let text = roots(&mut client, "own").await;
            assert!(text.contains("file:///of/the/client"), "{era:?}: {text}");
        }
        // A shared server that asks outside of a call has no client to ask.
        let text = roots(&mut client, "shared").await;
        assert!(!text.contains("file://"), "{era:?}: {text}");
        client.end().await;
        // A client that has none to name is not asked, and the server goes on.
        let nothing = ClientAbilities::nothing();
        let mut client = Client::start(&mut home.hobnob(&["serve"]), era, nothing).await;
        client.listed("tools/list", "tools", "name").await;
        let text = roots(&mut client, "own").await;
        assert!(!text.contains("file://"), "{era:?}: {text}");
        client.end().await;
    }
}

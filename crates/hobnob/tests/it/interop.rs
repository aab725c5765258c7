//! Third-party clients: each connects, lists and calls, in every era and transport it has.

use serde_json::{Value, json};

use crate::health::assert_healthy;
use crate::peers::{Peer, peer_tests, report_of};
use crate::program::{HttpServer, PROGRAM, hobnob, listening};

/// Which handshake the client should use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Era {
    Legacy,
    Modern,
}

impl Era {
    fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }

    /// The newest revision of the era, which both sides know and must agree on.
    fn revision(self) -> &'static str {
        match self {
            Self::Legacy => "2025-11-25",
            Self::Modern => "2026-07-28",
        }
    }
}

/// How the client reaches the server.
#[derive(Clone, Copy)]
enum Transport {
    /// The client starts the server itself.
    Stdio,
    Http,
}

impl Transport {
    fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// What a client's command line names to reach the server, and the server if it runs already.
struct Target {
    words: Vec<String>,
    _server: Option<HttpServer>,
}

impl Target {
    /// Hobnob with these words after `serve`.
    async fn open(transport: Transport, more: &[&str]) -> Self {
        match transport {
            Transport::Stdio => {
                let words = [PROGRAM, "serve"].iter().chain(more).map(|word| (*word).to_owned());
                Self { words: words.collect(), _server: None }
            }
            Transport::Http => {
                let words = [&["serve", "--http", "127.0.0.1:0"], more].concat();
                let server = listening(hobnob(&words)).await;
                Self { words: vec![server.url.clone()], _server: Some(server) }
            }
        }
    }
}

/// Runs one of our driver scripts and checks what its client saw.
async fn check(library: &str, era: Era, transport: Transport) {
    let Some(peer) = Peer::find(library) else { return };
    let mut command = match library {
        "sdk" | "client" => peer.script("drive.mjs"),
        _ => peer.python("drive.py"),
    };
    let target = Target::open(transport, &[]).await;
    command.args([library, era.name(), transport.name()]).args(&target.words);
    let seen = report_of(&mut command).await;
    assert_eq!(seen["revision"], era.revision(), "{seen}");
    assert_eq!(seen["ping"], era == Era::Legacy, "{seen}");
    let tools = seen["tools"].as_array().unwrap();
    assert!(tools.contains(&json!("health_check")), "{seen}");
    assert_healthy(&seen["result"]);
}

/// The Inspector is a program, not a library: one run per question.
struct Inspector {
    peer: Peer,
    era: Era,
    target: Target,
}

impl Inspector {
    async fn open(era: Era, transport: Transport, more: &[&str]) -> Option<Self> {
        let peer = Peer::find("inspector")?;
        Some(Self { peer, era, target: Target::open(transport, more).await })
    }

    async fn ask(&self, method: &str, more: &[&str]) -> Value {
        let mut command = self.peer.program("mcp-inspector");
        command.arg("--cli").args(&self.target.words).args(["--method", method]).args(more);
        command.args(["--protocol-era", self.era.name(), "--format", "json", "--quiet"]);
        report_of(&mut command).await["result"].clone()
    }

    /// The names of all tools, whose schemas every model API must take.
    async fn tools(&self) -> Vec<String> {
        let hello = self.ask("initialize", &[]).await;
        assert!(hello.to_string().contains(self.era.revision()), "{hello}");
        // Strict fails on schemas that some model APIs refuse.
        let listed = self.ask("tools/list", &["--strict"]).await;
        let tools = listed["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

async fn check_inspector(era: Era, transport: Transport) {
    let Some(inspector) = Inspector::open(era, transport, &[]).await else { return };
    let tools = inspector.tools().await;
    assert!(tools.contains(&"health_check".to_owned()), "{tools:?}");
    assert_healthy(&inspector.ask("tools/call", &["--tool-name", "health_check"]).await);
}

/// The seed of this profile says that its author tried it with the Inspector.
async fn check_bossman(era: Era, transport: Transport) {
    let more = ["--profile", "bossman"];
    let Some(inspector) = Inspector::open(era, transport, &more).await else { return };
    let mut tools = inspector.tools().await;
    tools.sort();
    let expected = [
        "add_blocker",
        "create_task",
        "delete_task",
        "get_blockers",
        "get_task",
        "list_tasks",
        "remove_blocker",
        "update_task",
    ];
    assert_eq!(tools, expected);
    let listed = inspector.ask("tools/call", &["--tool-name", "list_tasks"]).await;
    assert_ne!(listed["isError"], true, "{listed}");
    assert!(listed["content"][0]["text"].is_string(), "{listed}");
}

peer_tests! {
    sdk_legacy_stdio: check("sdk", Era::Legacy, Transport::Stdio);
    sdk_legacy_http: check("sdk", Era::Legacy, Transport::Http);
    client_legacy_stdio: check("client", Era::Legacy, Transport::Stdio);
    client_legacy_http: check("client", Era::Legacy, Transport::Http);
    client_modern_stdio: check("client", Era::Modern, Transport::Stdio);
    client_modern_http: check("client", Era::Modern, Transport::Http);
    mcp_legacy_stdio: check("mcp", Era::Legacy, Transport::Stdio);
    mcp_legacy_http: check("mcp", Era::Legacy, Transport::Http);
    mcp_modern_stdio: check("mcp", Era::Modern, Transport::Stdio);
    mcp_modern_http: check("mcp", Era::Modern, Transport::Http);
    fastmcp_legacy_stdio: check("fastmcp", Era::Legacy, Transport::Stdio);
    fastmcp_legacy_http: check("fastmcp", Era::Legacy, Transport::Http);
    fastmcp_modern_stdio: check("fastmcp", Era::Modern, Transport::Stdio);
    fastmcp_modern_http: check("fastmcp", Era::Modern, Transport::Http);
    inspector_legacy_stdio: check_inspector(Era::Legacy, Transport::Stdio);
    inspector_legacy_http: check_inspector(Era::Legacy, Transport::Http);
    inspector_modern_stdio: check_inspector(Era::Modern, Transport::Stdio);
    inspector_modern_http: check_inspector(Era::Modern, Transport::Http);
    inspector_bossman_legacy_stdio: check_bossman(Era::Legacy, Transport::Stdio);
    inspector_bossman_legacy_http: check_bossman(Era::Legacy, Transport::Http);
    inspector_bossman_modern_stdio: check_bossman(Era::Modern, Transport::Stdio);
    inspector_bossman_modern_http: check_bossman(Era::Modern, Transport::Http);
}

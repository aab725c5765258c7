//! Clients that nobody here wrote: each connects, lists, calls, in every era and transport it has.

use serde_json::{Value, json};

use crate::health::assert_healthy;
use crate::peers::{Peer, report_of};
use crate::program::{HttpServer, PROGRAM, serve_http};

/// Which handshake the client is told to use.
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
    async fn open(transport: Transport) -> Self {
        match transport {
            Transport::Stdio => Self { words: vec![PROGRAM.into(), "serve".into()], _server: None },
            Transport::Http => {
                let server = serve_http().await;
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
    let target = Target::open(transport).await;
    command.args([library, era.name(), transport.name()]).args(&target.words);
    let seen = report_of(&mut command).await;
    assert_eq!(seen["revision"], era.revision(), "{seen}");
    assert_eq!(seen["ping"], era == Era::Legacy, "{seen}");
    let tools = seen["tools"].as_array().unwrap();
    assert!(tools.contains(&json!("health_check")), "{seen}");
    assert_healthy(&seen["result"]);
}

/// The Inspector is a program, not a library: one run per question.
async fn check_inspector(era: Era, transport: Transport) {
    let Some(peer) = Peer::find("inspector") else { return };
    let target = Target::open(transport).await;
    let ask = async |method: &str, more: &[&str]| -> Value {
        let mut command = peer.program("mcp-inspector");
        command.arg("--cli").args(&target.words).args(["--method", method]).args(more);
        command.args(["--protocol-era", era.name(), "--format", "json", "--quiet"]);
        report_of(&mut command).await["result"].clone()
    };
    let hello = ask("initialize", &[]).await;
    assert!(hello.to_string().contains(era.revision()), "{hello}");
    // Strict fails on schemas that some model APIs refuse.
    let listed = ask("tools/list", &["--strict"]).await;
    let tools = listed["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "health_check"), "{listed}");
    assert_healthy(&ask("tools/call", &["--tool-name", "health_check"]).await);
}

macro_rules! clients {
    ($($name:ident: $check:expr;)*) => {
        $(#[tokio::test]
        async fn $name() {
            $check.await;
        })*
    };
}

clients! {
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
}

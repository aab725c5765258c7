//! Third-party programs that log in to a hub: `mcp-remote`, which is a bridge for clients that know
//! only pipes, and the Inspector. Both say which page to open; the test plays the person.

use std::process::Stdio;

use hobnob_mcp_auth::Url;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::embedded_login::{LoginHub, agree, free_port};
use crate::health::assert_healthy;
use crate::login_servers::get;
use crate::peers::{Peer, peer_tests};
use crate::program::within;

/// What the address of the page of a login has in it.
const PAGE: &str = "/oauth/authorize?";

/// A program that runs, with everything that it says.
struct TalkingProgram {
    child: Child,
    said: watch::Receiver<String>,
    reading: JoinSet<()>,
}

impl TalkingProgram {
    fn start(mut command: Command, hub: &LoginHub) -> Self {
        // Its files are in the hub's folder, which is removed; and it finds no browser to open.
        command.env("HOME", hub.path()).env("PATH", hub.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (noted, said) = watch::channel(String::new());
        let mut reading = JoinSet::new();
        reading.spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                noted.send_modify(|said| *said += &format!("{line}\n"));
            }
        });
        Self { child, said, reading }
    }

    fn said(&self) -> String {
        self.said.borrow().clone()
    }

    /// The address of the page, once the program has said it.
    async fn page(&self) -> Url {
        let mut said = self.said.clone();
        let named = said.wait_for(|said| said.contains(PAGE));
        let said = within("the address of the page", named).await;
        let said = said.unwrap_or_else(|_| panic!("no page: {}", self.said())).clone();
        let page = said.split_whitespace().find(|word| word.contains(PAGE)).unwrap();
        Url::parse(page).unwrap_or_else(|error| panic!("{error}: {page}"))
    }

    /// Opens the page, agrees, and lets the program know as a browser would.
    async fn log_in(&self) {
        let answer = agree(&self.page().await).await.unwrap();
        let shown = get(&answer).await;
        assert!(shown.starts_with("HTTP/1.1 200"), "{shown}\n{}", self.said());
    }
}

/// The messages of a client on the pipes of the bridge.
struct BridgeClient<'a> {
    child: &'a mut Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl BridgeClient<'_> {
    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.child.stdin.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request).await;
        self.answer(id).await
    }

    async fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = within("an answer", self.lines.next_line()).await.unwrap();
            let message: Value = serde_json::from_str(&line.expect("the bridge ended")).unwrap();
            if message["id"] == id && message.get("method").is_none() {
                return message["result"].clone();
            }
        }
    }
}

/// A client on the pipes of `mcp-remote`; the second one logs in with what the first has left.
async fn mcp_remote() {
    let Some(peer) = Peer::find("mcp-remote") else { return };
    let (hub, port) = (LoginHub::start().await, free_port().to_string());
    for person in [true, false] {
        let mut command = peer.program("mcp-remote");
        command.args([&hub.server.url, &port]);
        let mut program = TalkingProgram::start(command, &hub);
        let lines = BufReader::new(program.child.stdout.take().unwrap()).lines();
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "bridged", "version": "1"}});
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
        let stdin = program.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
        if person {
            program.log_in().await;
        }
        let mut client = BridgeClient { child: &mut program.child, lines };
        let hello = client.answer(1).await;
        assert_eq!(hello["protocolVersion"], "2025-06-18", "{hello}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        let tools = client.ask(2, "tools/list", json!({})).await;
        let tools = tools["tools"].as_array().unwrap();
        assert!(tools.iter().any(|tool| tool["name"] == "health_check"), "{tools:?}");
        let call = json!({"name": "health_check", "arguments": {}});
        assert_healthy(&client.ask(3, "tools/call", call).await);
        assert_eq!(program.said().contains(PAGE), person, "{}", program.said());
    }
}

/// The Inspector logs in when a server asks for it, and later uses what it has kept.
async fn inspector() {
    let Some(peer) = Peer::find("inspector") else { return };
    let hub = LoginHub::start().await;
    for person in [true, false] {
        let mut command = peer.program("mcp-inspector");
        command.args(["--cli", &hub.server.url, "--method", "tools/call"]);
        command.args(["--tool-name", "health_check", "--format", "json"]);
        // Leave the keyring of this machine alone.
        command.env("MCP_INSPECTOR_SECRET_STORE", "file");
        if person {
            // Without a terminal it logs in only if it may open a browser.
            command.env("MCP_AUTO_OPEN_ENABLED", "true");
            command.args(["--callback-url", "http://127.0.0.1:0/oauth/callback"]);
        } else {
            command.arg("--stored-auth-only");
        }
        let program = TalkingProgram::start(command, &hub);
        if person {
            program.log_in().await;
        }
        let TalkingProgram { child, said, reading } = program;
        let output = within("the end of the Inspector", child.wait_with_output()).await.unwrap();
        reading.join_all().await;
        let said = said.borrow().clone();
        assert!(output.status.success(), "{said}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_healthy(&report["result"]);
        assert_eq!(said.contains(PAGE), person, "{said}");
    }
}

peer_tests! {
    mcp_remote_logs_in: mcp_remote();
    inspector_logs_in: inspector();
}

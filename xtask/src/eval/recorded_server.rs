//! One published server, started once over its pipes and asked for all its tools.
//!
//! `record` calls it. The process is killed when the conversation ends.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use serde::Deserialize;
use serde_json::{Value, json};

/// The number of messages that may wait to be read.
const MAX_PENDING: usize = 64;

/// The time limit for one answer; some servers load hundreds of modules first.
const LIMIT: Duration = Duration::from_secs(60);

/// The part of a `.mcp.json` entry that describes a process.
#[derive(Deserialize)]
pub(crate) struct StartCommand {
    command: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
}

/// A running server, and our ends of its pipes.
pub(crate) struct RecordedServer {
    child: Child,
    stdin: ChildStdin,
    messages: Receiver<Value>,
    reader: Option<JoinHandle<()>>,
    last_id: u64,
}

impl RecordedServer {
    /// Starts it in that folder, which is also its home, with nothing of the person who records.
    pub(crate) fn start(start: &StartCommand, folder: &Path, log: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(&start.command);
        command.args(&start.args).env_clear().env("HOME", folder).current_dir(folder);
        for name in ["PATH", "LANG", "TMPDIR"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let mut child = command
            .envs(&start.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(log)?)
            .spawn()
            .with_context(|| format!("cannot start {}", start.command))?;
        let stdin = child.stdin.take().context("a server without input")?;
        let stdout = child.stdout.take().context("a server without output")?;
        let (sender, messages) = sync_channel(MAX_PENDING);
        let reader = thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // Some servers also print a greeting that is not part of the protocol.
                let Ok(message) = serde_json::from_str(&line) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, stdin, messages, reader: Some(reader), last_id: 0 })
    }

    /// All tools that it lists, from all pages.
    pub(crate) fn tools(&mut self) -> anyhow::Result<Vec<Value>> {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "record", "version": "1"}});
        self.ask("initialize", &hello)?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let (mut tools, mut params) = (Vec::new(), json!({}));
        loop {
            let page = self.ask("tools/list", &params)?;
            tools.extend(page["tools"].as_array().context("a page without tools")?.iter().cloned());
            match page["nextCursor"].as_str() {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => return Ok(tools),
            }
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let end = Instant::now() + LIMIT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let received = self.messages.recv_timeout(left);
            let mut message =
                received.map_err(|error| anyhow!("no answer to {method}: {error}"))?;
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(anyhow!("{method}: {}", error["message"])),
                    None => Ok(message["result"].take()),
                };
            }
        }
    }

    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        writeln!(self.stdin, "{message}").context("the server does not listen")
    }
}

impl Drop for RecordedServer {
    fn drop(&mut self) {
        // The process may have ended already; no other error matters here.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

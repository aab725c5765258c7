//! A plain client of the hub, on a pipe: it reads first pages only, and has no capabilities.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use serde_json::{Value, json};

/// The number of messages that may wait to be read.
const MAX_PENDING: usize = 4096;

/// How long the hub may take to exit after its input has ended.
const EXIT_TIMEOUT: Duration = Duration::from_secs(30);

/// The prefix of an error if the hub itself did not answer.
pub(crate) const SILENT: &str = "the hub was silent for";

/// The interval at which the hub's state is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A running `hobnob serve`, and our ends of its pipes.
pub(crate) struct Hub {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    reader: Option<JoinHandle<()>>,
    last_id: u64,
}

impl Hub {
    /// Starts the hub and does the handshake.
    pub(crate) fn start(command: &mut Command, log: &Path) -> anyhow::Result<Self> {
        let log = File::options().create(true).append(true).open(log)?;
        let mut child = command
            .args(["serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stdout = stdout.context("the hub has no output")?;
        let (sender, messages) = sync_channel(MAX_PENDING);
        let reader = thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let Ok(message) = serde_json::from_str(&line) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut hub = Self { child, stdin, messages, reader: Some(reader), last_id: 0 };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "trial", "version": "1"}});
        hub.ask("initialize", &hello, Duration::from_secs(30))?;
        hub.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(hub)
    }

    /// Sends a request and waits for the answer; fails on a protocol error.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        params: &Value,
        limit: Duration,
    ) -> anyhow::Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let end = Instant::now() + limit;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let mut message = match self.messages.recv_timeout(left) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(anyhow!("{method}: {SILENT} {limit:?}"));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(anyhow!("the hub has ended")),
            };
            if message["id"] != id || message.get("method").is_some() {
                continue;
            }
            return match message.get("error") {
                Some(error) => Err(anyhow!("{method}: {}", error["message"])),
                None => Ok(message["result"].take()),
            };
        }
    }

    /// The names of the tools on the first page, and whether there is another page.
    pub(crate) fn tools(&mut self, limit: Duration) -> anyhow::Result<(Vec<String>, bool)> {
        let page = self.ask("tools/list", &json!({}), limit)?;
        let tools = page["tools"].as_array().context("a page without tools")?;
        let names = tools.iter().filter_map(|tool| Some(tool["name"].as_str()?.to_owned()));
        Ok((names.collect(), page["nextCursor"].is_string()))
    }

    /// The definitions of the tools on the first page.
    pub(crate) fn definitions(&mut self, limit: Duration) -> anyhow::Result<Vec<Value>> {
        let page = self.ask("tools/list", &json!({}), limit)?;
        page["tools"].as_array().cloned().context("a page without tools")
    }

    /// Calls a tool of a server; fails if the tool reports an error.
    pub(crate) fn call(
        &mut self,
        server: &str,
        tool: &str,
        arguments: &Value,
        limit: Duration,
    ) -> anyhow::Result<()> {
        let params = json!({"name": format!("mcp__{server}__{tool}"), "arguments": arguments});
        let result = self.ask("tools/call", &params, limit)?;
        anyhow::ensure!(result["isError"] != true, "{}", result["content"]);
        Ok(())
    }

    /// The hub's own report on its servers.
    pub(crate) fn status(&mut self) -> anyhow::Result<Vec<Value>> {
        let params = json!({"uri": "hobnob://status"});
        let read = self.ask("resources/read", &params, Duration::from_secs(30))?;
        let text = read["contents"][0]["text"].as_str().context("a status without text")?;
        let status: Value = serde_json::from_str(text)?;
        status["servers"].as_array().cloned().context("a status without servers")
    }

    /// Polls the status until it satisfies `holds` or time is up; returns the last one.
    pub(crate) fn status_until(
        &mut self,
        limit: Duration,
        holds: impl Fn(&[Value]) -> bool,
    ) -> anyhow::Result<Vec<Value>> {
        let end = Instant::now() + limit;
        loop {
            let servers = self.status()?;
            if holds(&servers) || end <= Instant::now() {
                return Ok(servers);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Closes the hub's input and waits until it exits.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        self.stdin.take();
        let end = Instant::now() + EXIT_TIMEOUT;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait()? {
                anyhow::ensure!(status.success(), "the hub ended with {status}");
                return Ok(());
            }
            thread::sleep(POLL_INTERVAL);
        }
        Err(anyhow!("the hub did not end within {EXIT_TIMEOUT:?}"))
    }

    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let stdin = self.stdin.as_mut().context("the hub's input is closed")?;
        writeln!(stdin, "{message}").context("the hub does not listen")
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // The process may have ended already; no other error matters here.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

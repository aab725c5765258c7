//! A plain client of one MCP server, on the pipes of a child process: one request at a time,
//! without capabilities. `eval` asks published servers, `trial` asks the hub.
//!
//! Dropping it kills the process.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use serde_json::{Value, json};

/// The number of messages that may wait to be read.
const MAX_PENDING: usize = 4096;

/// The words of an error if the server itself did not answer.
pub(crate) const SILENT: &str = "the server was silent for";

/// A running server, and our ends of its pipes.
pub(crate) struct McpPipe {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    reader: Option<JoinHandle<()>>,
    last_id: u64,
}

impl McpPipe {
    /// Starts the server and does the handshake as a client of this name.
    pub(crate) fn start(
        command: &mut Command,
        log: File,
        client: &str,
        limit: Duration,
    ) -> anyhow::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stdout = stdout.context("a server without output")?;
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
        let mut pipe = Self { child, stdin, messages, reader: Some(reader), last_id: 0 };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": client, "version": "1"}});
        pipe.ask("initialize", &hello, limit)?;
        pipe.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(pipe)
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
                Err(RecvTimeoutError::Disconnected) => return Err(anyhow!("the server has ended")),
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

    /// Closes the server's input.
    pub(crate) fn close_input(&mut self) {
        self.stdin.take();
    }

    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let stdin = self.stdin.as_mut().context("the server's input is closed")?;
        writeln!(stdin, "{message}").context("the server does not listen")
    }
}

impl Drop for McpPipe {
    fn drop(&mut self) {
        // The process may have ended already; no other error matters here.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

//! A plain client of the hub, on a pipe: it reads first pages only, and has no capabilities.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use serde_json::{Value, json};

use crate::mcp_pipe::McpPipe;

/// How long the hub may take to exit after its input has ended.
const EXIT_TIMEOUT: Duration = Duration::from_secs(30);

/// The interval at which the hub's state is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A running `hobnob serve`.
pub(crate) struct Hub(McpPipe);

impl Hub {
    /// Starts the hub and does the handshake.
    pub(crate) fn start(command: &mut Command, log: &Path) -> anyhow::Result<Self> {
        let log = File::options().create(true).append(true).open(log)?;
        McpPipe::start(command.args(["serve"]), log, "trial", Duration::from_secs(30)).map(Self)
    }

    /// Sends a request and waits for the answer; fails on a protocol error.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        params: &Value,
        limit: Duration,
    ) -> anyhow::Result<Value> {
        self.0.ask(method, params, limit)
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
        self.0.close_input();
        let end = Instant::now() + EXIT_TIMEOUT;
        while Instant::now() < end {
            if let Some(status) = self.0.child.try_wait()? {
                anyhow::ensure!(status.success(), "the hub ended with {status}");
                return Ok(());
            }
            thread::sleep(POLL_INTERVAL);
        }
        Err(anyhow!("the hub did not end within {EXIT_TIMEOUT:?}"))
    }
}

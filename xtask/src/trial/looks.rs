//! One look of another project's client at the hub: it connects on a pipe with the client's own
//! timeouts, lists the tools, and ends.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Deserialize;
use serde_json::{Value, json};

use super::home::Home;
use crate::peers::Roster;

const TYPESCRIPT: &str = include_str!("../../trial/look.mjs");
const PYTHON: &str = include_str!("../../trial/look.py");

/// Longer than any client waits by itself.
const LIMIT: Duration = Duration::from_secs(100);

/// The interval at which a session is queried.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The program of Claude Code, without the script that selects it for the machine.
const CLAUDE: &str = "node_modules/@anthropic-ai/claude-code-linux-x64/claude";

/// A client of another project.
#[derive(Clone, Copy)]
pub(crate) enum Client {
    /// A session of Claude Code, which connects in the background.
    ClaudeCode,
    /// One run of the Inspector's command line.
    Inspector,
    /// A TypeScript library, by the key of its peer.
    TypeScript(&'static str),
    /// A Python library, by the key of its peer.
    Python(&'static str),
}

/// What a client saw.
#[derive(Deserialize)]
pub(crate) struct Look {
    /// Seconds until the handshake was done, if the client reports that.
    pub(crate) connected: Option<f64>,
    /// Seconds until the client had the list.
    pub(crate) listed: f64,
    /// The names of the tools.
    pub(crate) tools: Vec<String>,
}

impl Client {
    /// All clients of the trial.
    pub(crate) const ALL: [Self; 6] = [
        Self::ClaudeCode,
        Self::Inspector,
        Self::Python("fastmcp"),
        Self::Python("mcp"),
        Self::TypeScript("sdk"),
        Self::TypeScript("client"),
    ];

    /// The name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Inspector => "Inspector",
            Self::Python("fastmcp") => "FastMCP",
            Self::Python(_) => "Python SDK",
            Self::TypeScript("sdk") => "TypeScript SDK 1.x",
            Self::TypeScript(_) => "TypeScript SDK 2.x",
        }
    }

    /// Connects to `hobnob serve`, lists the tools, and ends.
    pub(crate) fn look(self, home: &Home, peers: &Roster) -> anyhow::Result<Look> {
        let ready = |key: &str| peers.ready(key).map_err(anyhow::Error::msg);
        match self {
            Self::ClaudeCode => claude(home, &ready("claude-code")?.1.join(CLAUDE)),
            Self::Inspector => {
                let (node, folder) = ready("inspector")?;
                inspector(home, node, &folder.join("node_modules/.bin/mcp-inspector"))
            }
            Self::TypeScript(library) => {
                let (node, folder) = ready(library)?;
                let script = written(home, "look.mjs", TYPESCRIPT)?;
                let text = home.bounded(node, LIMIT, |command| {
                    command.arg(script).arg(library).arg(home.program()).arg("serve");
                    command.env("PEER_HOME", folder);
                })?;
                read(&text)
            }
            Self::Python(library) => {
                let (_, folder) = ready(library)?;
                let script = written(home, "look.py", PYTHON)?;
                let text = home.bounded(&folder.join("venv/bin/python"), LIMIT, |command| {
                    command.arg(script).arg(library).arg(home.program()).arg("serve");
                })?;
                read(&text)
            }
        }
    }
}

/// Writes one of our scripts to a file.
fn written(home: &Home, name: &str, text: &str) -> anyhow::Result<PathBuf> {
    let file = home.folder().join(name);
    std::fs::write(&file, text)?;
    Ok(file)
}

fn read(text: &str) -> anyhow::Result<Look> {
    let last = text.lines().next_back().context("the client printed nothing")?;
    serde_json::from_str(last).with_context(|| format!("not what a client saw: {last}"))
}

fn names(tools: &Value) -> Option<Vec<String>> {
    let name = |tool: &Value| Some(tool.as_str().or_else(|| tool["name"].as_str())?.to_owned());
    tools.as_array()?.iter().map(name).collect()
}

fn inspector(home: &Home, node: &Path, program: &Path) -> anyhow::Result<Look> {
    let begun = Instant::now();
    let text = home.bounded(node, LIMIT, |command| {
        command.arg(program).arg("--cli").arg(home.program()).arg("serve");
        command.args(["--method", "tools/list", "--format", "json", "--quiet"]);
    })?;
    let listed = begun.elapsed().as_secs_f64();
    let seen: Value = serde_json::from_str(&text).context("the Inspector printed no JSON")?;
    let tools = names(&seen["result"]["tools"]).context("the Inspector has no tools")?;
    Ok(Look { connected: None, listed, tools })
}

/// Starts a session, queries the state of its servers until it is final, and ends the session. No
/// model is asked anything.
fn claude(home: &Home, program: &Path) -> anyhow::Result<Look> {
    if !home.folder().join(".claude.json").exists() {
        home.bounded(program, LIMIT, |command| {
            command.args(["mcp", "add", "--scope", "user", "hobnob", "--"]);
            command.arg(home.program()).arg("serve");
        })?;
    }
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", &LIMIT.as_secs().to_string()]).arg(program);
    home.confine(&mut command);
    command.args(["-p", "--verbose", "--input-format=stream-json", "--output-format=stream-json"]);
    // No server answers there, and the session ends before that matters.
    command.env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9").env("ANTHROPIC_API_KEY", "none");
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    let begun = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let state = final_state(&mut child);
    let listed = begun.elapsed().as_secs_f64();
    // `timeout` passes the signal on, and exits after the session.
    drop(Command::new("kill").arg(child.id().to_string()).status());
    child.wait()?;
    let state = state?;
    anyhow::ensure!(state["status"] == "connected", "Claude Code says of the hub: {state}");
    let tools = names(&state["tools"]).context("Claude Code has no tools")?;
    Ok(Look { connected: None, listed, tools })
}

/// A session's report on its server, once it has connected or given up.
fn final_state(session: &mut Child) -> anyhow::Result<Value> {
    let mut input = session.stdin.take().context("the session has no input")?;
    let output = session.stdout.take().context("the session has no output")?;
    let mut ask = |what: &str| {
        let request = json!({"type": "control_request", "request_id": what,
            "request": {"subtype": what}});
        writeln!(input, "{request}")
    };
    ask("initialize")?;
    for line in BufReader::new(output).lines() {
        let mut said: Value = serde_json::from_str(&line?)?;
        if said["type"] != "control_response" {
            continue;
        }
        let state = said.pointer_mut("/response/response/mcpServers/0");
        if let Some(state) = state.filter(|state| state["status"] != "pending") {
            return Ok(state.take());
        }
        thread::sleep(POLL_INTERVAL);
        ask("mcp_status")?;
    }
    anyhow::bail!("Claude Code ended before it had connected")
}

//! One published server, started once and asked for all its tools; `record` calls it.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::mcp_pipe::McpPipe;

/// The time limit for one answer; some servers load hundreds of modules first.
const LIMIT: Duration = Duration::from_secs(60);

/// The part of a `.mcp.json` entry that describes a process.
#[derive(Deserialize)]
pub(crate) struct StartCommand {
    command: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
}

/// Starts a server in that folder, which is also its home, with nothing of the person who records,
/// and returns all tools that it lists, from all pages.
pub(crate) fn tools(start: &StartCommand, folder: &Path, log: &Path) -> anyhow::Result<Vec<Value>> {
    let mut command = Command::new(&start.command);
    command.args(&start.args).env_clear().env("HOME", folder).current_dir(folder);
    for name in ["PATH", "LANG", "TMPDIR"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(&start.env);
    let mut server = McpPipe::start(&mut command, File::create(log)?, "record", LIMIT)?;
    let (mut tools, mut params) = (Vec::new(), json!({}));
    loop {
        let page = server.ask("tools/list", &params, LIMIT)?;
        tools.extend(page["tools"].as_array().context("a page without tools")?.iter().cloned());
        match page["nextCursor"].as_str() {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return Ok(tools),
        }
    }
}

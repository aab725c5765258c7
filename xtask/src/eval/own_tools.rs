//! Writes Hobnob's own tools to `own.jsonl`, beside the recorded ones: the tools of a hub with all
//! services enabled.
//!
//! `command` calls it. Invariant: the hub has a home of its own, and the file has no data of the
//! person who records it.

use std::fs;
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use super::record::kept;
use crate::process::{quiet, step};
use crate::workspace::Workspace;

/// The server name of Hobnob's own tools in queries.
const SERVER: &str = "hobnob";

/// Services that act on the machine; they are off until a person enables them.
const SERVICES: &[&str] = &["agents", "files", "logs", "registry", "shell"];

/// Builds the program and writes the file.
pub(crate) fn record(workspace: &Workspace) -> anyhow::Result<()> {
    step("build hobnob", &mut workspace.cargo(["build", "--quiet", "-p", "hobnob"]))?;
    let home = workspace.trial().join("own");
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    for folder in ["state", "granted"] {
        fs::create_dir_all(home.join(folder))?;
    }
    fs::write(home.join("state/owner-secret"), SERVER)?;
    let hobnob = |arguments: &[&str]| {
        let mut command = Command::new(workspace.built("hobnob"));
        command.args(arguments).current_dir(&home).env("HOBNOB_HOME", &home);
        quiet(command.env("HOBNOB_OWNER_SECRET", SERVER))
    };
    for service in SERVICES {
        hobnob(&["enable", service])?;
    }
    // Without a granted folder, the service lists no tools.
    hobnob(&["grant", "files", "granted", "--write"])?;
    let listed = hobnob(&["tools", "--json", "--schema"])?;
    let listed: Value = serde_json::from_str(&listed)?;
    let mut lines = String::new();
    for tool in listed["tools"].as_array().context("a list without tools")? {
        lines += &serde_json::to_string(&kept(SERVER, tool))?;
        lines.push('\n');
    }
    Ok(fs::write(workspace.root.join("eval/tools/own.jsonl"), lines)?)
}

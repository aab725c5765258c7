//! An empty home for the trial, with the servers in the hub's configuration.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Map, Value, json};

use super::roster::Entry;
use crate::peers::Roster;
use crate::process::quiet;

/// The name of the server that changes one of its tools on request.
pub(crate) const CHANGING: &str = "changing";

const CHANGING_SOURCE: &str = include_str!("../../trial/changing.py");

/// How the hub of a trial is configured.
#[derive(Clone, Copy)]
pub(crate) enum Setup {
    /// Each start of the hub starts every server, including ours that changes a tool; the first
    /// list waits this long for all of them.
    Eager { first_list_wait: Duration },
    /// A user's default: a server starts when a call or an unknown list needs it.
    Unchanged,
}

/// The folders of one trial.
pub(crate) struct Home {
    folder: PathBuf,
    /// The hub's program, at a path that no other hub of this machine has.
    program: PathBuf,
}

impl Home {
    /// Makes the home anew, with everything that the hub and the servers need.
    pub(crate) fn new(
        folder: PathBuf,
        program: &Path,
        entries: &[Entry],
        roster: &Roster,
        setup: Setup,
    ) -> anyhow::Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot clear {}", folder.display()))?;
        }
        let home = Self { program: folder.join("program/hobnob"), folder };
        for folder in [home.settings(), home.project(), home.folder.join("program")] {
            fs::create_dir_all(&folder)?;
        }
        fs::hard_link(program, &home.program)
            .or_else(|_| fs::copy(program, &home.program).map(drop))
            .with_context(|| format!("cannot copy {}", program.display()))?;
        quiet(Command::new("git").args(["init", "--quiet"]).current_dir(home.project()))?;
        let mut servers = Map::new();
        for entry in entries.iter().filter(|entry| roster.installed.contains_key(entry.name)) {
            let mut configuration = entry.configuration(roster, &home.project())?;
            if let Setup::Eager { .. } = setup {
                // Each start must show the same tools, so each start of the hub starts all servers.
                configuration["start"] = json!("eager");
            }
            servers.insert(entry.name.into(), configuration);
        }
        // Lists all tools instead of the tools that search for them.
        let mut gateway = String::from("[gateway]\ntool_search = \"never\"\n");
        if let Setup::Eager { first_list_wait } = setup {
            fs::write(home.folder.join("changing.py"), CHANGING_SOURCE)?;
            let args = json!([home.folder.join("changing.py"), home.switch()]);
            let changing = json!({"command": "python3", "args": args, "start": "eager"});
            servers.insert(CHANGING.into(), changing);
            let seconds = first_list_wait.as_secs();
            gateway.push_str(&format!("first_list_wait = \"{seconds}s\"\n"));
            // The next start would find a hub that outlived its client.
            gateway.push_str("background_hub = \"off\"\n");
        }
        let servers = json!({"mcpServers": servers});
        fs::write(home.settings().join("mcp.json"), serde_json::to_string_pretty(&servers)?)?;
        let allow = "\n[[permissions]]\ntool = \"mcp__*\"\naction = \"allow\"\n";
        fs::write(home.settings().join("config.toml"), gateway + allow)?;
        Ok(home)
    }

    /// The folder that `HOME` names.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The hub's program, at its path in this home.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// The folder that servers are started in.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// The file that the hub logs to.
    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("hub.log")
    }

    /// Makes the server named [`CHANGING`] change its tool.
    pub(crate) fn change_tool(&self) -> anyhow::Result<()> {
        fs::write(self.switch(), "changed").context("the switch cannot be written")
    }

    /// The hub's program in this home, with nothing of the person who runs the trial.
    pub(crate) fn hobnob(&self) -> Command {
        let mut command = Command::new(&self.program);
        self.confine(&mut command);
        command
    }

    /// Runs a command of the hub and returns its JSON; fails after the time limit.
    pub(crate) fn asked(&self, words: &[&str], limit: Duration) -> anyhow::Result<Value> {
        let text = self.bounded(&self.program, limit, |command| {
            command.arg("--json").args(words);
        })?;
        serde_json::from_str(&text).with_context(|| format!("{words:?} printed no JSON"))
    }

    /// Runs a program in this home and returns its output; kills it after the time limit.
    pub(crate) fn bounded(
        &self,
        program: &Path,
        limit: Duration,
        arguments: impl FnOnce(&mut Command),
    ) -> anyhow::Result<String> {
        let mut command = Command::new("timeout");
        command.args(["--kill-after=10", &limit.as_secs().to_string()]).arg(program);
        self.confine(&mut command);
        arguments(&mut command);
        quiet(&mut command)
    }

    /// Confines a program to this home, with nothing of the person who runs the trial.
    pub(crate) fn confine(&self, command: &mut Command) {
        command.env_clear().env("HOME", &self.folder).current_dir(self.project());
        for name in ["PATH", "LANG", "TMPDIR"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
    }

    fn settings(&self) -> PathBuf {
        self.folder.join(".config/hobnob")
    }

    fn switch(&self) -> PathBuf {
        self.folder.join("switch")
    }
}

/// Whether a value of the status is a list that is not empty.
pub(crate) fn is_filled(value: &Value) -> bool {
    value.as_array().is_some_and(|list| !list.is_empty())
}

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

/// How the hub of a trial is set up.
#[derive(Clone, Copy)]
pub(crate) enum Setup {
    /// Each start of the hub starts every server, and one of ours that changes a tool; the first list
    /// waits this long for all of them.
    Eager { first_list_wait: Duration },
    /// As a user has it who has changed nothing: servers start when a call or an unknown list needs them.
    Unchanged,
}

/// The folders of one trial.
pub(crate) struct Home {
    folder: PathBuf,
    /// The hub's program, at a path that no other hub of this machine has.
    program: PathBuf,
}

impl Home {
    /// Makes it anew, with everything in it that the hub and the servers need.
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
                // Each start must show the same tools, so each start of the hub starts all of them.
                configuration["start"] = json!("eager");
            }
            servers.insert(entry.name.into(), configuration);
        }
        // All tools are to be seen, not those that search them.
        let mut gateway = String::from("[gateway]\ntool_search = \"never\"\n");
        if let Setup::Eager { first_list_wait } = setup {
            fs::write(home.folder.join("changing.py"), CHANGING_SOURCE)?;
            let args = json!([home.folder.join("changing.py"), home.switch()]);
            let changing = json!({"command": "python3", "args": args, "start": "eager"});
            servers.insert(CHANGING.into(), changing);
            let seconds = first_list_wait.as_secs();
            gateway.push_str(&format!("first_list_wait = \"{seconds}s\"\n"));
            // A hub that outlived its client would be what the next start finds.
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

    /// Has the server of that name change its tool.
    pub(crate) fn change_tool(&self) -> anyhow::Result<()> {
        fs::write(self.switch(), "changed").context("the switch cannot be written")
    }

    /// The hub's program, at home here and without anything of the person who runs the trial.
    pub(crate) fn hobnob(&self) -> Command {
        let mut command = Command::new(&self.program);
        self.confine(&mut command);
        command
    }

    /// What a command of the hub prints as JSON, if it ends well within this time.
    pub(crate) fn asked(&self, words: &[&str], limit: Duration) -> anyhow::Result<Value> {
        let text = self.bounded(&self.program, limit, |command| {
            command.arg("--json").args(words);
        })?;
        serde_json::from_str(&text).with_context(|| format!("{words:?} printed no JSON"))
    }

    /// What a program prints that is at home here and is ended after this time.
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

    /// Runs a program at home here, without anything of the person who runs the trial.
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

/// Whether a value of the status counts as a list with something in it.
pub(crate) fn is_filled(value: &Value) -> bool {
    value.as_array().is_some_and(|list| !list.is_empty())
}

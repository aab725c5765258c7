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

/// The folders of one trial.
pub(crate) struct Home {
    folder: PathBuf,
}

impl Home {
    /// Makes it anew, with everything in it that the hub and the servers need.
    pub(crate) fn new(
        folder: PathBuf,
        entries: &[Entry],
        roster: &Roster,
        first_list_wait: Duration,
    ) -> anyhow::Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot clear {}", folder.display()))?;
        }
        let home = Self { folder };
        for folder in [home.settings(), home.project()] {
            fs::create_dir_all(&folder)?;
        }
        quiet(Command::new("git").args(["init", "--quiet"]).current_dir(home.project()))?;
        let mut servers = Map::new();
        for entry in entries.iter().filter(|entry| roster.installed.contains_key(entry.name)) {
            servers.insert(entry.name.into(), entry.configuration(roster, &home.project())?);
        }
        fs::write(home.folder.join("changing.py"), CHANGING_SOURCE)?;
        let args = json!([home.folder.join("changing.py"), home.switch()]);
        let changing = json!({"command": "python3", "args": args, "start": "eager"});
        servers.insert(CHANGING.into(), changing);
        let servers = json!({"mcpServers": servers});
        fs::write(home.settings().join("mcp.json"), serde_json::to_string_pretty(&servers)?)?;
        let settings = format!(
            "[gateway]\nfirst_list_wait = \"{}s\"\ntool_search = \"never\"\n\n[[permissions]]\ntool = \"mcp__*\"\naction = \"allow\"\n",
            first_list_wait.as_secs()
        );
        fs::write(home.settings().join("config.toml"), settings)?;
        Ok(home)
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
    pub(crate) fn hobnob(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.folder).current_dir(self.project());
        for name in ["PATH", "LANG", "TMPDIR"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
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

//! Our client under test: one process of the suite and one of the fixture per scenario.
//!
//! When a suite runs many scenarios at once, it ignores the client's exit code and distorts
//! scenarios that measure time. One at a time, the exit code is part of the verdict.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::results::{self, Scenario};
use crate::process::Companion;
use crate::workspace::Workspace;

/// The client's time limit in milliseconds. The slowest scenario waits half a second.
const TIMEOUT_MILLISECONDS: &str = "30000";
/// The time limit for the suite around it.
const LIMIT: Duration = Duration::from_secs(60);

/// One suite, ready to run scenarios of one revision.
pub(crate) struct ClientRun<'a> {
    pub(crate) node: &'a Path,
    pub(crate) program: &'a Path,
    /// `None` if the scenarios belong to no revision, or to several.
    pub(crate) revision: Option<&'a str>,
    /// The folder for results, with a subfolder per scenario.
    pub(crate) output: &'a Path,
}

/// The fixture as a shell command line, as the suites require.
pub(crate) fn command(workspace: &Workspace) -> anyhow::Result<String> {
    let program = workspace.built("conformance-client");
    anyhow::ensure!(program.exists(), "{} is not built", program.display());
    Ok(format!("\"{}\"", program.display()))
}

impl ClientRun<'_> {
    /// Runs scenarios one after another.
    pub(crate) fn all(&self, command: &str, names: &[&str]) -> anyhow::Result<Vec<Scenario>> {
        names.iter().map(|name| self.one(command, name)).collect()
    }

    fn one(&self, command: &str, name: &str) -> anyhow::Result<Scenario> {
        let folder = self.output.join(name.replace('/', "-"));
        fs::create_dir_all(&folder)?;
        let log = folder.join("output.txt");
        let mut suite = Command::new(self.node);
        suite
            .arg(self.program)
            .args(["client", "--command", command, "--scenario", name])
            .args(["--timeout", TIMEOUT_MILLISECONDS, "-o"])
            .arg(&folder)
            .args(self.revision.iter().flat_map(|revision| ["--spec-version", revision]));
        let ended = Companion::start(&mut suite, &log)?.finish(LIMIT);
        let mut scenario = results::read_one(name, &folder)?;
        // What the checks do not report: a wrong exit code, a timeout, a warning.
        let verdict = match ended {
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("the suite says so ({status})")),
            Err(error) => Some(format!("the suite is {error}")),
        };
        if let Some(verdict) = verdict.filter(|_| scenario.failures.is_empty()) {
            scenario.failures.push(format!("{verdict}: see {}", log.display()));
        }
        Ok(scenario)
    }
}

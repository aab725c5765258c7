//! Our authorization server under test: one fixture is the server, plays the person with the
//! browser, and starts the suite.
//!
//! The suite's exit code counts too: it reports warnings, which are not among the failed checks.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::results::{self, Scenario};
use crate::process::Companion;
use crate::workspace::Workspace;

/// How long the fixture may take; its own limit is shorter.
const LIMIT: Duration = Duration::from_secs(90);

/// Runs the suite's scenarios for authorization servers.
pub(crate) fn run(
    workspace: &Workspace,
    node: &Path,
    program: &Path,
    output: &Path,
) -> anyhow::Result<Vec<Scenario>> {
    let fixture = workspace.built("conformance-authorization");
    anyhow::ensure!(fixture.exists(), "{} is not built", fixture.display());
    let log = output.join("output.txt");
    let mut command = Command::new(fixture);
    command.arg(node).arg(program).arg(output);
    let ended = Companion::start(&mut command, &log)?.finish(LIMIT);
    let verdict = match ended {
        Ok(status) if status.success() => None,
        Ok(status) => Some(format!("the suite says so ({status})")),
        Err(error) => Some(format!("the suite is {error}")),
    };
    let mut scenarios = results::read(output, "authorization-server-")?;
    for scenario in &mut scenarios {
        // This suite passes with warnings; here they count as failures.
        scenario.failures.append(&mut scenario.warnings);
        let unexplained = verdict.as_ref().filter(|_| scenario.failures.is_empty());
        scenario.failures.extend(unexplained.map(|why| format!("{why}: see {}", log.display())));
    }
    Ok(scenarios)
}

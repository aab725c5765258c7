//! The command itself: install, start, run each suite, print the table, judge it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, anyhow};

use super::floors::{Floors, Tally};
use super::results::{self, Scenario};
use super::server;
use super::suites::{SUITES, Suite};
use crate::peers::{self, Roster};
use crate::process::{Companion, quiet, step};
use crate::workspace::Workspace;

/// How long one suite may take. They end within seconds unless the server hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// What `cargo xtask conformance` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only this suite; may be given more than once.
    #[arg(long, value_parser = SUITES.iter().map(|suite| suite.name).collect::<Vec<_>>())]
    suite: Vec<String>,
    /// Use the fixture server as it was last built.
    #[arg(long)]
    no_build: bool,
    /// Make what is measured now the floor for later runs.
    #[arg(long)]
    update: bool,
}

/// One line of the table.
struct Row {
    name: String,
    tally: Tally,
    scenarios: usize,
    checks: usize,
    required: Option<usize>,
}

/// Runs the suites; a suite that cannot be installed is an error here.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    if !args.no_build {
        // The same selection as the tests build, so that neither rebuilds the other's units.
        let build = ["build", "--workspace", "--all-targets"];
        step("build", &mut workspace.cargo(build))?;
    }
    let chosen =
        |suite: &&Suite| args.suite.is_empty() || args.suite.iter().any(|it| it == suite.name);
    let suites: Vec<_> = SUITES.iter().filter(chosen).collect();
    let roster = install(&workspace, &suites)?;
    anyhow::ensure!(roster.missing.is_empty(), "cannot install: {:?}", roster.missing);
    let rows = measure(&workspace, &roster, &suites)?;
    let mut floors = Floors::load(&workspace.root)?;
    if args.update {
        let measured: Vec<_> = rows.iter().map(|row| (row.name.clone(), row.tally)).collect();
        floors.update(&workspace.root, &measured)?;
    }
    judge(&rows, &floors)
}

/// Runs the suites that are here, as the last part of `cargo xtask test`, on programs already
/// built; its caller names the others.
pub(crate) fn run_built(workspace: &Workspace, roster: &Roster) -> anyhow::Result<()> {
    let here: Vec<_> = SUITES.iter().filter(|it| roster.ready(it.peer.key).is_ok()).collect();
    if here.is_empty() {
        return Ok(());
    }
    let rows = measure(workspace, roster, &here)?;
    judge(&rows, &Floors::load(&workspace.root)?)
}

fn install(workspace: &Workspace, suites: &[&Suite]) -> anyhow::Result<Roster> {
    let mut wanted: Vec<_> = suites.iter().map(|suite| suite.peer).collect();
    wanted.dedup_by_key(|peer| peer.key);
    peers::install(&workspace.peers(), &wanted)
}

fn measure(workspace: &Workspace, roster: &Roster, suites: &[&Suite]) -> anyhow::Result<Vec<Row>> {
    eprintln!("\n▶ conformance");
    let server = server::start(workspace)?;
    let mut rows = Vec::new();
    for suite in suites {
        let (node, home) = roster.ready(suite.peer.key).map_err(|reason| anyhow!(reason))?;
        let program = home.join("node_modules/.bin/conformance");
        let output = workspace.peers().join("results").join(suite.name);
        run_suite(suite, node, &program, &server.url, &output)?;
        let listing = match suite.select {
            ["--requirements", revision] => {
                let mut list = Command::new(node);
                list.arg(&program).args(["list", "--server", "--requirements", revision]);
                quiet(&mut list)?
            }
            _ => String::new(),
        };
        rows.extend(tabulate(suite, &results::read(&output)?, &listing));
    }
    Ok(rows)
}

/// Runs one suite into an empty folder. Its exit code only repeats what the folder says.
fn run_suite(
    suite: &Suite,
    node: &Path,
    program: &Path,
    url: &str,
    output: &Path,
) -> anyhow::Result<()> {
    if output.exists() {
        fs::remove_dir_all(output).with_context(|| format!("cannot clear {}", output.display()))?;
    }
    fs::create_dir_all(output)?;
    let mut command = Command::new(node);
    command.arg(program).args(["server", "--url", url, "-o"]).arg(output).args(suite.select);
    let log = output.join("output.txt");
    Companion::start(&mut command, &log)?
        .finish(LIMIT)
        .with_context(|| format!("suite {}: see {}", suite.name, log.display()))?;
    Ok(())
}

/// The scored scenarios as one row, the others as a second; what went wrong is said at once.
fn tabulate(suite: &Suite, scenarios: &[Scenario], listing: &str) -> Vec<Row> {
    let unscored = results::unscored(listing);
    let (extra, scored): (Vec<_>, Vec<_>) =
        scenarios.iter().partition(|scenario| unscored.contains(scenario.name.as_str()));
    let mut rows = vec![row(suite.name.into(), &scored, Some(suite.required))];
    if !extra.is_empty() {
        rows.push(row(format!("{} not scored", suite.name), &extra, None));
    }
    rows
}

fn row(name: String, scenarios: &[&Scenario], required: Option<usize>) -> Row {
    for scenario in scenarios {
        if scenario.total() == 0 {
            eprintln!("  {name} / {}: NO CHECKS", scenario.name);
        }
        for failure in &scenario.failures {
            eprintln!("  {name} / {}: failed {failure}", scenario.name);
        }
        for warning in &scenario.warnings {
            eprintln!("  {name} / {}: warning {warning}", scenario.name);
        }
    }
    let tally = Tally {
        scenarios: scenarios.iter().filter(|scenario| scenario.holds()).count(),
        checks: scenarios.iter().map(|scenario| scenario.passed).sum(),
    };
    let checks = scenarios.iter().map(|scenario| scenario.total()).sum();
    Row { name, tally, scenarios: scenarios.len(), checks, required }
}

fn judge(rows: &[Row], floors: &Floors) -> anyhow::Result<()> {
    println!("\n{:<24}{:>12}{:>12}{:>9}", "suite", "scenarios", "checks", "target");
    let mut complaints = Vec::new();
    for row in rows {
        let scenarios = format!("{}/{}", row.tally.scenarios, row.scenarios);
        let checks = format!("{}/{}", row.tally.checks, row.checks);
        let target = row.required.map_or_else(|| "-".into(), |it| it.to_string());
        println!("{:<24}{scenarios:>12}{checks:>12}{target:>9}", row.name);
        if let Some(required) = row.required.filter(|it| row.tally.scenarios < *it) {
            let passed = row.tally.scenarios;
            complaints.push(format!("{}: {passed} of {required} scenarios", row.name));
        }
        complaints.extend(floors.complaint(&row.name, row.tally));
    }
    anyhow::ensure!(complaints.is_empty(), "below the target:\n  {}", complaints.join("\n  "));
    Ok(())
}

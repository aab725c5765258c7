//! The command: installs, starts and runs each suite, prints the table, judges it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, anyhow};

use super::authorization;
use super::client::{self, ClientRun};
use super::floors::Floors;
use super::results;
use super::server;
use super::suites::{Part, SUITES, Side, Suite};
use super::table::{Row, judge};
use crate::peers::{self, Roster};
use crate::process::{Companion, quiet, step};
use crate::workspace::Workspace;

/// The time limit for one suite. A suite takes seconds unless the server hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// The arguments of `cargo xtask conformance`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only this suite; may be given more than once.
    #[arg(long, value_parser = SUITES.iter().map(|suite| suite.name).collect::<Vec<_>>())]
    suite: Vec<String>,
    /// Run only the suites for one side.
    #[arg(long, value_enum)]
    side: Option<Side>,
    /// Use the fixtures of the last build.
    #[arg(long)]
    no_build: bool,
    /// Make the current results the floors for later runs.
    #[arg(long)]
    update: bool,
}

/// Runs the suites; here, a suite that cannot be installed is an error.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    if !args.no_build {
        // The same selection as the tests build, so that neither rebuilds the other's units.
        let build = ["build", "--workspace", "--all-targets"];
        step("build", &mut workspace.cargo(build))?;
    }
    let named =
        |suite: &&Suite| args.suite.is_empty() || args.suite.iter().any(|it| it == suite.name);
    let on_side = |suite: &&Suite| args.side.is_none_or(|side| side == suite.side());
    let suites: Vec<_> = SUITES.iter().filter(named).filter(on_side).collect();
    anyhow::ensure!(!suites.is_empty(), "no suite has that name and is for that side");
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

/// Runs the installed suites on programs already built, as the last part of `cargo xtask test`. The
/// caller reports the missing suites.
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
    wanted.sort_by_key(|peer| peer.key);
    wanted.dedup_by_key(|peer| peer.key);
    peers::install(&workspace.peers(), &wanted)
}

/// Runs one server for all server suites, and one client per scenario for the others.
fn measure(workspace: &Workspace, roster: &Roster, suites: &[&Suite]) -> anyhow::Result<Vec<Row>> {
    let mut server = None;
    let mut rows = Vec::new();
    for suite in suites {
        let (node, home) = roster.ready(suite.peer.key).map_err(|reason| anyhow!(reason))?;
        let program = home.join("node_modules/.bin/conformance");
        let output = workspace.peers().join("results").join(suite.name);
        eprintln!("\n▶ conformance {}", suite.name);
        clear(&output)?;
        match &suite.part {
            Part::Server { select, required } => {
                let running = match server.take() {
                    Some(running) => running,
                    None => server::start(workspace)?,
                };
                let url = &server.insert(running).url;
                let run = ServerRun { node, program: &program, select, output: &output };
                rows.extend(run.rows(suite.name, url, *required)?);
            }
            Part::Authorization { required } => {
                let scenarios = authorization::run(workspace, node, &program, &output)?;
                let all: Vec<_> = scenarios.iter().collect();
                rows.push(Row::new(suite.name.into(), &all, Some(*required)));
            }
            Part::Client { revision, scored, unscored } => {
                let revision = *revision;
                let run = ClientRun { node, program: &program, revision, output: &output };
                let command = client::command(workspace)?;
                let scored = scored.concat();
                let passed = run.all(&command, &scored)?;
                let scenarios: Vec<_> = passed.iter().collect();
                rows.push(Row::new(suite.name.into(), &scenarios, Some(scored.len())));
                let extra = run.all(&command, unscored)?;
                rows.extend(Row::unscored(suite.name, &extra.iter().collect::<Vec<_>>()));
            }
        }
    }
    Ok(rows)
}

fn clear(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

/// One suite, ready to run its server scenarios.
struct ServerRun<'a> {
    node: &'a Path,
    program: &'a Path,
    select: &'a [&'static str; 2],
    output: &'a Path,
}

impl ServerRun<'_> {
    /// One row for the scored scenarios and one for the others. The suite's exit code is ignored:
    /// it only repeats what the results say.
    fn rows(&self, suite: &str, url: &str, required: usize) -> anyhow::Result<Vec<Row>> {
        let mut command = Command::new(self.node);
        command.arg(self.program).args(["server", "--url", url, "-o"]).arg(self.output);
        command.args(self.select);
        let log = self.output.join("output.txt");
        Companion::start(&mut command, &log)?
            .finish(LIMIT)
            .with_context(|| format!("suite {suite}: see {}", log.display()))?;

        let listing = self.listing()?;
        let unscored = results::unscored(&listing);
        let scenarios = results::read(self.output, "server-")?;
        let (extra, scored): (Vec<_>, Vec<_>) =
            scenarios.iter().partition(|it| unscored.contains(it.name.as_str()));
        let mut rows = vec![Row::new(suite.into(), &scored, Some(required))];
        rows.extend(Row::unscored(suite, &extra));
        Ok(rows)
    }

    /// The requirements of a revision, if the suite lists them.
    fn listing(&self) -> anyhow::Result<String> {
        let ["--requirements", revision] = self.select else { return Ok(String::new()) };
        let mut list = Command::new(self.node);
        list.arg(self.program).args(["list", "--server", "--requirements", revision]);
        quiet(&mut list)
    }
}

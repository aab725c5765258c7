//! `cargo xtask test`: every test, in one command.
//!
//! It builds once, runs the workspace's tests with the installed peers, then the conformance
//! suites. Peers are installed while other steps compile: one waits for the network, the others for
//! the processor. The end of the run reports everything that was left out.

use std::process::Command;
use std::thread::{Scope, available_parallelism, scope};

use anyhow::Context;

use crate::journal::Journal;
use crate::peers::Roster;
use crate::process::{Pending, finish, quiet, step};
use crate::timetable::Timetable;
use crate::workspace::Workspace;
use crate::{conformance, journal, peers};

/// The release of the test runner that works with this workspace.
const NEXTEST: &str = "0.9.143";

/// The arguments of `cargo xtask test`.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Leave out other projects' clients and the conformance suites.
    #[arg(long)]
    fast: bool,
}

/// Runs all tests, and prints how long each part took.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let mut timetable = Timetable::default();
    let outcome = scope(|scope| {
        let peers = (!args.fast).then(|| install_peers(scope, &workspace));
        run_with(peers, &workspace, &mut timetable)
    });
    eprintln!("\n{timetable}");
    outcome
}

/// Starts to install everything that tests run against.
pub(crate) fn install_peers<'scope>(
    scope: &'scope Scope<'scope, '_>,
    workspace: &'scope Workspace,
) -> Pending<'scope, Roster> {
    scope.spawn(|| peers::install_all(workspace))
}

/// Runs all tests as steps of a longer command, once the peers are installed; without peers, runs
/// only our own tests.
pub(crate) fn run_with(
    peers: Option<Pending<'_, Roster>>,
    workspace: &Workspace,
    timetable: &mut Timetable,
) -> anyhow::Result<()> {
    // `--all-targets` resolves features as the tests do, so the programs that conformance starts
    // are built from the same units and nothing is compiled twice.
    timetable.step("build", &mut workspace.cargo(["build", "--workspace", "--all-targets"]))?;
    let mut tests = timetable.time("find the test runner", || Ok(runner(workspace)))?;
    let roster = timetable.time("wait for the peers", || peers.map(finish).transpose())?;
    match &roster {
        // The tests with peers would otherwise print the output of every passing test.
        Some(_) => {
            tests.env("HOBNOB_PEERS", workspace.peers()).env("NEXTEST_SUCCESS_OUTPUT", "never")
        }
        None => tests.env_remove("HOBNOB_PEERS"),
    };
    let journal = match &roster {
        Some(_) => timetable.time("systemd-journal-remote", || Ok(journal::ensure()))?,
        None => Journal::LeftOut,
    };
    match journal {
        // With this variable, a test that skips the journal fails.
        Journal::Installed => tests.env(journal::REQUIRED.0, journal::REQUIRED.1),
        Journal::LeftOut => tests.env_remove(journal::REQUIRED.0),
    };
    timetable.step("tests", &mut tests)?;
    let examples = ["test", "--workspace", "--doc"];
    timetable.step("examples in the documentation", &mut workspace.cargo(examples))?;

    let Some(roster) = roster else {
        eprintln!("\n!! --fast: other people's clients and the conformance suites were left out");
        return Ok(());
    };
    let outcome = timetable.time("conformance", || conformance::run_built(workspace, &roster));
    roster.warn();
    if journal == Journal::LeftOut {
        eprintln!("\n!! systemd-journal-remote cannot be had: tests of the journal were left out");
    }
    outcome.context("conformance")
}

/// Nextest, installed if necessary; plain `cargo test` if that fails.
fn runner(workspace: &Workspace) -> Command {
    let nextest = || quiet(&mut workspace.cargo(["nextest", "--version"])).is_ok();
    if !nextest() {
        let mut install =
            workspace.cargo(["install", "cargo-nextest", "--locked", "--version", NEXTEST]);
        if let Err(error) = step("cargo-nextest is missing: installing it", &mut install) {
            eprintln!("!! {error:#}");
        }
    }
    if nextest() {
        // Many tests wait for another process or a deadline, so running more tests than there are
        // cores takes less time.
        let threads = available_parallelism().map_or(2, |cores| 2 * cores.get()).to_string();
        return workspace.cargo(["nextest", "run", "--workspace", "--test-threads", &threads]);
    }
    eprintln!("!! cargo-nextest cannot be had: falling back to `cargo test`, without timeouts");
    workspace.cargo(["test", "--workspace", "--all-targets"])
}

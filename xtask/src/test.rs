//! `cargo xtask test`: everything that can fail, in one command.
//!
//! Builds once, runs the workspace's tests with the peers at hand, then the conformance suites.
//! What was left out is said at the end; it is never silent.

use std::process::Command;

use anyhow::Context;

use crate::process::{quiet, step};
use crate::timetable::Timetable;
use crate::workspace::Workspace;
use crate::{conformance, peers};

/// The runner's release that this workspace is known to work with.
const NEXTEST: &str = "0.9.143";

/// What `cargo xtask test` takes.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Leave out other people's clients and the conformance suites.
    #[arg(long)]
    fast: bool,
}

/// Runs all tests, and says how long each part took.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let mut timetable = Timetable::default();
    let outcome = run_in(args, &mut timetable);
    eprintln!("\n{timetable}");
    outcome
}

/// Runs all tests as steps of a longer command.
pub(crate) fn run_in(args: Args, timetable: &mut Timetable) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let roster = match args.fast {
        true => None,
        false => Some(timetable.time("peers", || peers::install_all(&workspace))?),
    };

    // `--all-targets` resolves features as the tests do, so the programs that conformance starts
    // are built from the same units and nothing is compiled a second time.
    timetable.step("build", &mut workspace.cargo(["build", "--workspace", "--all-targets"]))?;
    let mut tests = timetable.time("find the test runner", || Ok(runner(&workspace)))?;
    match &roster {
        // The clients' tests are run, so nothing need be said about those that pass.
        Some(_) => {
            tests.env("HOBNOB_PEERS", workspace.peers()).env("NEXTEST_SUCCESS_OUTPUT", "never")
        }
        None => tests.env_remove("HOBNOB_PEERS"),
    };
    timetable.step("tests", &mut tests)?;
    let examples = ["test", "--workspace", "--doc"];
    timetable.step("examples in the documentation", &mut workspace.cargo(examples))?;

    let Some(roster) = roster else {
        eprintln!("\n!! --fast: other people's clients and the conformance suites were left out");
        return Ok(());
    };
    let outcome = timetable.time("conformance", || conformance::run_built(&workspace, &roster));
    roster.warn();
    outcome.context("conformance")
}

/// Nextest, installed if need be; plain `cargo test` where it cannot be had.
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
        return workspace.cargo(["nextest", "run", "--workspace"]);
    }
    eprintln!("!! cargo-nextest cannot be had: falling back to `cargo test`, without timeouts");
    workspace.cargo(["test", "--workspace", "--all-targets"])
}

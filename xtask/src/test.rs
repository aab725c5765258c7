//! `cargo xtask test`: everything that can fail, in one command.
//!
//! Builds once, runs the workspace's tests with the peers at hand, then the conformance suites.
//! What was left out is said at the end; it is never silent.

use std::process::Command;

use anyhow::Context;

use crate::process::{quiet, step};
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

/// Runs all tests.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let roster = if args.fast { None } else { Some(peers::install_all(&workspace)?) };

    // `--all-targets` resolves features as the tests do, so the programs that conformance starts
    // are built from the same units and nothing is compiled a second time.
    step("build", &mut workspace.cargo(["build", "--workspace", "--all-targets"]))?;
    let mut tests = runner(&workspace);
    match &roster {
        // The clients' tests are run, so nothing need be said about those that pass.
        Some(_) => {
            tests.env("HOBNOB_PEERS", workspace.peers()).env("NEXTEST_SUCCESS_OUTPUT", "never")
        }
        None => tests.env_remove("HOBNOB_PEERS"),
    };
    step("tests", &mut tests)?;
    step("examples in the documentation", &mut workspace.cargo(["test", "--workspace", "--doc"]))?;

    let Some(roster) = roster else {
        eprintln!("\n!! --fast: other people's clients and the conformance suites were left out");
        return Ok(());
    };
    let outcome = conformance::run_built(&workspace, &roster);
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

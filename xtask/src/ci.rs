//! `cargo xtask ci`: what must hold before a change lands, cheapest checks first.
//!
//! One profile and one feature set throughout, so that on two cores the whole of it stays well
//! under half an hour.

use std::process::Command;

use anyhow::Context;

use crate::process::{quiet, step};
use crate::workspace::Workspace;
use crate::{test, tidy};

/// What `cargo xtask ci` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Install cargo-deny if it is missing, which takes a while, and run it.
    #[arg(long)]
    deny: bool,
}

/// Runs every check and stops at the first that fails.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    step("format", &mut workspace.cargo(["fmt", "--all", "--check"]))?;
    eprintln!("\n▶ tidy");
    tidy::run(tidy::Args::default())?;
    let ourselves = std::env::current_exe().context("cannot find this program")?;
    step("schema", Command::new(ourselves).arg("schema").current_dir(&workspace.root))?;

    let lint = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    step("clippy", &mut workspace.cargo(lint))?;
    let mut docs = workspace.cargo(["doc", "--workspace", "--no-deps"]);
    step("docs", docs.env("RUSTDOCFLAGS", "-D warnings"))?;
    let denied = deny(&workspace, args.deny)?;
    test::run(test::Args::default())?;

    if denied == Deny::Skipped {
        eprintln!(
            "\n!! SKIPPED: cargo-deny is not installed, so licences, advisories and bans were"
        );
        eprintln!("!! not checked. `cargo xtask ci --deny` installs and runs it.");
    }
    eprintln!("\n✓ everything holds");
    Ok(())
}

#[derive(PartialEq, Eq)]
enum Deny {
    Ran,
    Skipped,
}

fn deny(workspace: &Workspace, wanted: bool) -> anyhow::Result<Deny> {
    if quiet(&mut workspace.cargo(["deny", "--version"])).is_err() {
        if !wanted {
            return Ok(Deny::Skipped);
        }
        let mut install = workspace.cargo(["install", "cargo-deny", "--locked"]);
        step("cargo-deny is missing: installing it", &mut install)?;
    }
    step("deny", &mut workspace.cargo(["deny", "--workspace", "check"]))?;
    Ok(Deny::Ran)
}

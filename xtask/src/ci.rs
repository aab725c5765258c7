//! `cargo xtask ci`: everything that must hold before a change lands, cheapest checks first.
//!
//! One profile and feature set, so nothing is built twice; a table at the end has all durations.
//! says where the minutes went.

use std::process::Command;
use std::thread;

use anyhow::Context;

use crate::deny::{self, IfMissing};
use crate::page::{self, WithoutNpm};
use crate::process::{Pending, quiet};
use crate::timetable::Timetable;
use crate::workspace::Workspace;
use crate::{api, bench, beside, test, tidy};

/// The arguments of `cargo xtask ci`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Install cargo-deny if it is missing, which takes a while, and run it.
    #[arg(long)]
    deny: bool,
    /// Install valgrind with apt-get if it is missing, and always count instructions.
    #[arg(long)]
    valgrind: bool,
    /// Fail if `npm` or the packages that build the hub's page are missing.
    #[arg(long)]
    page: bool,
}

/// Runs all checks and stops at the first failure.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let mut timetable = Timetable::default();
    let outcome = check(args, &mut timetable);
    eprintln!("\n{timetable}");
    for line in outcome? {
        eprintln!("\n!! {line}");
    }
    eprintln!("\n✓ everything holds");
    Ok(())
}

/// Runs all checks; returns what could not be checked on this machine.
fn check(args: Args, timetable: &mut Timetable) -> anyhow::Result<Vec<String>> {
    let workspace = Workspace::load()?;
    thread::scope(|scope| {
        let peers = test::install_peers(scope, &workspace);
        let if_missing = if args.valgrind { IfMissing::Install } else { IfMissing::Skip };
        let counted = bench::build_servers(scope, &workspace, if_missing);
        let unchecked = check_sources(args, counted, &workspace, timetable)?;
        test::run_with(Some(peers), &workspace, timetable)?;
        beside::loom(&workspace, timetable)?;
        Ok(unchecked)
    })
}

/// The checks that need no tests.
fn check_sources(
    args: Args,
    counted: Option<Pending<'_, ()>>,
    workspace: &Workspace,
    timetable: &mut Timetable,
) -> anyhow::Result<Vec<String>> {
    beside::locks(workspace, timetable)?;
    timetable.step("format", &mut workspace.cargo(["fmt", "--all", "--check"]))?;
    beside::format(workspace, timetable)?;
    eprintln!("\n▶ tidy");
    timetable.time("tidy", || tidy::run(tidy::Args::default()))?;
    let ourselves = std::env::current_exe().context("cannot find this program")?;
    let mut schema = Command::new(ourselves);
    timetable.step("schema", schema.arg("schema").current_dir(&workspace.root))?;

    let lint = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    timetable.step("clippy", &mut workspace.cargo(lint))?;
    beside::lint(workspace, timetable)?;
    let mut docs = workspace.cargo(["doc", "--workspace", "--no-deps"]);
    timetable.step("docs", docs.env("RUSTDOCFLAGS", "-D warnings"))?;
    timetable.time("public items", || api::check(workspace))?;
    let if_missing = if args.deny { IfMissing::Install } else { IfMissing::Skip };
    let mut unchecked = deny::check(workspace, timetable, if_missing)?;
    unchecked.extend(bench::check(workspace, timetable, counted)?);
    unchecked.extend(older_compiler(workspace)?);
    let without_npm = if args.page { WithoutNpm::Fail } else { WithoutNpm::Report };
    unchecked.extend(page::check(workspace, timetable, without_npm)?);
    Ok(unchecked)
}

/// Reports when a newer compiler was used, which does not prove that the oldest promised one works.
fn older_compiler(workspace: &Workspace) -> anyhow::Result<Option<String>> {
    let ours = quiet(&mut workspace.cargo(["--version"]))?;
    let ours = ours.split_whitespace().nth(1).unwrap_or_default();
    let promised = workspace.rust_version().context("Cargo.toml has no `rust-version`")?;
    Ok((!ours.starts_with(&format!("{promised}."))).then(|| {
        format!("compiled with Rust {ours}: that {promised} will do, as promised, was not checked")
    }))
}

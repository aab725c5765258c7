//! `cargo xtask ci`: what must hold before a change lands, cheapest checks first.
//!
//! One profile and one feature set throughout, so that on two cores the whole of it stays under
//! twenty minutes from an empty target; the table at its end says where they went.

use std::process::Command;

use anyhow::Context;

use crate::deny::{self, IfMissing};
use crate::timetable::Timetable;
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
    let mut timetable = Timetable::default();
    let outcome = check(args, &mut timetable);
    eprintln!("\n{timetable}");
    for line in outcome? {
        eprintln!("\n!! {line}");
    }
    eprintln!("\n✓ everything holds");
    Ok(())
}

/// All checks; the lines name what could not be checked here.
fn check(args: Args, timetable: &mut Timetable) -> anyhow::Result<Vec<String>> {
    let workspace = Workspace::load()?;
    timetable.step("format", &mut workspace.cargo(["fmt", "--all", "--check"]))?;
    for apart in APART {
        let format = ["fmt", "--all", "--check", "--manifest-path", apart.manifest];
        timetable.step(apart.format, &mut workspace.cargo(format))?;
    }
    eprintln!("\n▶ tidy");
    timetable.time("tidy", || tidy::run(tidy::Args::default()))?;
    let ourselves = std::env::current_exe().context("cannot find this program")?;
    let mut schema = Command::new(ourselves);
    timetable.step("schema", schema.arg("schema").current_dir(&workspace.root))?;

    let lint = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    timetable.step("clippy", &mut workspace.cargo(lint))?;
    for apart in APART {
        lint_apart(&workspace, timetable, apart)?;
    }
    let mut docs = workspace.cargo(["doc", "--workspace", "--no-deps"]);
    timetable.step("docs", docs.env("RUSTDOCFLAGS", "-D warnings"))?;
    let if_missing = if args.deny { IfMissing::Install } else { IfMissing::Skip };
    let unchecked = deny::check(&workspace, timetable, if_missing)?;
    test::run_in(test::Args::default(), timetable)?;
    Ok(unchecked)
}

/// A workspace beside the product's.
struct Apart {
    manifest: &'static str,
    format: &'static str,
    lint: &'static str,
}

const APART: [&Apart; 2] = [
    &Apart { manifest: "bench/Cargo.toml", format: "format bench", lint: "clippy bench" },
    &Apart { manifest: "fuzz/Cargo.toml", format: "format fuzz", lint: "clippy fuzz" },
];

/// Lints in the product's target folder, where most of what it needs is compiled already. Nothing
/// is linked, so the fuzz targets need neither a nightly compiler nor libFuzzer, which would take
/// longer to compile than all the rest.
fn lint_apart(
    workspace: &Workspace,
    timetable: &mut Timetable,
    apart: &Apart,
) -> anyhow::Result<()> {
    let mut lint = workspace.cargo(["clippy", "--locked", "--all-targets"]);
    lint.args(["--manifest-path", apart.manifest, "--target-dir"]).arg(workspace.target());
    lint.args(["--", "-D", "warnings"]).env("CUSTOM_LIBFUZZER_PATH", "/nowhere/libfuzzer.a");
    timetable.step(apart.lint, &mut lint)
}

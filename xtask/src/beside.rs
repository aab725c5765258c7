//! The workspaces beside the product's: the benchmark, the fuzz targets, the loom tests.
//!
//! Each keeps dependencies out of the product's tree that must never be in it. `ci` checks their
//! format, lints them and runs the loom tests, in the product's target folder, so that shared
//! dependencies are compiled once.

use std::process::Command;

use crate::timetable::Timetable;
use crate::workspace::Workspace;

const FOLDERS: [&str; 3] = ["bench", "fuzz", "loom"];

/// The arguments of `cargo xtask loom`.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Runs only the loom tests.
pub(crate) fn run(_: Args) -> anyhow::Result<()> {
    loom(&Workspace::load()?, &mut Timetable::default())
}

/// Fails if a lock file is outdated. Lints would report that too, but many minutes later.
pub(crate) fn locks(workspace: &Workspace, timetable: &mut Timetable) -> anyhow::Result<()> {
    for folder in FOLDERS {
        let mut tree = workspace.cargo(["tree", "--locked", "--depth", "0"]);
        tree.args(["--manifest-path", &format!("{folder}/Cargo.toml")]);
        timetable.step(&format!("lock {folder}"), &mut tree)?;
    }
    Ok(())
}

/// Checks the format of all of them.
pub(crate) fn format(workspace: &Workspace, timetable: &mut Timetable) -> anyhow::Result<()> {
    for folder in FOLDERS {
        let mut format = workspace.cargo(["fmt", "--all", "--check"]);
        format.args(["--manifest-path", &format!("{folder}/Cargo.toml")]);
        timetable.step(&format!("format {folder}"), &mut format)?;
    }
    Ok(())
}

/// Lints all of them. Nothing is linked, so the fuzz targets need neither a nightly compiler nor
/// libFuzzer, which would take longer to compile than everything else.
pub(crate) fn lint(workspace: &Workspace, timetable: &mut Timetable) -> anyhow::Result<()> {
    for folder in FOLDERS {
        let mut lint = cargo(workspace, "clippy", folder);
        lint.args(["--all-targets", "--", "-D", "warnings"]);
        lint.env("CUSTOM_LIBFUZZER_PATH", "/nowhere/libfuzzer.a");
        timetable.step(&format!("clippy {folder}"), &mut lint)?;
    }
    Ok(())
}

/// Runs the loom tests: every interleaving of the structures that threads share.
pub(crate) fn loom(workspace: &Workspace, timetable: &mut Timetable) -> anyhow::Result<()> {
    timetable.step("loom", cargo(workspace, "test", "loom").arg("--lib"))
}

/// A Cargo command for one of them, in the product's target folder.
fn cargo(workspace: &Workspace, command: &str, folder: &str) -> Command {
    let mut cargo = workspace.cargo([command, "--locked"]);
    cargo.args(["--manifest-path", &format!("{folder}/Cargo.toml"), "--target-dir"]);
    cargo.arg(workspace.target());
    cargo
}

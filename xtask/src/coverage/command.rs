//! Builds with counters, runs the tests, and sums up the executed lines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde::Deserialize;

use super::{compiler, report, tools};
use crate::process::{quiet, step};
use crate::workspace::Workspace;

/// Excludes tests that the counters disturb: these leave a file and an environment variable.
const TEST_FILTER: &str = "not (test(=memory_git::no_command_runs_what_a_project_names) \
     | test(=process::a_child_sees_its_own_environment_folder_and_descriptors))";

/// The arguments of `cargo xtask coverage`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only the tests of these crates, separated by commas.
    #[arg(long, short, value_name = "CRATE,…", value_delimiter = ',')]
    package: Vec<String>,
}

/// Prints a table of how many lines of each crate the tests execute.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let tools = tools::find()?;
    let profiles = workspace.target().join("coverage");
    if profiles.exists() {
        fs::remove_dir_all(&profiles).context("cannot remove the counters of the last run")?;
    }
    fs::create_dir_all(&profiles)?;

    let objects = build(&workspace, &args, &profiles)?;
    let mut tests = workspace.cargo(["nextest", "run", "--no-fail-fast", "-E", TEST_FILTER]);
    compiler::instrument(select(&mut tests, &args), &profiles)?;
    // Counters slow everything down, so a test with a time limit may fail; the others still count.
    let outcome = step("tests with counters", &mut tests);

    let merged = profiles.join("all.profdata");
    let raw = files(&profiles, "profraw")?;
    anyhow::ensure!(!raw.is_empty(), "no program wrote its counters");
    let list = profiles.join("list");
    fs::write(&list, raw.iter().map(|it| format!("{}\n", it.display())).collect::<String>())?;
    let mut merge = Command::new(tools.profdata);
    // Skips a profile whose program was killed while it wrote.
    merge.args(["merge", "--sparse", "--failure-mode=all", "-o"]).arg(&merged);
    quiet(merge.arg(format!("--input-files={}", list.display())))?;
    let mut export = Command::new(tools.cov);
    export.args(["export", "--summary-only", "--instr-profile"]).arg(&merged);
    for object in &objects {
        export.arg("--object").arg(object);
    }
    println!("{}", report::table(&quiet(&mut export)?, &workspace.root)?);
    outcome
}

fn select<'command>(cargo: &'command mut Command, args: &Args) -> &'command mut Command {
    match args.package.as_slice() {
        [] => cargo.args(["--workspace", "--exclude", "xtask"]),
        some => cargo.args(some.iter().flat_map(|name| ["--package", name])),
    }
}

/// The part of Cargo's messages that names what it built.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
}

/// Builds the tests and the programs that they start; returns the paths of all.
fn build(workspace: &Workspace, args: &Args, profiles: &Path) -> anyhow::Result<Vec<PathBuf>> {
    eprintln!("\n▶ build with counters");
    let mut build = workspace.cargo(["test", "--no-run", "--quiet", "--message-format", "json"]);
    compiler::instrument(select(&mut build, args), profiles)?;
    let messages = quiet(&mut build)?;
    let built = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    Ok(built.filter_map(|message| message.executable).collect())
}

fn files(folder: &Path, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
    Ok(found)
}

//! `cargo xtask walls`: makes the copy, builds it without each wall, and judges the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use super::table::{WALLS, Wall};
use crate::process::{built_program, quiet, step};
use crate::workspace::Workspace;

/// The arguments of `cargo xtask walls`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only walls whose names contain this.
    #[arg(long)]
    only: Option<String>,
}

/// Fails if the tests pass without a wall.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let copy = Copy::of_last_commit(&workspace)?;
    let tests = copy.build_tests()?;
    let wanted = |wall: &&Wall| args.only.as_ref().is_none_or(|part| wall.name.contains(part));
    let walls: Vec<_> = WALLS.iter().filter(wanted).collect();
    anyhow::ensure!(!walls.is_empty(), "no wall has such a name");
    copy.build_program()?;
    for attack in walls.iter().map(|wall| wall.attack) {
        anyhow::ensure!(copy.holds(&tests, attack)?, "{attack} fails with all walls in place");
    }
    let mut unnoticed = Vec::new();
    for wall in walls {
        if copy.without(wall, || copy.holds(&tests, wall.attack))? {
            unnoticed.push(wall.name);
            println!("✗ {}: {} passes without it", wall.name, wall.attack);
        } else {
            println!("✓ {}: {} fails without it", wall.name, wall.attack);
        }
    }
    anyhow::ensure!(unnoticed.is_empty(), "no attack notices that these are gone: {unnoticed:?}");
    Ok(())
}

/// A checkout with builds of its own, beside the workspace: programs built here must never be run
/// for anything else.
struct Copy(PathBuf);

impl Copy {
    fn of_last_commit(workspace: &Workspace) -> anyhow::Result<Self> {
        let folder = workspace.target().join("walls");
        let mut git = Command::new("git");
        if folder.join(".git").exists() {
            git.current_dir(&folder);
            let commit = quiet(
                Command::new("git").args(["rev-parse", "HEAD"]).current_dir(&workspace.root),
            )?;
            git.args(["checkout", "--force", "--detach", commit.trim()]);
        } else {
            git.current_dir(&workspace.root);
            git.args(["worktree", "add", "--force", "--detach"]).arg(&folder).arg("HEAD");
        }
        quiet(&mut git)?;
        Ok(Self(folder))
    }

    fn cargo(&self) -> Command {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&self.0).env_remove("CARGO_TARGET_DIR");
        cargo
    }

    /// Builds the tests once: they start the program, which is rebuilt for each wall.
    fn build_tests(&self) -> anyhow::Result<PathBuf> {
        eprintln!("▶ tests");
        let arguments = ["test", "-p", "hobnob", "--test", "it", "--no-run"];
        built_program(self.cargo().args(arguments).arg("--message-format=json"), "it")
    }

    fn build_program(&self) -> anyhow::Result<()> {
        // Code that is unused without a wall is not an error here.
        let mut cargo = self.cargo();
        cargo.args(["build", "--quiet", "-p", "hobnob", "--bin", "hobnob"]);
        step("program", cargo.env("CARGO_BUILD_WARNINGS", "allow").stderr(Stdio::null()))
    }

    /// Whether the tests of this name pass.
    fn holds(&self, tests: &Path, attack: &str) -> anyhow::Result<bool> {
        let mut command = Command::new(tests);
        command.arg(attack).args(["--test-threads", "2"]).current_dir(self.0.join("crates/hobnob"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let output = command.output().context("the tests do not start")?;
        let said = String::from_utf8_lossy(&output.stdout);
        anyhow::ensure!(!said.contains("running 0 tests"), "no test has the name {attack}");
        Ok(output.status.success())
    }

    /// Runs `then` with a program that lacks a wall.
    fn without<T>(
        &self,
        wall: &Wall,
        then: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let path = self.0.join(wall.file);
        let whole = fs::read_to_string(&path).with_context(|| wall.file.to_owned())?;
        let places = whole.matches(wall.code).count();
        anyhow::ensure!(places == 1, "{}: its code is {places} times in {}", wall.name, wall.file);
        fs::write(&path, whole.replace(wall.code, wall.instead))?;
        let outcome = self.build_program().and_then(|()| then());
        fs::write(&path, whole)?;
        outcome.with_context(|| format!("without {}", wall.name))
    }
}

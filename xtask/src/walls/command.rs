//! `cargo xtask walls`: makes the copy, builds it without each wall, and judges the tests.

use std::cell::OnceCell;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Context;

use super::table::{Attack, PROGRAM, WALLS, Wall};
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
    let wanted = |wall: &&Wall| args.only.as_ref().is_none_or(|part| wall.name.contains(part));
    let walls: Vec<_> = WALLS.iter().filter(wanted).collect();
    anyhow::ensure!(!walls.is_empty(), "no wall has such a name");
    for Wall { attack, .. } in &walls {
        anyhow::ensure!(copy.holds(*attack)?, "{} fails with all walls in place", attack.test);
    }
    let mut unnoticed = Vec::new();
    for wall in walls {
        if copy.holds_without(wall)? {
            unnoticed.push(wall.name);
            println!("✗ {}: {} passes without it", wall.name, wall.attack.test);
        } else {
            println!("✓ {}: {} fails without it", wall.name, wall.attack.test);
        }
    }
    anyhow::ensure!(unnoticed.is_empty(), "no attack notices that these are gone: {unnoticed:?}");
    Ok(())
}

/// A checkout with builds of its own, beside the workspace: programs built here must never be run
/// for anything else.
struct Copy {
    folder: PathBuf,
    /// The program's tests, built once: they start the program, which is rebuilt for each wall.
    program_tests: OnceCell<PathBuf>,
}

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
        Ok(Self { folder, program_tests: OnceCell::new() })
    }

    fn cargo(&self) -> Command {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&self.folder).env_remove("CARGO_TARGET_DIR");
        // Code that is unused without a wall is not an error here.
        cargo.env("CARGO_BUILD_WARNINGS", "allow");
        cargo
    }

    /// Builds what the attack is against, and returns the program that attacks.
    fn build(&self, package: &str) -> anyhow::Result<PathBuf> {
        if package != PROGRAM {
            return self.build_tests(package);
        }
        let mut cargo = self.cargo();
        cargo.args(["build", "--quiet", "-p", PROGRAM, "--bin", PROGRAM]);
        step("program", cargo.stderr(Stdio::null()))?;
        if let Some(tests) = self.program_tests.get() {
            return Ok(tests.clone());
        }
        let tests = self.build_tests(PROGRAM)?;
        Ok(self.program_tests.get_or_init(|| tests).clone())
    }

    fn build_tests(&self, package: &str) -> anyhow::Result<PathBuf> {
        eprintln!("▶ tests of {package}");
        let arguments = ["test", "--test", "it", "--no-run", "--message-format=json", "-p"];
        built_program(self.cargo().args(arguments).arg(package), "it")
    }

    /// Whether the tests that attack pass.
    fn holds(&self, attack: Attack) -> anyhow::Result<bool> {
        let Attack { package, test } = attack;
        let mut command = Command::new(self.build(package)?);
        command.arg(test).args(["--test-threads", "2"]);
        command.current_dir(self.folder.join("crates").join(package));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let output = command.output().context("the tests do not start")?;
        let said = String::from_utf8_lossy(&output.stdout);
        anyhow::ensure!(!said.contains("running 0 tests"), "no test has the name {test}");
        Ok(output.status.success())
    }

    /// The same, built without a wall.
    fn holds_without(&self, wall: &Wall) -> anyhow::Result<bool> {
        let path = self.folder.join(wall.file);
        let whole = fs::read_to_string(&path).with_context(|| wall.file.to_owned())?;
        fs::write(&path, wall.removed_from(&whole)?)?;
        let outcome = self.holds(wall.attack);
        fs::write(&path, whole)?;
        outcome.with_context(|| format!("without {}", wall.name))
    }
}

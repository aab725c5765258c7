//! `cargo xtask start-order`: which functions a start and the usual calls run, as a linker script that
//! puts them first.
//!
//! The system maps a program's code in stretches of sixteen pages around what runs. Functions that
//! run at the start are one in seven; spread over the program they make nearly all of it resident.
//! Those that calls run come before them: side by side they are on a third of the pages, and a
//! processor that did something else meanwhile finds them sooner.
//! `dist` and `bench` link the program with [`SCRIPT`]. A name in it that is no longer there does no
//! harm, and a new function is only not first, so the script is made anew now and then. Another
//! compiler or another dependency changes the hashes in names; then parts of names find the
//! functions, and with them copies for other types that lie between them and do not run.

mod names;
mod trace;

use std::path::Path;
use std::process::Command;

use anyhow::Context;

use crate::process::step;
use crate::workspace::Workspace;

/// The linker script, which is kept in the repository so that a package needs no valgrind.
const SCRIPT: &str = "packaging/start-order.ld";

/// Where the build script of `hobnob` finds it.
const VARIABLE: &str = "HOBNOB_START_ORDER";

/// Has this build of `hobnob` link with the script.
pub(crate) fn apply(cargo: &mut Command, workspace: &Workspace) {
    cargo.env(VARIABLE, workspace.root.join(SCRIPT));
}

/// Builds the program with its symbols, traces its starts and writes the script.
pub(crate) fn run() -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    // Only the program itself is built anew: what it is made of has its symbols anyway.
    let mut cargo =
        workspace.cargo(["rustc", "--locked", "--package", "hobnob", "--bin", "hobnob"]);
    cargo.args(["--profile", "dist", "--", "-C", "strip=none"]);
    step("build hobnob with its symbols", cargo.env_remove(VARIABLE))?;
    let program = workspace.target().join("dist/hobnob");
    let scratch = workspace.target().join("start-order");
    std::fs::create_dir_all(&scratch)
        .with_context(|| format!("cannot create {}", scratch.display()))?;
    let groups = names::groups(&trace::functions(&program, &scratch)?);
    write(&workspace.root.join(SCRIPT), &names::script(&groups))?;
    let sizes: Vec<_> = groups.iter().map(|group| group.len().to_string()).collect();
    println!("{SCRIPT}: groups of {} names", sizes.join(", "));
    Ok(())
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

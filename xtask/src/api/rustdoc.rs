//! A wrapper around rustdoc: this program takes rustdoc's place, lets it write JSON for the chosen
//! crates, and skips all others.
//!
//! JSON output is unstable, so an environment variable must allow it. Only rustdoc gets that
//! variable: if Cargo had it, build scripts that read it would run again, and everything that
//! depends on them would be rebuilt. For the same reason the whole workspace is documented: the
//! chosen crates alone would build their dependencies with other features.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::process::step;
use crate::workspace::Workspace;

/// Set where Cargo starts this program as rustdoc: the folder for the JSON.
const FOLDER_VAR: &str = "XTASK_API_FOLDER";

/// The crates to describe, under rustdoc's names, separated by commas.
const CRATES_VAR: &str = "XTASK_API_CRATES";

/// Describes these packages; returns the folder with one file for each.
pub(super) fn describe(workspace: &Workspace, packages: &[&str]) -> anyhow::Result<PathBuf> {
    let folder = workspace.target().join("public-api");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let names: Vec<String> = packages.iter().map(|it| crate_name(it)).collect();
    let ourselves = std::env::current_exe().context("cannot find this program")?;
    let mut cargo = workspace.cargo(["doc", "--workspace", "--no-deps", "--locked", "--quiet"]);
    // Off by default, but part of what authors use.
    cargo.args(["--features", "hobnob-mcp/testkit"]);
    cargo.env("RUSTDOC", ourselves).env(FOLDER_VAR, &folder).env(CRATES_VAR, names.join(","));
    // With other flags, Cargo does not mistake this for the documentation it built before.
    cargo.env("RUSTDOCFLAGS", "--cfg=public_api --cap-lints=allow");
    step("public items", &mut cargo)?;
    Ok(folder)
}

/// The file that describes a package.
pub(super) fn described(folder: &Path, package: &str) -> PathBuf {
    folder.join(format!("{}.json", crate_name(package)))
}

fn crate_name(package: &str) -> String {
    package.replace('-', "_")
}

/// Describes one crate, if Cargo started this program as rustdoc.
pub(crate) fn as_rustdoc() -> Option<ExitCode> {
    let folder = std::env::var_os(FOLDER_VAR)?;
    let wanted = std::env::var(CRATES_VAR).ok()?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let named = arguments.iter().position(|it| it == "--crate-name");
    let named = named.and_then(|at| arguments.get(at + 1)).map(|it| it.to_string_lossy());
    let mut rustdoc = Command::new("rustdoc");
    match named {
        None => rustdoc.args(arguments),
        Some(name) if wanted.split(',').any(|it| it == name) => rustdoc
            .args(elsewhere(arguments, folder))
            .args(["-Zunstable-options", "--output-format=json"])
            .env("RUSTC_BOOTSTRAP", "1"),
        Some(_) => return Some(ExitCode::SUCCESS),
    };
    let done = rustdoc.env_remove(FOLDER_VAR).status().is_ok_and(|it| it.success());
    Some(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The same arguments with another output folder.
fn elsewhere(mut arguments: Vec<OsString>, folder: OsString) -> Vec<OsString> {
    let at = arguments.iter().position(|it| it == "-o" || it == "--out-dir");
    match at.and_then(|at| arguments.get_mut(at + 1)) {
        Some(output) => *output = folder,
        None => arguments.extend(["-o".into(), folder]),
    }
    arguments
}

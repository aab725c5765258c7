//! Runs cargo-deny: licences, sources, bans and advisories of all dependencies of the product.
//!
//! `ci` runs it. If something it needs is unavailable (the program itself, the crates of other
//! platforms, the advisory database), one line says what was not checked, and nothing fails.

use anyhow::Context;

use crate::process::quiet;
use crate::timetable::Timetable;
use crate::workspace::Workspace;

/// What to do if a program that a check needs is not installed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfMissing {
    /// Install it, which may take minutes.
    Install,
    Skip,
}

/// Runs the checks whose data is available; returns which ones were left out, and why.
pub(crate) fn check(
    workspace: &Workspace,
    timetable: &mut Timetable,
    if_missing: IfMissing,
) -> anyhow::Result<Vec<String>> {
    if quiet(&mut workspace.cargo(["deny", "--version"])).is_err() {
        if if_missing == IfMissing::Skip {
            let line = "cargo-deny is not installed: licences, sources, bans and advisories were \
                        not checked; `cargo xtask ci --deny` installs and runs it";
            return Ok(vec![line.to_owned()]);
        }
        let mut install = workspace.cargo(["install", "cargo-deny", "--locked"]);
        timetable.step("install cargo-deny", &mut install)?;
    }
    // It reads the crates of every platform; a build has downloaded only those of this one.
    if let Err(error) = quiet(&mut workspace.cargo(["fetch", "--locked"])) {
        let line = "the crates of other platforms cannot be downloaded: cargo-deny was not run";
        return Ok(vec![unchecked(line, &error)]);
    }
    // Its warnings name every crate that is present in two versions; CI need not repeat them.
    let mut deny = workspace.cargo(["deny", "--log-level", "error", "--offline", "--workspace"]);
    let local = deny.args(["check", "bans", "licenses", "sources"]);
    timetable.step("deny: bans, licences, sources", local)?;
    if let Err(error) = quiet(&mut workspace.cargo(["deny", "fetch", "db"])) {
        let line = "the advisory database cannot be fetched: advisories were not checked";
        return Ok(vec![unchecked(line, &error)]);
    }
    let mut deny = workspace.cargo(["deny", "--log-level", "error", "--workspace"]);
    timetable
        .step("deny: advisories", deny.args(["check", "advisories"]))
        .context("cargo-deny found an advisory, or a crate that was withdrawn")?;
    Ok(Vec::new())
}

/// One line, even if the program's output has several.
fn unchecked(line: &str, error: &anyhow::Error) -> String {
    let message = error.to_string();
    let last = message.lines().map(str::trim).rfind(|it| !it.is_empty()).unwrap_or_default();
    format!("{line} ({last})")
}

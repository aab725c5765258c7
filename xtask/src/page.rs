//! `cargo xtask page`: type-checks and tests the hub's page, and builds it again: the built files in
//! the repository, which the program embeds, must be those of the sources.
//!
//! `ci` runs it too. It works on a copy in the target folder and never changes a file of the
//! repository, so it also says what a change of the sources still lacks.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::process::quiet;
use crate::timetable::Timetable;
use crate::workspace::Workspace;

/// The page's sources, and the folder in it with the built files.
const SOURCES: &str = "crates/hobnob-ui/page";
const BUILT: &str = "dist";

/// What is made by the other commands, and not copied.
const MADE: [&str; 3] = ["node_modules", BUILT, ".test"];

/// What to do if `npm`, or a package that it should install, cannot be had.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithoutNpm {
    Fail,
    Report,
}

/// `cargo xtask page` takes no arguments.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Checks the page; fails where Node's tools are missing.
pub(crate) fn run(_args: Args) -> anyhow::Result<()> {
    check(&Workspace::load()?, &mut Timetable::default(), WithoutNpm::Fail).map(drop)
}

/// Checks the page; returns a line about what could not be checked.
pub(crate) fn check(
    workspace: &Workspace,
    timetable: &mut Timetable,
    without_npm: WithoutNpm,
) -> anyhow::Result<Option<String>> {
    let sources = workspace.root.join(SOURCES);
    let copy = workspace.target().join("page");
    renew(&sources, &copy)?;
    let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    let installed = timetable.time("page: packages", || quiet(&mut npm(&copy, &install)));
    if let Err(error) = installed {
        let line = "the packages that build the page cannot be had: it was not built again";
        return match without_npm {
            WithoutNpm::Fail => Err(error.context(line)),
            WithoutNpm::Report => Ok(Some(one_line(line, &error))),
        };
    }
    timetable.step("page: types and tests", &mut npm(&copy, &["run", "check"]))?;
    timetable.step("page: build", &mut npm(&copy, &["run", "build"]))?;
    let differing = differing(&files(&sources.join(BUILT))?, &files(&copy.join(BUILT))?);
    anyhow::ensure!(
        differing.is_empty(),
        "{SOURCES}/{BUILT} is not what its sources build: {} differ; \
         run `npm ci && npm run build` in {SOURCES} and commit the files",
        differing.join(", ")
    );
    Ok(None)
}

fn npm(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(words).current_dir(folder);
    command
}

/// Copies the sources anew, without what an earlier run left.
fn renew(sources: &Path, copy: &Path) -> anyhow::Result<()> {
    if copy.exists() {
        fs::remove_dir_all(copy).with_context(|| format!("cannot clear {}", copy.display()))?;
    }
    copy_folder(sources, copy, &|name| MADE.iter().any(|made| OsStr::new(made) == name))
}

fn copy_folder(from: &Path, to: &Path, is_left_out: &dyn Fn(&OsStr) -> bool) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in entries(from)? {
        let name = entry.file_name().context("an entry without a name")?;
        if is_left_out(name) {
            continue;
        }
        if entry.is_dir() {
            copy_folder(&entry, &to.join(name), is_left_out)?;
        } else {
            fs::copy(&entry, to.join(name))
                .with_context(|| format!("cannot copy {}", entry.display()))?;
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let cannot = || format!("cannot read {}", folder.display());
    let entries = fs::read_dir(folder).with_context(cannot)?;
    entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>().with_context(cannot)
}

/// The files directly in a folder, by name.
fn files(folder: &Path) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for path in entries(folder)? {
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.insert(name, bytes);
    }
    Ok(found)
}

/// The names of files that are only on one side, or have other bytes there.
fn differing(kept: &BTreeMap<String, Vec<u8>>, built: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names: std::collections::BTreeSet<_> = kept.keys().chain(built.keys()).collect();
    names.into_iter().filter(|name| kept.get(*name) != built.get(*name)).cloned().collect()
}

fn one_line(line: &str, error: &anyhow::Error) -> String {
    let message = format!("{error:#}");
    format!("{line} ({})", message.lines().next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn every_difference_is_named() {
        let kept = built(&[("app.js", "1"), ("app.css", "a"), ("old.js", "")]);
        for (again, expected) in [
            (kept.clone(), &[][..]),
            (built(&[("app.js", "2"), ("app.css", "a"), ("old.js", "")]), &["app.js"]),
            (built(&[("app.js", "1"), ("app.css", "a"), ("new.js", "")]), &["new.js", "old.js"]),
        ] {
            assert_eq!(differing(&kept, &again), expected);
        }
    }
}

//! Our sources, built from an empty target: processor time, time, and the size of the program.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context;

use super::findings::Figures;
use super::scratch::Scratch;
use super::start::Start;
use crate::workspace::Workspace;

/// What is built, and what comes out.
const PACKAGE: &str = "hobnob";
/// Ticks of a second in `/proc`, which Linux promises to programs whatever it counts in itself.
const TICKS: f64 = 100.0;

/// Our sources, and a folder for targets that nothing was built in.
pub(super) struct Sources {
    scratch: Scratch,
}

impl Sources {
    pub(super) fn new(workspace: &Workspace) -> anyhow::Result<Self> {
        Ok(Self { scratch: Scratch::new(workspace, "sources")? })
    }

    /// The build with this profile; its folder is an empty target.
    pub(super) fn start(&self, profile: &str) -> anyhow::Result<Start> {
        let folder = self.scratch.folder()?.to_string_lossy().into_owned();
        let words = ["build", "--locked", "--package", PACKAGE, "--profile", profile];
        let target = ["--target-dir".to_owned(), folder.clone()];
        let command = words.map(str::to_owned).into_iter().chain(target).collect();
        Ok(Start { command, folder, ..Start::default() })
    }
}

/// Builds, and says what it took. Nothing but the build may run in this process meanwhile: the
/// processor time is that of all its children.
pub(super) fn measure(workspace: &Workspace, start: &Start) -> anyhow::Result<Figures> {
    let before = children_seconds()?;
    let began = Instant::now();
    let mut build: Command = workspace.cargo([]);
    build.args(&start.command).env("CARGO_INCREMENTAL", "0").stdin(Stdio::null());
    let status = build.status().context("cannot start cargo")?;
    anyhow::ensure!(status.success(), "the build failed ({status})");
    let minutes = began.elapsed().as_secs_f64() / 60.0;
    let cpu_minutes = (children_seconds()? - before) / 60.0;
    let bytes = size(&start.folder)?;
    // One of them is several gigabytes.
    fs::remove_dir_all(&start.folder)?;
    let figures =
        [("cpu_minutes", cpu_minutes), ("minutes", minutes), ("megabytes", bytes as f64 / 1e6)];
    Ok(figures.map(|(name, figure)| (name.to_owned(), figure)).into())
}

/// The program is in the one folder of the target that has it.
fn size(target: &str) -> anyhow::Result<u64> {
    for entry in fs::read_dir(target)? {
        if let Ok(program) = fs::metadata(entry?.path().join(PACKAGE)) {
            return Ok(program.len());
        }
    }
    anyhow::bail!("the build left no program")
}

/// Processor time of all children that have ended, and of their children.
pub(super) fn children_seconds() -> anyhow::Result<f64> {
    let stat =
        fs::read_to_string("/proc/self/stat").context("only Linux says what a build took")?;
    parse_children(&stat).context("/proc/self/stat is not understood")
}

/// The 16th and 17th field; the name in parentheses may contain anything.
pub(super) fn parse_children(stat: &str) -> Option<f64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let ticks: Vec<f64> = after_name
        .split_whitespace()
        .skip(13)
        .take(2)
        .filter_map(|field| field.parse().ok())
        .collect();
    let [user, system] = ticks[..] else { return None };
    Some((user + system) / TICKS)
}

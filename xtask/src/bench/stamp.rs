//! Where and when a run measured, for the page of figures: commit, date, compiler, processor.
//!
//! Nothing here identifies the machine or its user.

use std::fs;
use std::process::Command;

use crate::process::quiet;
use crate::workspace::Workspace;

/// The facts that all figures of a run share.
pub(super) struct Stamp(String);

impl Stamp {
    /// Asks git, the compiler and the system.
    pub(super) fn now(workspace: &Workspace) -> anyhow::Result<Self> {
        let git = |words: &[&str]| {
            quiet(Command::new("git").args(words).current_dir(&workspace.root))
                .map(|text| text.trim().to_owned())
        };
        let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
        let sources = ["crates", "bench", "Cargo.toml", "Cargo.lock"];
        let status = ["status", "--porcelain", "--untracked-files=no", "--"];
        let changed = !git(&[&status[..], &sources[..]].concat())?.is_empty();
        let changed = if changed { " with uncommitted changes" } else { "" };
        let date = quiet(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
        let compiler = quiet(Command::new("rustc").arg("--version").current_dir(&workspace.root))?;
        let compiler = compiler.split_whitespace().nth(1).unwrap_or("unknown");
        let cores = std::thread::available_parallelism()?;
        let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = model(&processor).unwrap_or(std::env::consts::ARCH);
        Ok(Self(format!(
            "Measured on {} at commit {commit}{changed}, with Rust {compiler}, on {cores} cores \
             of {processor}.",
            date.trim()
        )))
    }

    /// Adds what differs from kind to kind.
    pub(super) fn with(&self, how: &str) -> String {
        format!("{}\n{how}", self.0)
    }
}

/// The processor's name for itself.
pub(super) fn model(cpuinfo: &str) -> Option<&str> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

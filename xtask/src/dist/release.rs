//! What is released: version and time, both from the repository and never from the clock.
//!
//! Every date in a package is the commit's, so that the same commit gives the same bytes.

use std::process::Command;

use anyhow::Context;

use super::platform::Platform;
use crate::process::quiet;
use crate::workspace::Workspace;

/// One version for one kind of machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Release {
    /// The version of the package `hobnob`, as in its Cargo.toml.
    pub(crate) version: String,
    /// The time of the commit, in seconds since 1970.
    pub(crate) time: u64,
    pub(crate) platform: Platform,
    /// Who answers for the Debian package: `Name <address>`.
    pub(crate) maintainer: String,
}

impl Release {
    /// The release that the working tree is about to be.
    pub(crate) fn of(
        workspace: &Workspace,
        version: &str,
        platform: Platform,
        maintainer: String,
    ) -> anyhow::Result<Self> {
        Ok(Self { version: version.to_owned(), time: time(workspace)?, platform, maintainer })
    }

    /// The tarball's name without its ending, and the folder inside.
    pub(crate) fn name(&self) -> String {
        format!("hobnob-{}-{}-linux", self.version, self.platform.machine)
    }

    /// The version as Debian writes it: the packaging is the first of this version.
    pub(crate) fn debian_version(&self) -> String {
        // A pre-release comes before its release only with a tilde.
        format!("{}-1", self.version.replacen('-', "~", 1))
    }

    /// The time in a format of `date`.
    pub(crate) fn date(&self, format: &str) -> anyhow::Result<String> {
        let time = format!("--date=@{}", self.time);
        let mut date = Command::new("date");
        let text = quiet(date.args(["--utc", &time, &format!("+{format}")]).env("LC_ALL", "C"))?;
        Ok(text.trim().to_owned())
    }
}

/// The time of the commit, or what the usual variable says.
fn time(workspace: &Workspace) -> anyhow::Result<u64> {
    if let Ok(set) = std::env::var("SOURCE_DATE_EPOCH") {
        return set.parse().context("SOURCE_DATE_EPOCH is not a number of seconds");
    }
    let git = || {
        let mut git = Command::new("git");
        git.current_dir(&workspace.root);
        git
    };
    let changed = quiet(git().args(["status", "--porcelain", "--untracked-files=no"]))
        .context("outside of a repository, set SOURCE_DATE_EPOCH to the seconds since 1970")?;
    if !changed.trim().is_empty() {
        eprintln!("!! the working tree differs from its commit: these packages are not a release");
    }
    let time = quiet(git().args(["log", "-1", "--format=%ct"]))?;
    time.trim().parse().context("git does not tell the time of the commit")
}

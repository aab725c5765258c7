//! The version and the time of a release, both from the repository and never from the clock.
//!
//! Every date in a package is that of the commit, so that the same commit gives the same bytes.

use std::process::Command;

use anyhow::Context;

use super::platform::Platform;
use crate::process::quiet;
use crate::workspace::Workspace;

/// One version for one platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Release {
    /// The version of the package `hobnob`, from its Cargo.toml.
    pub(crate) version: String,
    /// The time of the commit, in seconds since 1970.
    pub(crate) time: u64,
    pub(crate) platform: Platform,
    /// The maintainer of the Debian package: `Name <address>`.
    pub(crate) maintainer: String,
}

impl Release {
    /// The release of the current working tree.
    pub(crate) fn of(
        workspace: &Workspace,
        version: &str,
        platform: Platform,
        maintainer: String,
    ) -> anyhow::Result<Self> {
        Ok(Self { version: version.to_owned(), time: time(workspace)?, platform, maintainer })
    }

    /// The tarball's name without its extension, which is also the folder inside.
    pub(crate) fn name(&self) -> String {
        format!("hobnob-{}-{}-linux", self.version, self.platform.machine)
    }

    /// The version in Debian's form, as its first packaging.
    pub(crate) fn debian_version(&self) -> String {
        // Debian sorts a version with a tilde before the one without it.
        format!("{}-1", self.version.replacen('-', "~", 1))
    }

    /// The time in a format of the program `date`.
    pub(crate) fn date(&self, format: &str) -> anyhow::Result<String> {
        let time = format!("--date=@{}", self.time);
        let mut date = Command::new("date");
        let text = quiet(date.args(["--utc", &time, &format!("+{format}")]).env("LC_ALL", "C"))?;
        Ok(text.trim().to_owned())
    }
}

/// The time of the commit, or of `SOURCE_DATE_EPOCH` if that is set.
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

//! Chooses the packages and systems to check.

use std::path::Path;

use anyhow::Context;

use super::packages::Packages;
use super::{debian_root, empty_root};

/// The releases of Debian to install the package in: the current one and an old one.
pub(crate) const RELEASES: [&str; 2] = ["bookworm", "bullseye"];

/// How much to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CheckScope {
    /// The tarball, in a root with only the libraries it needs. Takes seconds.
    Tarball,
    /// The tarball, and the Debian package in a fresh system of each release. Takes minutes.
    All,
}

/// Installs and uses the packages; fails at the first problem.
pub(crate) fn run(
    packages: &Packages,
    scratch: &Path,
    scope: CheckScope,
    releases: &[String],
) -> anyhow::Result<()> {
    empty_root::check(packages, scratch).context("the tarball in an empty root")?;
    if scope == CheckScope::Tarball {
        return Ok(());
    }
    for release in releases {
        debian_root::check(packages, scratch, release)
            .with_context(|| format!("the Debian package in {release}"))?;
    }
    Ok(())
}

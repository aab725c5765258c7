//! The platforms of packages, under the names of Rust, Linux and Debian.
//!
//! Packages are made for the machine that builds them; there is no cross-compilation.

use anyhow::Context;

use crate::process::quiet;
use crate::workspace::Workspace;

/// A platform that packages can be made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Platform {
    /// The compiler's name, for example `x86_64-unknown-linux-gnu`.
    pub(crate) triple: String,
    /// The output of `uname -m`.
    pub(crate) machine: &'static str,
    /// The output of `dpkg --print-architecture`.
    pub(crate) debian: &'static str,
}

impl Platform {
    /// This machine's platform; fails if packages cannot be made for it.
    pub(crate) fn detect(workspace: &Workspace) -> anyhow::Result<Self> {
        // Cargo has no variable with the host's triple for programs it runs, but prints it here.
        let version = quiet(&mut workspace.cargo(["-vV"]))?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        Self::of(host.context("cargo does not name its host")?.trim())
    }

    /// The platform with this target triple.
    pub(crate) fn of(triple: &str) -> anyhow::Result<Self> {
        let (machine, debian) = match triple {
            "x86_64-unknown-linux-gnu" => ("x86_64", "amd64"),
            "aarch64-unknown-linux-gnu" => ("aarch64", "arm64"),
            other => anyhow::bail!("packages can be made on Linux with glibc, not on {other}"),
        };
        Ok(Self { triple: triple.to_owned(), machine, debian })
    }
}

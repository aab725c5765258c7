//! Which machines the packages are for, in the words of Rust, of Linux and of Debian.
//!
//! The machine that builds decides: nothing is built for another processor.

use anyhow::Context;

use crate::process::quiet;
use crate::workspace::Workspace;

/// One kind of machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Platform {
    /// As the compiler names it, for example `x86_64-unknown-linux-gnu`.
    pub(crate) triple: String,
    /// As `uname -m` prints it.
    pub(crate) machine: &'static str,
    /// As `dpkg --print-architecture` prints it.
    pub(crate) debian: &'static str,
}

impl Platform {
    /// This machine, if packages can be made for it.
    pub(crate) fn detect(workspace: &Workspace) -> anyhow::Result<Self> {
        // A program that Cargo runs through an alias; the verbose version names the host.
        let version = quiet(&mut workspace.cargo(["-vV"]))?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        Self::of(host.context("cargo does not name its host")?.trim())
    }

    /// The platform of a triple.
    pub(crate) fn of(triple: &str) -> anyhow::Result<Self> {
        let (machine, debian) = match triple {
            "x86_64-unknown-linux-gnu" => ("x86_64", "amd64"),
            "aarch64-unknown-linux-gnu" => ("aarch64", "arm64"),
            other => anyhow::bail!("packages can be made on Linux with glibc, not on {other}"),
        };
        Ok(Self { triple: triple.to_owned(), machine, debian })
    }
}

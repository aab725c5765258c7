//! The programs that a run needs, built: our own, and those of the benchmark's workspace.
//!
//! All of them go to the target folder of the product, where both workspaces share what they
//! compile alike.

use std::path::PathBuf;

use crate::process::step;
use crate::workspace::Workspace;

/// A profile of Cargo that is the same in both workspaces, so that the compiler is no part of a
/// comparison.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Profile(pub(super) &'static str);

impl Profile {
    /// As packages are built; everything that is shown is measured with it.
    pub(super) const SHIPPED: Self = Self("dist");
    /// As `cargo xtask ci` builds what it counts: without link-time optimisation, which takes
    /// longer than all the rest.
    pub(super) const COUNTED: Self = Self("release");
    /// For the load generator where only the server's instructions are counted.
    pub(super) const QUICK: Self = Self("dev");

    /// Where Cargo puts a program that is built with it.
    pub(super) fn program(self, workspace: &Workspace, name: &str) -> PathBuf {
        let folder = if self == Self::QUICK { "debug" } else { self.0 };
        workspace.target().join(folder).join(name)
    }
}

/// What of a package is built.
#[derive(Clone, Copy)]
pub(super) enum Artifact {
    Program(&'static str),
    Example(&'static str),
}

impl Artifact {
    /// Builds it from the product's workspace and says where it is.
    pub(super) fn build(
        self,
        workspace: &Workspace,
        profile: Profile,
        package: &[&str],
    ) -> anyhow::Result<PathBuf> {
        let (option, name, built) = match self {
            Self::Program(name) => ("--bin", name, profile.program(workspace, name)),
            Self::Example(name) => {
                ("--example", name, profile.program(workspace, "examples").join(name))
            }
        };
        let mut cargo =
            workspace.cargo(["build", "--locked", "--profile", profile.0, option, name]);
        cargo.arg("--package").args(package).arg("--target-dir").arg(workspace.target());
        step(&format!("build our {name}"), &mut cargo)?;
        Ok(built)
    }
}

/// Builds programs of the benchmark's workspace, or all of them where none is named.
pub(super) fn build_bench(
    workspace: &Workspace,
    profile: Profile,
    programs: &[&str],
) -> anyhow::Result<()> {
    let mut cargo = workspace.cargo(["build", "--locked", "--profile", profile.0]);
    cargo.arg("--manifest-path").arg(workspace.root.join("bench/Cargo.toml"));
    cargo.args(programs.iter().flat_map(|program| ["--package", program]));
    let what = if programs.is_empty() { "the benchmark".to_owned() } else { programs.join(", ") };
    step(&format!("build {what}"), cargo.arg("--target-dir").arg(workspace.target()))
}

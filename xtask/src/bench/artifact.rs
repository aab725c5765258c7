//! Builds the programs that a run needs: our own, and those of the benchmark's workspace.
//!
//! All of them go to the product's target folder, so both workspaces share identical dependencies.

use std::path::PathBuf;

use crate::process::step;
use crate::workspace::Workspace;

/// A Cargo profile that is the same in both workspaces, so that the compiler has no influence on a
/// comparison.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Profile(pub(super) &'static str);

impl Profile {
    /// The profile of packages; everything shown is measured with it.
    pub(super) const SHIPPED: Self = Self("dist");
    /// The profile in which `cargo xtask ci` counts: without link-time optimisation, which takes
    /// longer than everything else.
    pub(super) const COUNTED: Self = Self("release");
    /// For the load generator when only the server's instructions are counted.
    pub(super) const QUICK: Self = Self("dev");

    /// The path of a program built with this profile.
    pub(super) fn program(self, workspace: &Workspace, name: &str) -> PathBuf {
        let folder = if self == Self::QUICK { "debug" } else { self.0 };
        workspace.target().join(folder).join(name)
    }
}

/// Which artifact of a package to build.
#[derive(Clone, Copy)]
pub(super) enum Artifact {
    Program(&'static str),
    Example(&'static str),
}

impl Artifact {
    /// Builds it in the product's workspace and returns its path.
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

/// Builds these programs of the benchmark's workspace, or all of them if none is named.
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

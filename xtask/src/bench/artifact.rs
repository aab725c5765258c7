//! Our own programs, built as they are released.

use std::path::{Path, PathBuf};

use crate::process::step;
use crate::workspace::Workspace;

/// What of a package is built.
#[derive(Clone, Copy)]
pub(super) enum Artifact {
    Program(&'static str),
    Example(&'static str),
}

impl Artifact {
    /// Builds it in release mode and says where it is.
    pub(super) fn build(self, workspace: &Workspace, package: &str) -> anyhow::Result<PathBuf> {
        let target = workspace.root.join("target");
        let (option, name, built) = match self {
            Self::Program(name) => ("--bin", name, released(&target, name)),
            Self::Example(name) => ("--example", name, target.join("release/examples").join(name)),
        };
        let mut cargo = workspace.cargo(["build", "--release", option, name]);
        cargo.args(["--package", package]).arg("--target-dir").arg(&target);
        step(&format!("build our {name}"), &mut cargo)?;
        Ok(built)
    }
}

/// Where Cargo puts a program in release mode.
pub(super) fn released(target: &Path, program: &str) -> PathBuf {
    target.join("release").join(program)
}

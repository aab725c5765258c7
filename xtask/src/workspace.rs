//! The workspace's folders and crates, according to Cargo.
//!
//! Every command gets its paths here, so that `CARGO_TARGET_DIR` and the current folder do not
//! matter anywhere else.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde::Deserialize;

/// The parts of `cargo metadata` that the commands use.
#[derive(Deserialize)]
pub(crate) struct Workspace {
    /// The workspace's own crates.
    pub(crate) packages: Vec<Package>,
    /// The folder of the root manifest.
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    /// The folder for Cargo's builds, in which peers are installed too.
    target_directory: PathBuf,
}

/// One crate of the workspace.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    /// The oldest compiler with which it promises to build.
    pub(crate) rust_version: Option<String>,
}

/// One entry of a crate's dependency tables.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) rename: Option<String>,
    kind: Option<String>,
}

impl Dependency {
    /// Whether only tests use it.
    pub(crate) fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }

    #[cfg(test)]
    pub(crate) fn named(name: &str, kind: Option<&str>) -> Self {
        Self { name: name.into(), rename: None, kind: kind.map(Into::into) }
    }
}

impl Workspace {
    /// Asks Cargo for the members only: cargo-deny checks the rest of the graph.
    pub(crate) fn load() -> anyhow::Result<Self> {
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        let output = Command::new(cargo())
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(home)
            .output()
            .context("cargo metadata does not start")?;
        anyhow::ensure!(
            output.status.success(),
            "cargo metadata failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).context("cargo metadata is not understood")
    }

    /// The oldest promised compiler; tidy checks that all crates promise the same.
    pub(crate) fn rust_version(&self) -> Option<&str> {
        self.packages.first()?.rust_version.as_deref()
    }

    /// The folder for Cargo's builds, with or without `CARGO_TARGET_DIR`.
    pub(crate) fn target(&self) -> &Path {
        &self.target_directory
    }

    /// The folder for other projects' programs, which git ignores.
    pub(crate) fn peers(&self) -> PathBuf {
        self.target_directory.join("peers")
    }

    /// The folder for the trial's servers and for its hub's homes.
    pub(crate) fn trial(&self) -> PathBuf {
        self.target_directory.join("trial")
    }

    /// A program of ours, built in the dev profile.
    pub(crate) fn built(&self, program: &str) -> PathBuf {
        self.program("debug", program)
    }

    /// A program of ours, built in the release profile.
    pub(crate) fn released(&self, program: &str) -> PathBuf {
        self.program("release", program)
    }

    fn program(&self, profile: &str, name: &str) -> PathBuf {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.target_directory.join(profile).join(file)
    }

    /// A Cargo command in the root folder.
    pub(crate) fn cargo<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = Command::new(cargo());
        command.args(arguments).current_dir(&self.root);
        for (name, _) in std::env::vars_os() {
            if is_about_us(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
        command
    }
}

/// Variables that Cargo sets for the program it runs. With them, build scripts that watch them
/// would run again, and everything that depends on those would be rebuilt.
fn is_about_us(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_"]
        .iter()
        .any(|prefix| variable.starts_with(prefix))
}

/// The Cargo that started this program, so that a toolchain override stays in effect.
fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

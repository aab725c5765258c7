//! Where the workspace is and what is in it, as Cargo sees it.
//!
//! Every command asks here for paths, so that `CARGO_TARGET_DIR` and the current folder never
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
    /// Where Cargo builds, and where peers are installed.
    target_directory: PathBuf,
}

/// One crate of the workspace.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    /// The oldest compiler that it promises to build with.
    pub(crate) rust_version: Option<String>,
}

/// One line of a crate's dependency tables.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) rename: Option<String>,
    kind: Option<String>,
}

impl Dependency {
    /// Whether only tests see it.
    pub(crate) fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }

    #[cfg(test)]
    pub(crate) fn named(name: &str, kind: Option<&str>) -> Self {
        Self { name: name.into(), rename: None, kind: kind.map(Into::into) }
    }
}

impl Workspace {
    /// Asks Cargo. Members only: the rest of the graph is cargo-deny's business.
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

    /// The oldest compiler that is promised; tidy sees to it that all crates promise the same.
    pub(crate) fn rust_version(&self) -> Option<&str> {
        self.packages.first()?.rust_version.as_deref()
    }

    /// Where Cargo puts what it builds, `CARGO_TARGET_DIR` or not.
    pub(crate) fn target(&self) -> &Path {
        &self.target_directory
    }

    /// Where other people's programs are installed; git never sees it.
    pub(crate) fn peers(&self) -> PathBuf {
        self.target_directory.join("peers")
    }

    /// Where the servers of the trial are installed, and its hub is at home.
    pub(crate) fn trial(&self) -> PathBuf {
        self.target_directory.join("trial")
    }

    /// A program of ours, built in the dev profile.
    pub(crate) fn built(&self, program: &str) -> PathBuf {
        self.program("debug", program)
    }

    /// A program of ours, built as it is released.
    pub(crate) fn released(&self, program: &str) -> PathBuf {
        self.program("release", program)
    }

    fn program(&self, profile: &str, name: &str) -> PathBuf {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.target_directory.join(profile).join(file)
    }

    /// Cargo, to run in the root folder.
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

/// Variables that Cargo sets for the program it runs. Build scripts that watch them would run
/// again, and everything that depends on them would be built again, just because xtask asked.
fn is_about_us(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_"]
        .iter()
        .any(|prefix| variable.starts_with(prefix))
}

/// The Cargo that started us, so that a toolchain override carries over.
fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

//! A folder that is `/` for the programs started in it, with this machine's `/proc`.
//!
//! The programs run in a mount namespace, which ends with them. Without root rights that needs a
//! user namespace, which some machines forbid.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::process::quiet;

/// The search path for programs, inside and outside.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Mounts `/proc` and becomes the program, so that a kill reaches it and leaves nothing.
const ENTER: &str = "mount --rbind /proc \"$0/proc\" && exec chroot \"$0\" \"$@\"";

/// The rights of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rights {
    Root,
    /// We are root only in a user namespace, in which we own every file.
    Namespace,
}

impl Rights {
    /// The rights that this machine grants us.
    pub(super) fn find() -> anyhow::Result<Self> {
        if quiet(Command::new("id").arg("--user"))?.trim() == "0" {
            return Ok(Self::Root);
        }
        quiet(Command::new("unshare").args(["--map-root-user", "--mount", "true"])).context(
            "this needs root, or unprivileged user namespaces, which this machine forbids",
        )?;
        Ok(Self::Namespace)
    }
}

/// A folder to run programs in, and the rights to do so.
pub(super) struct Root {
    pub(super) folder: PathBuf,
    rights: Rights,
}

impl Root {
    /// Uses an existing folder.
    pub(super) fn new(folder: PathBuf, rights: Rights) -> Self {
        Self { folder, rights }
    }

    /// The path outside of a file that programs inside see at this path.
    pub(super) fn outside(&self, path: &str) -> PathBuf {
        self.folder.join(path.trim_start_matches('/'))
    }

    /// A program to run inside, without our environment.
    pub(super) fn command<const N: usize>(&self, program: &str, arguments: [&str; N]) -> Command {
        let mut command = Command::new("unshare");
        if self.rights == Rights::Namespace {
            command.arg("--map-root-user");
        }
        command.args(["--mount", "sh", "-c", ENTER]).arg(&self.folder);
        command.arg(program).args(arguments).env_clear();
        command.env("PATH", PATH).env("HOME", "/root").env("LC_ALL", "C.UTF-8");
        command
    }

    /// Runs a program inside and returns its output.
    pub(super) fn run<const N: usize>(
        &self,
        program: &str,
        arguments: [&str; N],
    ) -> anyhow::Result<String> {
        quiet(&mut self.command(program, arguments))
            .with_context(|| format!("{program} {}", arguments.join(" ")))
    }

    /// Copies a file of this machine to the same path inside.
    pub(super) fn take(&self, file: &Path) -> anyhow::Result<()> {
        let inside = self.folder.join(file.strip_prefix("/").unwrap_or(file));
        if let Some(parent) = inside.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(file, &inside).with_context(|| format!("cannot copy {}", file.display()))?;
        Ok(())
    }
}

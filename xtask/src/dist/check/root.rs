//! A folder that is `/` for the programs started in it, with the `/proc` of this machine.
//!
//! The programs have mounts of their own, which end with them. Without root that takes a user
//! namespace, which some machines forbid.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::process::quiet;

/// Where programs are looked for, inside and outside.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Puts `/proc` into the folder and becomes the program: a kill reaches it and nothing is left.
const ENTER: &str = "mount --rbind /proc \"$0/proc\" && exec chroot \"$0\" \"$@\"";

/// Whose rights we have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rights {
    Root,
    /// We are root only in a user namespace, where every file belongs to us.
    Namespace,
}

impl Rights {
    /// What this machine lets us do.
    pub(super) fn find() -> anyhow::Result<Self> {
        if quiet(Command::new("id").arg("--user"))?.trim() == "0" {
            return Ok(Self::Root);
        }
        quiet(Command::new("unshare").args(["--map-root-user", "--mount", "true"])).context(
            "this needs root, or user namespaces for everybody; this machine forbids them",
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
    /// Takes a folder as it is.
    pub(super) fn new(folder: PathBuf, rights: Rights) -> Self {
        Self { folder, rights }
    }

    /// The file that programs inside see at this path.
    pub(super) fn outside(&self, path: &str) -> PathBuf {
        self.folder.join(path.trim_start_matches('/'))
    }

    /// A program to run inside, with nothing of our environment.
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

    /// Runs a program inside and returns what it printed.
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

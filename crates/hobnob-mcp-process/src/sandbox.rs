//! What the processes of one command may see of the file system, as a value.
//!
//! Whoever starts a command writes a [`Sandbox`]; on Linux a runner puts itself into it with
//! Landlock before it takes the first command. Everything that is not named is out of reach.

use std::path::PathBuf;

/// The files a command may use, beside the system's own programs and libraries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Folders and files it may read, and whose programs it may run.
    pub read: Vec<PathBuf>,
    /// Folders and files it may also change.
    pub write: Vec<PathBuf>,
    /// Whether it may use TCP.
    pub network: NetworkAccess,
    /// What to do on a machine that has no sandbox.
    pub need: SandboxNeed,
}

/// Whether a command in a sandbox may open TCP connections and listen for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkAccess {
    /// The same connections as without a sandbox.
    Allowed,
    /// Not by TCP, where the kernel can forbid it (Linux 6.7 and later).
    Denied,
}

/// What to do on a machine that has no sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxNeed {
    /// Refuse to run anything.
    Required,
    /// Run what was asked for without one.
    WherePossible,
}

/// Why a command that needs a sandbox does not run, and what to do about it.
#[cfg(unix)]
pub(crate) const NO_SANDBOX: &str = "the command needs a sandbox, and this system has none (no Landlock): allow it to run without \
     one, or use Linux 5.13 or later with Landlock switched on";

/// The sandbox that this machine's kernel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandlockSupport {
    /// Landlock with the rights of this version of its interface.
    Version(u8),
    /// None: not Linux, too old, or switched off when the machine was started.
    Missing,
}

impl LandlockSupport {
    /// What a person gets from it, as a sentence.
    pub fn describes(self) -> String {
        match self {
            Self::Version(version) => {
                let files = if version < 3 { "most" } else { "all" };
                let network =
                    if version < 4 { ", but not to keep them off the network" } else { "" };
                let signals = if version < 6 { "" } else { " and to keep their signals inside" };
                format!(
                    "Landlock (version {version}) can confine commands to their folders, for {files} \
                     ways of changing a file{signals}{network}."
                )
            }
            Self::Missing => {
                "This system has no Landlock (Linux 5.13 or later, with `landlock` in \
                              /sys/kernel/security/lsm), so commands cannot be confined to folders."
                    .to_owned()
            }
        }
    }
}

/// Only Linux has Landlock.
#[cfg(not(target_os = "linux"))]
pub fn landlock_support() -> LandlockSupport {
    LandlockSupport::Missing
}

//! What the processes of one command may see of the file system, as a value.
//!
//! Whoever starts a command writes a [`Sandbox`]; on Linux a runner puts itself into it with
//! Landlock before it takes the first command. Everything that is not named is out of reach.

use std::path::PathBuf;

/// A folder or file that a sandbox leaves in reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxPath {
    /// The absolute path that leads to it.
    pub path: PathBuf,
    /// Which file must be there when the sandbox is made; nothing runs if it is another one.
    pub identity: Option<FileIdentity>,
}

impl SandboxPath {
    /// Whatever lies at this path when the sandbox is made, if anything does.
    pub fn whatever_is_at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), identity: None }
    }
}

/// Which file it is, whatever name leads to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// The number of the device that has it.
    pub device: u64,
    /// Its number on that device.
    pub inode: u64,
}

/// The files a command may use, beside the system's own programs and libraries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Folders and files it may read, and whose programs it may run.
    pub read: Vec<SandboxPath>,
    /// Folders and files it may also change.
    pub write: Vec<SandboxPath>,
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

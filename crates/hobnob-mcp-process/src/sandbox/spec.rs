//! Describes what the processes of a command can reach, and how far this machine enforces it.

use std::fmt;
use std::path::PathBuf;

/// The home and the temporary folder of a command with a root of its own: a file system in memory,
/// whose size the memory limit bounds.
pub const SCRATCH: &str = "/tmp";

/// The system's programs, libraries and settings, which every sandbox may read and run.
pub const SYSTEM_PATHS: [&str; 13] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/run/current-system",
    "/sys/devices/system/cpu",
    "/var/lib/ca-certificates",
];

/// A folder or file that a sandbox leaves in reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxPath {
    /// The absolute path of the file or folder.
    pub path: PathBuf,
    /// Which file must be at the path when the sandbox is made; if it is another one, nothing runs.
    pub identity: Option<FileIdentity>,
}

impl SandboxPath {
    /// The file that is at this path when the sandbox is made, if there is one.
    pub fn unchecked(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), identity: None }
    }
}

/// Identifies a file, independent of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// The number of the device that holds the file.
    pub device: u64,
    /// The inode number of the file on that device.
    pub inode: u64,
}

/// What a command can reach in addition to the system's own programs and libraries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// How it is enforced. A runner that cannot enforce it refuses to run anything.
    pub level: SandboxLevel,
    /// Folders and files that the command may read, and whose programs it may run.
    pub read: Vec<SandboxPath>,
    /// Folders and files that the command may also change.
    pub write: Vec<SandboxPath>,
    /// Whether the command has the host's network.
    pub network: NetworkAccess,
}

/// The network of a command in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkAccess {
    /// None: a network namespace with only loopback, or no sockets at all.
    Denied,
    /// The network of the host, its loopback interface included.
    Host {
        /// TCP ports that it must not connect to: those of Hobnob's own listeners.
        closed_ports: Vec<u16>,
    },
}

/// How a sandbox is enforced, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SandboxLevel {
    /// Landlock as far as the kernel supports it, possibly not at all.
    Weak,
    /// Landlock version 3 or later, and a filter of system calls that refuses sockets.
    Partial,
    /// Namespaces with their own root, Landlock version 3 or later, and a system call filter.
    Full,
}

impl SandboxLevel {
    /// Every level, weakest first.
    pub const ALL: [Self; 3] = [Self::Weak, Self::Partial, Self::Full];

    /// The level's name in settings and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }

    /// The guarantees of a sandbox, each with whether this level gives it.
    pub fn guarantees(self) -> impl Iterator<Item = (&'static str, bool)> {
        GUARANTEES.iter().map(move |(guarantee, from)| (*guarantee, *from <= self))
    }
}

/// The guarantees of a sandbox, each with the weakest level that gives it.
const GUARANTEES: [(&str, SandboxLevel); 8] = [
    ("reads and writes no file outside its grant", SandboxLevel::Partial),
    ("reaches no socket of another program, nor Hobnob's", SandboxLevel::Partial),
    ("has no network, unless it is granted", SandboxLevel::Partial),
    ("makes no system call that leads around the other walls", SandboxLevel::Partial),
    ("changes no mode, owner, time or attribute of a file outside its grant", SandboxLevel::Full),
    ("sees and signals no other process", SandboxLevel::Full),
    (
        "leaves nothing in memory, and takes no more than its limit for files there",
        SandboxLevel::Full,
    ),
    ("has none of root's rights, even as root", SandboxLevel::Full),
];

impl fmt::Display for SandboxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The strongest sandbox that works on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxSupport {
    /// How that sandbox is enforced.
    pub level: SandboxLevel,
    /// Why no stronger level works.
    pub obstacle: Option<String>,
}

/// The version of Landlock that this machine's kernel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandlockSupport {
    /// Landlock with the rights of this version of its interface.
    Version(u8),
    /// The kernel has none: it is not Linux, or too old, or Landlock was disabled at boot.
    Missing,
}

impl LandlockSupport {
    /// Whether it can close TCP ports to a program, which needs version 4 (Linux 6.7).
    pub fn closes_ports(self) -> bool {
        match self {
            Self::Version(version) => 4 <= version,
            Self::Missing => false,
        }
    }
}

impl fmt::Display for LandlockSupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => write!(f, "Landlock version {version}"),
            Self::Missing => f.write_str(
                "no Landlock (it needs Linux 5.13 with `landlock` in /sys/kernel/security/lsm)",
            ),
        }
    }
}

//! What the processes of a command can reach, as a value, and how far this machine enforces it.

use std::fmt;
use std::path::PathBuf;

/// Where a command with a root of its own has its home and its temporary files: a file system in
/// memory, whose size the limit of memory bounds.
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
    /// The absolute path that leads to it.
    pub path: PathBuf,
    /// Which file must be there when the sandbox is made; nothing runs if it is another one.
    pub identity: Option<FileIdentity>,
}

impl SandboxPath {
    /// The file at this path when the sandbox is made, if there is one.
    pub fn unchecked(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), identity: None }
    }
}

/// Which file it is, under any of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// The number of the device that has it.
    pub device: u64,
    /// Its number on that device.
    pub inode: u64,
}

/// What a command can use, beside the system's own programs and libraries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// How it is enforced: a runner that cannot do so refuses to run anything.
    pub level: SandboxLevel,
    /// Folders and files it may read, and whose programs it may run.
    pub read: Vec<SandboxPath>,
    /// Folders and files it may also change.
    pub write: Vec<SandboxPath>,
    /// Whether it has the host's network.
    pub network: NetworkAccess,
}

/// The network of a command in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkAccess {
    /// None: a network of its own with nothing but loopback, or no sockets at all.
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
    /// Landlock as far as the kernel has it, which may be not at all.
    Weak,
    /// Landlock version 3 or later, and a filter of system calls that refuses sockets.
    Partial,
    /// Namespaces with a root of its own, Landlock version 3 or later, and a filter of system calls.
    Full,
}

impl SandboxLevel {
    /// Every level, weakest first.
    pub const ALL: [Self; 3] = [Self::Weak, Self::Partial, Self::Full];

    /// Its name, in settings and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }

    /// What this level guarantees, and what it does not.
    pub fn guarantees(self) -> impl Iterator<Item = (&'static str, bool)> {
        GUARANTEES.iter().map(move |(guarantee, from)| (*guarantee, *from <= self))
    }
}

/// What a sandbox guarantees, and the weakest level that does.
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
    /// How it is enforced.
    pub level: SandboxLevel,
    /// Why no stronger one works.
    pub obstacle: Option<String>,
}

/// The version of Landlock that this machine's kernel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandlockSupport {
    /// Landlock with the rights of this version of its interface.
    Version(u8),
    /// None: not Linux, too old, or switched off when the machine was started.
    Missing,
}

impl LandlockSupport {
    /// Whether it can keep a program away from TCP ports, which version 4 (Linux 6.7) began.
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

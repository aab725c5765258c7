//! How much of the machine the processes of one command may use.
//!
//! The caller of a command fills in [`ProcessLimits`]. A runner applies them to itself, so that
//! every command it starts inherits them, and watches the sums that no per-process limit covers.

use std::fmt;
use std::time::Duration;

/// Tasks (threads included) per process that a command may have: the kernel's limit only has to
/// hold between two samples of the sampler.
#[cfg(target_os = "linux")]
pub(crate) const TASKS_PER_PROCESS: u64 = 4;

/// What one command may use, together with everything it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessLimits {
    /// Bytes of memory: of each process, and resident in all of them together.
    pub memory: u64,
    /// Processes at the same time.
    pub processes: u32,
    /// CPU time of all processes together.
    pub cpu: Duration,
    /// Open descriptors of each process.
    pub descriptors: u64,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self {
            memory: 2 << 30,
            processes: 64,
            cpu: Duration::from_secs(10 * 60),
            descriptors: 1024,
        }
    }
}

/// How a command is kept within its memory limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemorySupport {
    /// The kernel refuses more: each command runs in a cgroup with this limit.
    Kernel,
    /// Hobnob samples ten times a second, so a command can exceed the limit for a moment.
    Sampled {
        /// Why the kernel cannot enforce the limit.
        obstacle: String,
    },
}

/// The limit that ended a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// It used more memory than allowed.
    Memory,
    /// It had more processes at once than allowed.
    Processes,
    /// It used more CPU time than allowed.
    Cpu,
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::Processes => "number of processes",
            Self::Cpu => "CPU time",
        })
    }
}

//! How much of the machine the processes of one command may take.
//!
//! Whoever starts a command writes [`ProcessLimits`]; a runner takes them over for itself, so that
//! every command it starts inherits them, and watches the sums that no single process shows.

use std::fmt;
use std::time::Duration;

/// Tasks (threads count too) for each process that a command may have: the limits of the kernel are
/// there for the moment between two looks of the sampler.
#[cfg(target_os = "linux")]
pub(crate) const TASKS_PER_PROCESS: u64 = 4;

/// What one command may use, with everything it starts.
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

/// How a command is kept from taking more memory than it may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemorySupport {
    /// The kernel refuses more: each command runs in a cgroup with this limit.
    Kernel,
    /// Hobnob looks ten times a second, so a command can take more for a moment.
    Sampled {
        /// Why the kernel does not hold the limit.
        obstacle: String,
    },
}

/// Which limit ended a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// More memory than it may have.
    Memory,
    /// More processes at once than it may have.
    Processes,
    /// More CPU time than it may have.
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

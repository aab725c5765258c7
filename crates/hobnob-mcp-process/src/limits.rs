//! How much of the machine the processes of one command may take.
//!
//! Whoever starts a command writes [`ProcessLimits`]; a runner takes them over for itself, so that
//! every command it starts inherits them, and watches the sums that no single process shows.

use std::fmt;
use std::time::Duration;

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

//! How much the service runs at once, keeps and waits for, each with its reason.
//!
//! What a person may want to change is in [`ShellOptions`]; the rest is fixed.

use crate::commands::{LaunchOptions, OwnPorts, SearchPath};
use hobnob_mcp_process::supervisor::Level;
use std::path::PathBuf;
use std::time::Duration;

/// How long a command may run if nobody names a time.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a caller may let a command run. Calls end after 15 minutes whatever they do; what runs
/// longer is started in the background.
pub(super) const LONGEST_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// From this time on, a caller that can take a task gets one instead of waiting.
pub(super) const TASK_FROM: Duration = Duration::from_secs(120);

/// Bytes of each stream that a result has; more is read and left out.
pub(super) const KEPT_BYTES: usize = 1 << 20;
/// Bytes of output that are streamed to a caller who may lose some: a program that never stops writing
/// must not keep the connection busy. The result has the end of it. Callers that need everything hold
/// the program up instead.
pub(super) const STREAMED_BYTES: usize = 8 << 20;
/// Bytes of input that one call may bring.
pub(super) const INPUT_BYTES: usize = 1 << 20;
/// Pieces of input that may wait for a program to read them.
pub(super) const WAITING_INPUTS: usize = 16;

/// Commands that run at once while their callers wait, of all clients and of one.
pub(super) const COMMANDS: (usize, usize) = (32, 16);
/// Processes in the background, of all clients and of one; those that have ended count while
/// their output can still be read.
pub(super) const PROCESSES: (usize, usize) = (32, 8);
/// How long a process may run in the background.
pub(super) const LONGEST_LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// CPU time of a process in the background and all that it starts.
pub(super) const BACKGROUND_CPU: Duration = Duration::from_secs(4 * 60 * 60);
/// How long a process of a client lives that has no session whose end we could see, after the last
/// call about it.
pub(super) const LEASE: Duration = Duration::from_secs(15 * 60);
/// How long the output of a process can be read after its end.
pub(super) const KEPT_AFTER_END: Duration = Duration::from_secs(10 * 60);
/// How long `output` waits for something new at most.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What a person may set, and where the service keeps the folders that commands start in.
#[derive(Debug, Clone)]
pub struct ShellOptions {
    /// Bytes of memory that a command may have, with everything it starts.
    pub memory: u64,
    /// Processes that a command may be at once.
    pub processes: u32,
    /// CPU time that a command may use while its caller waits.
    pub cpu: Duration,
    /// How long a command may run if its caller names no time.
    pub timeout: Duration,
    /// A program that is a runner when started with its argument: usually our own, as
    /// `/proc/self/exe`. No command may be this file.
    pub runner: PathBuf,
    /// What makes sure that nothing of a command survives; without one, the strongest that works,
    /// found out with the first command.
    pub level: Option<Level>,
    /// The name of a variable that every command has, without a value: Hobnob's own commands refuse to
    /// change grants where they find it.
    pub marker: Option<String>,
    /// A private folder, in which the service makes empty folders for commands that have none of their
    /// own. Processes may share it.
    pub scratch: PathBuf,
    /// Hobnob's own folders, which no confined command may see.
    pub hidden: Vec<PathBuf>,
    /// Hobnob's own TCP ports, which no confined command may connect to.
    pub own_ports: OwnPorts,
}

impl ShellOptions {
    /// The limits that hold if nobody sets others. Our own program is the runner.
    pub fn new(scratch: PathBuf, hidden: Vec<PathBuf>) -> Self {
        let (cpu, runner) = (LONGEST_TIMEOUT, PathBuf::from("/proc/self/exe"));
        let (level, marker) = (None, None);
        let (memory, processes, own_ports) = (512 << 20, 64, OwnPorts::default());
        let timeout = DEFAULT_TIMEOUT;
        Self { memory, processes, cpu, timeout, runner, level, marker, scratch, hidden, own_ports }
    }

    /// How commands are started, in the foreground and in the background.
    pub(super) fn launch(&self) -> LaunchOptions {
        LaunchOptions {
            memory: self.memory,
            processes: self.processes,
            parallel: COMMANDS.0 + PROCESSES.0,
            runner: self.runner.clone(),
            level: self.level,
            markers: self.marker.iter().cloned().collect(),
            search_path: SearchPath::System,
            scratch: self.scratch.clone(),
            hidden: self.hidden.clone(),
            own_ports: self.own_ports.clone(),
        }
    }
}

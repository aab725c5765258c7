//! The limits of the shell service on commands, sizes and times, each with its reason.
//!
//! The limits that a person may want to change are in [`ShellOptions`]; the rest is fixed.

use crate::commands::{LaunchOptions, OwnPorts, SearchPath};
use hobnob_mcp_process::supervisor::Level;
use std::path::PathBuf;
use std::time::Duration;

/// Timeout of a command if the caller sets none.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// Longest timeout that a caller may set. A call ends after 15 minutes in any case; commands that
/// run for longer are started in the background.
pub(super) const MAX_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// A command with at least this timeout becomes a task for callers that support tasks.
pub(super) const TASK_THRESHOLD: Duration = Duration::from_secs(120);

/// How many bytes of each stream a result contains; more output is read and dropped.
pub(super) const MAX_KEPT_BYTES: usize = 1 << 20;
/// How many bytes of output are streamed to a caller that may miss some: a program that never stops
/// writing must not keep the connection busy. The result still has the end of the output. Callers
/// that need every event slow the program down instead.
pub(super) const MAX_STREAMED_BYTES: usize = 8 << 20;
/// Largest input of one call, in bytes.
pub(super) const MAX_INPUT_BYTES: usize = 1 << 20;
/// Capacity of the queue of input that a program has not read yet.
pub(super) const INPUT_QUEUE: usize = 16;

/// Commands that run at once while their callers wait, in total and per client.
pub(super) const COMMANDS: (usize, usize) = (32, 16);
/// Background processes, in total and per client; ended ones count as long as their output can
/// still be read.
pub(super) const PROCESSES: (usize, usize) = (32, 8);
/// Longest run of a background process.
pub(super) const MAX_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// CPU time of a background process and all its child processes.
pub(super) const BACKGROUND_CPU: Duration = Duration::from_secs(4 * 60 * 60);
/// The lease of a process whose client has no observable end: how long it lives after the last call
/// about it.
pub(super) const LEASE: Duration = Duration::from_secs(15 * 60);
/// How long the output of a process is kept after its end.
pub(super) const OUTPUT_RETENTION: Duration = Duration::from_secs(10 * 60);
/// Longest wait of `output` for new output.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(30);

/// The settings of a person, and the folders that the service uses.
#[derive(Debug, Clone)]
pub struct ShellOptions {
    /// Memory of a command and all its child processes, in bytes.
    pub memory: u64,
    /// Most processes that a command may have at once.
    pub processes: u32,
    /// CPU time of a command whose caller waits.
    pub cpu: Duration,
    /// Timeout of a command if its caller sets none.
    pub timeout: Duration,
    /// The executable that acts as a runner when started with the runner's argument: usually
    /// Hobnob's own, as `/proc/self/exe`. No command may be this file.
    pub runner: PathBuf,
    /// The mechanism that ends every process of a command. If `None`, the strongest one that works
    /// is detected with the first command.
    pub level: Option<Level>,
    /// The name of an empty variable that every command gets: Hobnob's own commands refuse to
    /// change grants where they find it.
    pub marker: Option<String>,
    /// A private folder for the scratch folders of commands that have no granted folder. Several
    /// processes may share it.
    pub scratch: PathBuf,
    /// Hobnob's own folders, which no confined command may see.
    pub hidden: Vec<PathBuf>,
    /// Hobnob's own TCP ports, which no confined command may connect to.
    pub own_ports: OwnPorts,
}

impl ShellOptions {
    /// The default limits. Hobnob's own executable is the runner.
    pub fn new(scratch: PathBuf, hidden: Vec<PathBuf>) -> Self {
        let (cpu, runner) = (MAX_TIMEOUT, PathBuf::from("/proc/self/exe"));
        let (level, marker) = (None, None);
        let (memory, processes, own_ports) = (512 << 20, 64, OwnPorts::default());
        let timeout = DEFAULT_TIMEOUT;
        Self { memory, processes, cpu, timeout, runner, level, marker, scratch, hidden, own_ports }
    }

    /// How commands are started, both in the foreground and in the background.
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

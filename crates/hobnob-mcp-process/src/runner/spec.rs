//! The values that callers of a runner write and read: what it is asked to run, and how a command
//! ended.

use crate::limits::{LimitKind, ProcessLimits};
use crate::sandbox::Sandbox;
use crate::supervisor::Level;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

/// The restrictions of a runner. Commands share a runner only if all of these are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerSpec {
    /// How much each command may use.
    pub limits: ProcessLimits,
    /// Which files each command can reach; `None` means all files of its user.
    pub sandbox: Option<Sandbox>,
    /// The level of supervision, as found by [`detect`](crate::supervisor::detect).
    /// [`Level::Group`] means no runner, and limits per process only.
    pub level: Level,
    /// Separates commands that must not share a runner: one runner never serves two keys.
    pub key: String,
}

/// The standard input of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandInput {
    /// No input: it is at its end at once.
    Nothing,
    /// The bytes that the caller writes to a pipe.
    Pipe,
}

/// The folder in which a command starts.
#[derive(Debug)]
pub enum StartFolder {
    /// This folder: the caller has made sure that it is the right one.
    Opened(OwnedFd),
    /// The empty scratch space that each command of a full sandbox has.
    Scratch,
}

/// One command to start.
pub struct ProgramStart {
    /// The program's name, looked up in the `PATH` of `environment`, or its path.
    pub program: OsString,
    /// The arguments, without the program's own name.
    pub arguments: Vec<OsString>,
    /// The whole environment: no variable of ours is added.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder it starts in.
    pub folder: StartFolder,
    /// The command's standard input.
    pub input: CommandInput,
}

/// Hides arguments and values of variables, which may be secrets.
impl fmt::Debug for ProgramStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.environment.iter().map(|(name, _)| name).collect();
        f.debug_struct("ProgramStart")
            .field("program", &self.program)
            .field("arguments", &self.arguments.len())
            .field("environment", &names)
            .finish_non_exhaustive()
    }
}

/// How a command ended, and which side ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandEnd {
    /// It exited by itself, with this code.
    Code(i32),
    /// It ended by a signal, which it sent itself or another process did, but not Hobnob.
    Signal(i32),
    /// We ended it, because it exceeded this limit.
    Limit(LimitKind),
    /// We ended it on request.
    Killed,
}

impl fmt::Display for CommandEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}"),
            Self::Limit(kind) => write!(f, "ended at the limit of its {kind}"),
            Self::Killed => f.write_str("was ended"),
        }
    }
}

/// How a command ended, and what it used until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandReport {
    /// How the command ended.
    pub end: CommandEnd,
    /// CPU time of it and of everything it started.
    pub cpu: Duration,
    /// Peak resident bytes: of its largest process, or of all its processes in one sample. Unknown
    /// for commands that were small and short.
    pub peak_memory: Option<u64>,
}

/// Why a command was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The caller named a program that does not exist or cannot be run.
    #[error("{0}")]
    Program(#[source] io::Error),
    /// The command needs a sandbox that the machine does not have, or a limit that cannot be set.
    #[error("{0}")]
    Restriction(String),
    /// Too many commands run already.
    #[error("{0} commands run already: wait for one to end, or stop one")]
    Busy(usize),
    /// The machine does not let us start a process.
    #[error("no process can be started to run the command: {0}")]
    Runner(#[source] io::Error),
}

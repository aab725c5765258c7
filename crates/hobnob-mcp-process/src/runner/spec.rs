//! What a runner is asked to do, and how a command ended: the values that whoever runs commands
//! writes and reads.

use crate::limits::{LimitKind, ProcessLimits};
use crate::sandbox::Sandbox;
use crate::supervisor::Level;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

/// What a runner restricts itself to. Commands share a runner only if all of this is equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerSpec {
    /// How much each command may use.
    pub limits: ProcessLimits,
    /// What each command may see of the files; everything that its user may, if nothing.
    pub sandbox: Option<Sandbox>,
    /// What makes sure that nothing of a command survives: what [`detect`](crate::supervisor::detect)
    /// has found. [`Level::Group`] means no runner, and a limit only of each process.
    pub level: Level,
    /// Whoever runs commands keeps them apart with it: one runner never serves two keys.
    pub key: String,
}

/// What a command finds on its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandInput {
    /// Its end, at once.
    Nothing,
    /// What is written to a pipe.
    Pipe,
}

/// Where a command starts.
#[derive(Debug)]
pub enum StartFolder {
    /// In this folder: the caller has made sure that it is the right one.
    Opened(OwnedFd),
    /// In the empty scratch space that each command of a full sandbox has.
    Scratch,
}

/// One command as it is to be started.
pub struct ProgramStart {
    /// Its name, looked up in the `PATH` of `environment`, or its path.
    pub program: OsString,
    /// What it is given, without its own name.
    pub arguments: Vec<OsString>,
    /// Its whole environment: nothing of ours is added.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder it runs in.
    pub folder: StartFolder,
    /// What it can read.
    pub input: CommandInput,
}

/// Arguments and values of variables may be secrets.
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

/// How a command ended, and who ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandEnd {
    /// It exited by itself, with this code.
    Code(i32),
    /// By a signal that it, or somebody other than us, sent.
    Signal(i32),
    /// We ended it, because it used more than it may.
    Limit(LimitKind),
    /// We ended it, because we were asked to.
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
    /// By itself, or by whom.
    pub end: CommandEnd,
    /// CPU time of it and of everything it started.
    pub cpu: Duration,
    /// Bytes resident at the highest, of its largest process or of all that were seen at once. Not
    /// known of commands that were small and short.
    pub peak_memory: Option<u64>,
}

/// Why a command was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program is not there, or cannot be run: the caller named it.
    #[error("{0}")]
    Program(#[source] io::Error),
    /// The command needs a sandbox that the machine does not have, or a limit that cannot be set.
    #[error("{0}")]
    Restriction(String),
    /// Too many commands run already.
    #[error("{0} commands run already: wait for one to end, or stop one")]
    Busy(usize),
    /// The machine does not let us.
    #[error("no process can be started to run the command: {0}")]
    Runner(#[source] io::Error),
}

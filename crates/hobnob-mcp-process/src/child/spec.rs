//! What to start, how it is supervised, how much time it gets, and how it ended: the values that
//! whoever starts a [`Child`](super::Child) writes and reads.

use crate::sandbox::Sandbox;
use crate::supervisor::Level;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// A program to start.
#[derive(Clone)]
pub struct ChildSpec {
    /// Its name, looked up in the `PATH` of `env`, or its path.
    pub program: OsString,
    /// What it is given, without its own name.
    pub args: Vec<OsString>,
    /// Its whole environment: nothing of ours is added.
    pub env: Vec<(OsString, OsString)>,
    /// Where it runs; ours if not said.
    pub cwd: Option<PathBuf>,
    /// What makes sure that nothing of it survives.
    pub supervision: Supervision,
}

/// Arguments and values of variables may be secrets.
impl fmt::Debug for ChildSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("ChildSpec")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &names)
            .field("cwd", &self.cwd)
            .field("supervision", &self.supervision)
            .finish()
    }
}

/// What makes sure that nothing of a child survives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supervision {
    /// Its process group, which ends with its leader, or when we end it.
    Group,
    /// A supervisor process between us and it, which ends everything when we end.
    Supervisor {
        /// A program that is a supervisor when started with its argument: usually our own, as `/proc/self/exe`.
        program: PathBuf,
        /// What the supervisor does; [`Level::Group`] is the same as no supervisor.
        level: Level,
    },
    /// The same, and the supervisor enters a sandbox before it starts the program. Where the folder
    /// that the program is to run in is out of reach, it runs in [`SCRATCH`](crate::SCRATCH).
    Confined {
        /// The same program as above.
        program: PathBuf,
        /// What the supervisor does; a full sandbox needs [`Level::Namespace`].
        level: Level,
        /// What the program and everything it starts can reach.
        sandbox: Box<Sandbox>,
    },
}

/// How long a child may take to end by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopGrace {
    /// After the end of its input.
    pub eof: Duration,
    /// After SIGTERM, before SIGKILL.
    pub term: Duration,
}

impl Default for StopGrace {
    fn default() -> Self {
        Self { eof: Duration::from_secs(3), term: Duration::from_secs(2) }
    }
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited by itself, with this code.
    Code(i32),
    /// By this signal. A supervisor passes signals on as shells do, so that a supervised program
    /// which itself exits with 128 and the number of a signal looks the same.
    Signal(i32),
    /// The system does not say.
    Unknown,
}

/// The last of the signals that end a process by default.
const LAST_SIGNAL: i32 = 31;

impl Exit {
    pub(super) fn of_program(status: ExitStatus) -> Self {
        let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(Self::Signal);
        status.code().map(Self::Code).or(signal).unwrap_or(Self::Unknown)
    }

    pub(super) fn of_supervisor(status: ExitStatus) -> Self {
        match Self::of_program(status) {
            Self::Code(code) if (1..=LAST_SIGNAL).contains(&(code - 128)) => {
                Self::Signal(code - 128)
            }
            other => other,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}"),
            Self::Unknown => f.write_str("ended in an unknown way"),
        }
    }
}

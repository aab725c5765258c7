//! What to start, how it is supervised, how much time it gets to end, and how it ended: the values
//! that the code around a [`Child`](super::Child) writes and reads.

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
    /// The program's name, looked up in the `PATH` of `env`, or its path.
    pub program: OsString,
    /// The arguments, without the program's own name.
    pub args: Vec<OsString>,
    /// The whole environment: no variable of ours is added.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory; ours if `None`.
    pub cwd: Option<PathBuf>,
    /// How to make sure that nothing of it survives.
    pub supervision: Supervision,
}

/// Hides arguments and values of variables, which may be secrets.
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

/// How to make sure that nothing of a child survives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supervision {
    /// By its process group, which ends with its leader, or when we end it.
    Group,
    /// By a supervisor process between us and it, which ends everything when we end.
    Supervisor {
        /// Our own program, usually `/proc/self/exe`: with its argument it acts as a supervisor.
        program: PathBuf,
        /// What the supervisor does; [`Level::Group`] is the same as no supervisor.
        level: Level,
    },
    /// By a supervisor that enters a sandbox before it starts the program. If the working directory
    /// is out of reach there, the program runs in [`SCRATCH`](crate::SCRATCH).
    Confined {
        /// A program that acts as a supervisor when started with its argument.
        program: PathBuf,
        /// What the supervisor does; a full sandbox needs [`Level::Namespace`].
        level: Level,
        /// What the program, and everything it starts, can reach.
        sandbox: Box<Sandbox>,
    },
}

/// How long a child may take to end by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopGrace {
    /// After its input was closed.
    pub eof: Duration,
    /// After SIGTERM and before SIGKILL.
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
    /// It was ended by this signal. A supervisor reports signals as shells do, so a supervised
    /// program that itself exits with 128 plus the number of a signal looks the same.
    Signal(i32),
    /// The system did not say.
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

//! What to start, how it is kept, how much time it gets, and how it ended.

use crate::keeper::Level;
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
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Where it runs; ours if not said.
    pub cwd: Option<PathBuf>,
    /// What makes sure that nothing of it survives.
    pub keeper: Keeping,
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
            .field("keeper", &self.keeper)
            .finish()
    }
}

/// What makes sure that nothing of a child survives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keeping {
    /// Its process group.
    Group,
    /// A keeper.
    Kept {
        /// A program that is a keeper when told so: usually our own, as `/proc/self/exe`.
        keeper: PathBuf,
        /// What the keeper does; [`Level::Group`] is the same as no keeper.
        level: Level,
    },
}

/// How long a child may take to end by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopGrace {
    /// After the end of its input.
    pub eof: Duration,
    /// After SIGTERM.
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
    /// With this code.
    Code(i32),
    /// By this signal. A keeper passes signals on as shells do, so that a kept program which
    /// itself exits with 128 and the number of a signal looks the same.
    Signal(i32),
    /// The system does not say.
    Unknown,
}

/// The last of the signals that end a process by default.
const LAST_SIGNAL: i32 = 31;

impl Exit {
    pub(super) fn direct(status: ExitStatus) -> Self {
        let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(Self::Signal);
        status.code().map(Self::Code).or(signal).unwrap_or(Self::Unknown)
    }

    pub(super) fn kept(status: ExitStatus) -> Self {
        match Self::direct(status) {
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

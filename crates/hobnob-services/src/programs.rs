//! The port that records every program a service starts; the binary writes them to the audit log.
//!
//! A program that could not be started or was abandoned is recorded, too.

use std::time::Duration;

/// One run of a program by a service.
#[derive(Debug, Clone, Copy)]
pub struct ProgramRun<'a> {
    /// The caller's principal, as far as it is authenticated.
    pub principal: &'a str,
    /// The program and its arguments, which hold no secrets.
    pub command: &'a str,
    /// How the program ended.
    pub exit: ProgramExit,
    /// How long it took.
    pub duration: Duration,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramExit {
    /// It exited with this code.
    Code(i32),
    /// A signal ended it.
    Signal,
    /// It could not be started.
    NotStarted,
    /// It was killed because it took too long.
    TimedOut,
    /// It was killed because its caller was gone.
    Abandoned,
}

/// Records every program that a service runs. Must not block.
pub trait ProgramLog: Send + Sync {
    /// Called once for every program, after it has ended.
    fn ran(&self, run: &ProgramRun<'_>);
}

/// Records nothing, for tests and evaluations.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgramLog;

impl ProgramLog for NoProgramLog {
    fn ran(&self, _: &ProgramRun<'_>) {}
}

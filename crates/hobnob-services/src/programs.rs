//! The port that records every program a service starts; the binary writes it to the audit log.
//!
//! A program that could not be started or was abandoned is recorded too.

use std::time::Duration;

/// One program that a service ran.
#[derive(Debug, Clone, Copy)]
pub struct ProgramRun<'a> {
    /// Who asked for it, as far as was proved.
    pub principal: &'a str,
    /// The program and its arguments; they hold no secrets.
    pub command: &'a str,
    /// How the program ended.
    pub exit: ProgramExit,
    /// How long it took.
    pub duration: Duration,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramExit {
    /// With this exit code.
    Code(i32),
    /// A signal ended it.
    Signal,
    /// It could not be started.
    NotStarted,
    /// It was ended because it took too long.
    TimedOut,
    /// It was ended because nobody waits for it any more.
    Abandoned,
}

/// Records every program that a service runs. Must not wait.
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

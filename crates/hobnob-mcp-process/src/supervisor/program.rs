//! The program that a supervisor runs, and how it is started: shared by both ways of supervising
//! ([`namespace`](super::namespace), [`subreaper`](super::subreaper)).
//!
//! A supervisor holds none of the program's pipes once it runs: otherwise we would not notice that
//! the program has closed its own ends.

use super::level::ARGUMENT;
use super::watch::{ChildWatcher, Lifeline};
use crate::sandbox::{SCRATCH, Sandbox, SandboxLevel, enter};
use rustix::process::{DumpableBehavior, Pid, chdir, set_dumpable_behavior};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// The exit code for a program that exists but cannot be run, as in shells.
const NOT_RUN: u8 = 126;
/// The exit code for a program that does not exist, as in shells.
const NOT_FOUND: u8 = 127;
/// The exit code of a program that was ended with SIGKILL, as in shells.
pub(super) const KILLED: u8 = 128 + 9;

/// Bytes of scratch space in a root of its own: only bytes that are written take memory.
const SCRATCH_BYTES: u64 = 512 << 20;

/// The program that a supervisor starts, and the pipe that tells it when to end.
pub(super) struct SupervisedProgram {
    pub(super) lifeline: Lifeline,
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
    /// Which files the program can reach; `None` means all files of its user.
    pub(super) sandbox: Option<Sandbox>,
}

impl SupervisedProgram {
    /// The command that starts the program, with the supervisor's own standard streams.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        command
    }

    /// Whether the program has a root of its own.
    pub(super) fn has_own_root(&self) -> bool {
        self.sandbox.as_ref().is_some_and(|sandbox| sandbox.level == SandboxLevel::Full)
    }

    /// Enters the sandbox for good, if there is one; the inner error is an exit code.
    pub(super) fn confine(&self) -> io::Result<Result<(), u8>> {
        let Some(sandbox) = &self.sandbox else { return Ok(Ok(())) };
        let folder = std::env::current_dir()?;
        // Otherwise the program could take the lifeline from this process.
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
        if let Err(why) = enter(sandbox, SCRATCH_BYTES) {
            report(&format!("the sandbox cannot be entered: {why}"));
            return Ok(Err(NOT_RUN));
        }
        if sandbox.level == SandboxLevel::Full && chdir(&folder).is_err() {
            chdir(SCRATCH)?;
        }
        Ok(Ok(()))
    }
}

/// A command for this program, in another role.
pub(crate) fn ourselves(role: &str) -> Command {
    // This path works even if the file was replaced or removed in the meantime.
    let mut command = Command::new("/proc/self/exe");
    command.arg0("hobnob-supervisor").arg(ARGUMENT).arg(role);
    command
}

/// Starts a command and closes our ends of its pipes; the inner error is an exit code.
pub(super) fn start(
    watcher: &mut ChildWatcher,
    command: &mut Command,
    program: &OsStr,
) -> io::Result<Result<Pid, u8>> {
    match watcher.spawn(command) {
        Ok(pid) => {
            close_pipes()?;
            Ok(Ok(pid))
        }
        Err(error) => {
            report(&format!("cannot start `{}`: {error}", program.display()));
            let missing = error.kind() == io::ErrorKind::NotFound;
            Ok(Err(if missing { NOT_FOUND } else { NOT_RUN }))
        }
    }
}

/// Closes the standard streams that this process inherited for the program.
pub(crate) fn close_pipes() -> io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// Writes one line to the program's standard error, before our copy is closed.
pub(super) fn report(what: &str) {
    // Without a standard error the message has nowhere to go.
    drop(io::stderr().write_all(format!("hobnob: {what}\n").as_bytes()));
}

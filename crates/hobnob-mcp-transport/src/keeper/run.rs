//! What a keeper process does, from its arguments to its exit code.
//!
//! `__keep LEVEL LIFELINE[:DESCRIPTORS] PROGRAM ARGUMENT…`: single-threaded, holds none of the
//! server's pipes, and exits as the program did. `DESCRIPTORS` is the soft limit that the program
//! gets, where it is not the keeper's own.

use super::watch::{Lifeline, Watch};
use super::{namespace, probe, subreaper};
use crate::descriptor_limit;
use rustix::process::Pid;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

/// The keeper itself cannot do its work.
const BROKEN: u8 = 125;
/// The program is there but cannot be run.
const NOT_RUN: u8 = 126;
/// There is no such program.
const NOT_FOUND: u8 = 127;
/// As if it had been ended with SIGKILL, which it was.
pub(super) const KILLED: u8 = 128 + 9;

/// What a keeper is to start, and how it is told that nobody wants it any more.
pub(super) struct Task {
    pub(super) lifeline: Lifeline,
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
}

/// Runs as a keeper. `arguments` are those after [`ARGUMENT`](super::ARGUMENT).
///
/// A program that starts children with a keeper calls this first thing in its `main`, before any
/// thread is started: a process with threads cannot enter a new namespace.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let role = arguments.next().unwrap_or_default();
    let code = match role.to_str() {
        Some("probe-namespace") => probe::namespace(),
        Some("probe-subreaper") => probe::subreaper(),
        Some("probe-init") => probe::init(),
        Some(role) => keep(role, arguments),
        None => Err(io::ErrorKind::InvalidInput.into()),
    };
    ExitCode::from(code.unwrap_or_else(|error| {
        tell(&format!("the keeper cannot do its work: {error}"));
        BROKEN
    }))
}

fn keep(role: &str, mut arguments: impl Iterator<Item = OsString>) -> io::Result<u8> {
    let lifeline = arguments.next().unwrap_or_default();
    let lifeline = lifeline.to_str().ok_or(io::ErrorKind::InvalidInput)?;
    let (lifeline, descriptors) = match lifeline.split_once(':') {
        Some((lifeline, soft)) => (lifeline, soft.parse().ok()),
        None => (lifeline, None),
    };
    if let Some(soft) = descriptors {
        descriptor_limit::lower(soft)?;
    }
    let lifeline = Lifeline::inherited(lifeline)?;
    let program = arguments.next().ok_or(io::ErrorKind::InvalidInput)?;
    let task = Task { lifeline, program, arguments: arguments.collect() };
    // Before anything is started, so that no end of a child is missed.
    let watch = Watch::install()?;
    match role {
        "namespace" => namespace::outside(watch, task),
        "init" => namespace::init(watch, task, namespace::Proc::Inherited),
        "init-proc" => namespace::init(watch, task, namespace::Proc::Fresh),
        "subreaper" => subreaper::keep(watch, task),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "unknown kind of keeper")),
    }
}

/// This program again, with another role.
pub(super) fn ourselves(role: &str) -> Command {
    // Works even when the file was replaced or removed since.
    let mut command = Command::new("/proc/self/exe");
    command.arg0("hobnob-keeper").arg(super::ARGUMENT).arg(role);
    command
}

/// Starts what was asked for and lets go of its pipes; the exit code if that is not possible.
pub(super) fn start(command: &mut Command, program: &OsStr) -> io::Result<Result<Pid, u8>> {
    match command.spawn() {
        Ok(child) => {
            let pid = Pid::from_raw(child.id().cast_signed());
            let pid = pid.ok_or(io::ErrorKind::InvalidData)?;
            let_go_of_pipes()?;
            Ok(Ok(pid))
        }
        Err(error) => {
            tell(&format!("cannot start `{}`: {error}", program.display()));
            let missing = error.kind() == io::ErrorKind::NotFound;
            Ok(Err(if missing { NOT_FOUND } else { NOT_RUN }))
        }
    }
}

/// The command that the whole thing is about.
pub(super) fn command(task: &Task) -> Command {
    let mut command = Command::new(&task.program);
    command.args(&task.arguments);
    command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    command
}

/// Otherwise nobody would notice when the server closes its own ends.
fn let_go_of_pipes() -> io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// One line on what is still the server's standard error.
pub(super) fn tell(what: &str) {
    // Without a standard error there is nobody to tell that to either.
    drop(io::stderr().write_all(format!("hobnob: {what}\n").as_bytes()));
}

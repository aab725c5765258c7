//! Tells whether Hobnob started a process, or a program that Hobnob confines did: from the
//! arguments of the ancestors, which the process cannot change.
//!
//! No process can leave its ancestors where supervisors and runners work: they end with everything
//! below them, or adopt every orphan.

use crate::sandbox::SandboxLevel;
use crate::supervisor::{ARGUMENT, CONFINED, parent_of};
use rustix::process::{Pid, getpid};
use std::fs;
use std::io;

/// A limit that no harmless process reaches.
const MAX_ANCESTORS: usize = 1024;

/// Whether a supervisor or a runner, and so a hub and not a person, started this process.
pub fn is_started_by_hub() -> bool {
    // A process that cannot read its own ancestors counts as started by a person.
    any_ancestor(getpid(), is_supervisor).unwrap_or(false)
}

/// Whether a supervisor or a runner, of this process or of any other, started that process.
///
/// # Errors
/// When the process is gone, or cannot be inspected.
pub fn is_process_started_by_hub(pid: u32) -> io::Result<bool> {
    any_ancestor(process(pid)?, is_supervisor)
}

/// Whether a process, or one of its ancestors, runs in the sandbox of a
/// [runner](crate::runner::RunnerPool) or of a supervisor, of this process or of any other.
///
/// # Errors
/// When the process is gone, or cannot be inspected.
pub fn is_confined(pid: u32) -> io::Result<bool> {
    any_ancestor(process(pid)?, confines)
}

fn process(pid: u32) -> io::Result<Pid> {
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    number.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// Whether `fits` accepts the arguments of the process or of one of its ancestors.
fn any_ancestor(pid: Pid, fits: fn(&[u8]) -> bool) -> io::Result<bool> {
    let mut arguments = fs::read(format!("/proc/{pid}/cmdline"))?;
    let mut next = parent_of(pid)?;
    for _ in 0..MAX_ANCESTORS {
        if fits(&arguments) {
            return Ok(true);
        }
        let Some(pid) = next else { return Ok(false) };
        // Some systems hide the processes of other users, which Hobnob did not start.
        let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) else { return Ok(false) };
        arguments = line;
        next = parent_of(pid)?;
    }
    Err(io::Error::other("the process has too many ancestors"))
}

/// Whether these are the arguments of one of our own processes that start others.
fn is_supervisor(arguments: &[u8]) -> bool {
    arguments.split(|byte| *byte == 0).nth(1) == Some(ARGUMENT.as_bytes())
}

/// Whether these are the arguments of a supervisor with a sandbox, or of a runner, whose last
/// argument names its sandbox.
fn confines(arguments: &[u8]) -> bool {
    let mut words = arguments.split(|byte| *byte == 0).skip(2);
    match words.next() {
        _ if !is_supervisor(arguments) => false,
        Some(b"runner") => {
            let sandbox = words.nth(1);
            SandboxLevel::ALL.iter().any(|it| sandbox == Some(it.name().as_bytes()))
        }
        role => role == Some(CONFINED.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        confines, is_confined, is_process_started_by_hub, is_started_by_hub, is_supervisor,
    };

    #[test]
    fn our_own_processes_are_told_by_their_arguments() {
        for (words, supervises, is_walled) in [
            (&["hobnob-runner", "__supervise", "runner", "namespace", "full"][..], true, true),
            (&["hobnob-runner", "__supervise", "runner", "subreaper", "partial"], true, true),
            (&["x", "__supervise", "runner", "subreaper", "weak"], true, true),
            (&["hobnob-runner", "__supervise", "runner", "namespace", "unconfined"], true, false),
            (&["hobnob-supervisor", "__supervise", "init-proc", "3", "full"], true, false),
            (&["hobnob-supervisor", "__supervise", "confined", "init", "3", "full"], true, true),
            (&["hobnob", "serve"], false, false),
            (&["x", "confined", "__supervise"], false, false),
            (&["sh", "-c", "__supervise runner namespace full"], false, false),
            (&[""], false, false),
        ] {
            let mut line = words.join("\0").into_bytes();
            line.push(0);
            assert_eq!(is_supervisor(&line), supervises, "{words:?}");
            assert_eq!(confines(&line), is_walled, "{words:?}");
        }
        assert!(is_confined(0).is_err());
        assert_eq!(is_confined(std::process::id()).ok(), Some(false));
        assert!(!is_started_by_hub());
        assert!(is_process_started_by_hub(0).is_err());
        assert_eq!(is_process_started_by_hub(std::process::id()).ok(), Some(false));
    }
}

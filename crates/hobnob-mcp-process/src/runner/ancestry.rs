//! Whether a process was started by a confined command: the second wall of a private socket, whose
//! peers all have the same user.
//!
//! A command cannot leave its ancestors: its runner ends with it, or every orphan falls to the runner.

use crate::sandbox::SandboxLevel;
use crate::supervisor::{ARGUMENT, parent_of};
use rustix::process::Pid;
use std::fs;
use std::io;

/// More ancestors than any process has that means well.
const MAX_ANCESTORS: usize = 1024;

/// Whether the process, or one of its ancestors, runs in a sandbox of a [runner](super::RunnerPool), of
/// this process or of any other.
///
/// # Errors
/// When the process is gone, or cannot be looked at.
pub fn is_confined(pid: u32) -> io::Result<bool> {
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let mut next = Some(number.ok_or(io::ErrorKind::InvalidInput)?);
    for _ in 0..MAX_ANCESTORS {
        let Some(pid) = next else { return Ok(false) };
        if is_confined_runner(&fs::read(format!("/proc/{pid}/cmdline"))?) {
            return Ok(true);
        }
        next = parent_of(pid)?;
    }
    Err(io::Error::other("the process has too many ancestors"))
}

/// The arguments with which [`exchange`](super::exchange) starts a runner say how it is confined.
fn is_confined_runner(arguments: &[u8]) -> bool {
    let mut words = arguments.split(|byte| *byte == 0).skip(1);
    let is_runner = words.next() == Some(ARGUMENT.as_bytes()) && words.next() == Some(b"runner");
    let sandbox = words.nth(1);
    is_runner && SandboxLevel::ALL.iter().any(|it| sandbox == Some(it.name().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{is_confined, is_confined_runner};

    #[test]
    fn a_confined_runner_is_told_by_its_arguments() {
        for (words, expected) in [
            (&["hobnob-runner", "__supervise", "runner", "namespace", "full"][..], true),
            (&["hobnob-runner", "__supervise", "runner", "subreaper", "partial"], true),
            (&["x", "__supervise", "runner", "subreaper", "weak"], true),
            (&["hobnob-runner", "__supervise", "runner", "namespace", "unconfined"], false),
            (&["hobnob", "serve"], false),
            (&["sh", "-c", "__supervise runner namespace full"], false),
            (&[""], false),
        ] {
            let mut line = words.join("\0").into_bytes();
            line.push(0);
            assert_eq!(is_confined_runner(&line), expected, "{words:?}");
        }
        assert!(is_confined(0).is_err());
        assert_eq!(is_confined(std::process::id()).ok(), Some(false));
    }
}

//! What this machine allows, found out by doing it once in a process that is gone right after.
//! Whoever starts children calls [`detect`] once; the other functions run in those processes.

use super::level::{ARGUMENT, Level};
use super::program::ourselves;
use super::{namespace, subreaper};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{getpid, set_child_subreaper};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Unlike the code of a program that knows nothing of supervisors.
const POSSIBLE: u8 = 83;
const IMPOSSIBLE: u8 = 84;

/// How long a probe may take.
const LIMIT: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };

/// The strongest level that works here. `supervisor` is the program that will supervise children.
///
/// Starts up to two short processes and blocks until they have ended, so ask once and remember.
pub fn detect(supervisor: &Path) -> Level {
    if works(supervisor, "probe-namespace") {
        Level::Namespace
    } else if works(supervisor, "probe-subreaper") {
        Level::Subreaper
    } else {
        Level::Group
    }
}

fn works(supervisor: &Path, role: &str) -> bool {
    let mut command = Command::new(supervisor);
    command.args([ARGUMENT, role]).env_clear();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut probe) = command.spawn() else { return false };
    // The pipe closes when the probe ends; nothing is ever written to it.
    let ended = probe.stdout.as_ref().is_some_and(|output| {
        poll(&mut [PollFd::new(output, PollFlags::IN)], Some(&LIMIT)).is_ok_and(|ready| ready > 0)
    });
    if !ended {
        // It may have ended just now; then there is nothing to end.
        drop(probe.kill());
    }
    probe.wait().is_ok_and(|status| status.code() == Some(POSSIBLE.into()))
}

/// The process outside of a namespace that has nothing in it but its init.
pub(super) fn namespace() -> io::Result<u8> {
    if namespace::enter().is_err() {
        return Ok(IMPOSSIBLE);
    }
    let status = ourselves("probe-init").status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(IMPOSSIBLE))
}

/// The init of that namespace.
pub(super) fn init() -> io::Result<u8> {
    Ok(if getpid().as_raw_nonzero().get() == 1 { POSSIBLE } else { IMPOSSIBLE })
}

/// A supervisor that could find its descendants.
pub(super) fn subreaper() -> io::Result<u8> {
    set_child_subreaper(Some(getpid()))?;
    subreaper::descendants()?;
    Ok(POSSIBLE)
}

//! Finds out what this machine allows, by trying it in a process that ends right away. The code
//! that starts children calls [`detect`] once; the other functions run in those processes.

use super::level::{ARGUMENT, Level};
use super::program::ourselves;
use super::{namespace, subreaper};
use crate::sandbox::{self, NetworkAccess, Sandbox, SandboxLevel, SandboxSupport};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{getpid, set_child_subreaper};
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Exit codes of a probe that a program without supervisors does not use.
const EXIT_POSSIBLE: u8 = 83;
const EXIT_IMPOSSIBLE: u8 = 84;

/// The maximum length of a probe's explanation, in bytes.
const MAX_REASON: u64 = 4096;

/// Bytes of scratch space in a sandbox that exists only for the probe.
const PROBE_SCRATCH: u64 = 1 << 20;

/// The longest time a probe may take.
const PROBE_TIMEOUT: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };

/// The strongest level that works here. `supervisor` is the program that will supervise children.
///
/// Starts up to two short processes and blocks until they have ended, so call it once.
pub fn detect(supervisor: &Path) -> Level {
    if works(supervisor, "probe-namespace") {
        Level::Namespace
    } else if works(supervisor, "probe-subreaper") {
        Level::Subreaper
    } else {
        Level::Group
    }
}

/// The strongest sandbox that works here. Starts up to two short processes, so call it once.
pub fn sandbox_support(supervisor: &Path) -> SandboxSupport {
    let mut obstacle = None;
    for level in [SandboxLevel::Full, SandboxLevel::Partial] {
        match attempt(supervisor, &["probe-sandbox", level.name()]) {
            Attempt::Works => return SandboxSupport { level, obstacle },
            Attempt::Fails(why) => obstacle = obstacle.or(Some(why)),
        }
    }
    SandboxSupport { level: SandboxLevel::Weak, obstacle }
}

/// The outcome of a probe.
enum Attempt {
    Works,
    /// It does not work; the text says why.
    Fails(String),
}

fn works(supervisor: &Path, role: &str) -> bool {
    matches!(attempt(supervisor, &[role]), Attempt::Works)
}

fn attempt(supervisor: &Path, role: &[&str]) -> Attempt {
    let mut command = Command::new(supervisor);
    command.arg(ARGUMENT).args(role).env_clear();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut probe = match command.spawn() {
        Ok(probe) => probe,
        Err(error) => return Attempt::Fails(error.to_string()),
    };
    let mut said = String::new();
    // The pipe closes when the probe ends; the probe writes at most one line before.
    let ended = probe.stdout.take().is_some_and(|output| {
        let mut watched = [PollFd::new(&output, PollFlags::IN)];
        let is_ready = poll(&mut watched, Some(&PROBE_TIMEOUT)).is_ok_and(|ready| ready > 0);
        is_ready && output.take(MAX_REASON).read_to_string(&mut said).is_ok()
    });
    if !ended {
        // If it has ended just now, there is no process to kill.
        drop(probe.kill());
    }
    match probe.wait() {
        Ok(status) if status.code() == Some(EXIT_POSSIBLE.into()) => Attempt::Works,
        _ => Attempt::Fails(said.trim_end().to_owned()),
    }
}

/// Reports why something does not work.
fn impossible(why: &str) -> io::Result<u8> {
    io::stdout().write_all(why.as_bytes())?;
    Ok(EXIT_IMPOSSIBLE)
}

/// Enters a sandbox that names no files.
pub(super) fn sandbox(level: Option<OsString>) -> io::Result<u8> {
    match level.as_ref().and_then(|level| level.to_str()) {
        Some("full") => {
            if let Err(error) = namespace::enter_confined() {
                return impossible(&format!("no namespace for users and processes: {error}"));
            }
            let status = ourselves("probe-sandbox-init").status()?;
            Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(EXIT_IMPOSSIBLE))
        }
        Some("partial") => try_sandbox(SandboxLevel::Partial),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// The first process of the namespaces that a full sandbox has.
pub(super) fn sandbox_init() -> io::Result<u8> {
    if let Err(error) = namespace::settle_confined() {
        return impossible(&format!("no `/proc` of its own: {error}"));
    }
    try_sandbox(SandboxLevel::Full)
}

fn try_sandbox(level: SandboxLevel) -> io::Result<u8> {
    let network = NetworkAccess::Denied;
    let sandbox = Sandbox { level, read: Vec::new(), write: Vec::new(), network };
    match sandbox::enter(&sandbox, PROBE_SCRATCH) {
        Ok(()) => Ok(EXIT_POSSIBLE),
        Err(why) => impossible(&why),
    }
}

/// The process outside of a namespace whose only process is its init.
pub(super) fn namespace() -> io::Result<u8> {
    if namespace::enter().is_err() {
        return Ok(EXIT_IMPOSSIBLE);
    }
    let status = ourselves("probe-init").status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(EXIT_IMPOSSIBLE))
}

/// The init of that namespace.
pub(super) fn init() -> io::Result<u8> {
    Ok(if getpid().as_raw_nonzero().get() == 1 { EXIT_POSSIBLE } else { EXIT_IMPOSSIBLE })
}

/// Checks that a supervisor could find its descendants.
pub(super) fn subreaper() -> io::Result<u8> {
    set_child_subreaper(Some(getpid()))?;
    subreaper::descendants()?;
    Ok(EXIT_POSSIBLE)
}

//! One run of a program: with a timeout, a limit on its output, and cancellation.
//!
//! The output goes to a file and not to a pipe: Wine's background programs would keep a pipe open
//! long after `reg` has ended.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::problem::RegistryError;

/// The polling interval for a running program.
const POLL_INTERVAL: Duration = Duration::from_millis(4);

/// The limits of a run.
pub(super) struct RunLimits<'a> {
    pub(super) time: Duration,
    /// Maximum size of the file that it writes, in bytes.
    pub(super) bytes: u64,
    /// Cancels the run when it is set.
    pub(super) cancelled: &'a AtomicBool,
}

/// Where a program's output goes.
pub(super) enum RunOutput<'a> {
    /// Nowhere: only the exit status matters.
    Discarded,
    /// Into this file, from its standard output.
    Printed(&'a Path),
    /// Into this file, which an argument names.
    Written(&'a Path),
}

/// How a program ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunEnd {
    Success,
    Failure,
}

/// Runs a program to its end; on any error, kills it first.
pub(super) fn run(
    command: &mut Command,
    output: &RunOutput<'_>,
    limits: &RunLimits<'_>,
) -> Result<RunEnd, RegistryError> {
    let printed = match output {
        RunOutput::Printed(file) => Stdio::from(File::create_new(file)?),
        RunOutput::Discarded | RunOutput::Written(_) => Stdio::null(),
    };
    command.stdin(Stdio::null()).stdout(printed).stderr(Stdio::null());
    own_group(command);
    let begun = Instant::now();
    let mut running = Running(command.spawn()?);
    loop {
        let ended = running.0.try_wait()?;
        let size = match output {
            RunOutput::Discarded => 0,
            RunOutput::Printed(file) | RunOutput::Written(file) => {
                fs::metadata(file).map_or(0, |file| file.len())
            }
        };
        if limits.bytes < size {
            return Err(RegistryError::TooMuch);
        }
        match ended {
            Some(status) if status.success() => return Ok(RunEnd::Success),
            Some(_) => return Ok(RunEnd::Failure),
            None if limits.cancelled.load(Ordering::Relaxed) => {
                return Err(RegistryError::Cancelled);
            }
            None if limits.time <= begun.elapsed() => {
                return Err(RegistryError::Late(limits.time));
            }
            None => std::thread::sleep(POLL_INTERVAL),
        }
    }
}

/// A program that is killed with its process group if it has not ended by itself. Wine's server has
/// a session of its own, so it survives and saves the changes.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            end_group(&mut self.0);
            // It was killed, so this is quick; without it, a zombie would stay.
            self.0.wait().ok();
        }
    }
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_command: &mut Command) {}

#[cfg(unix)]
fn end_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    match i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        Some(group) => drop(kill_process_group(group, Signal::KILL)),
        None => drop(child.kill()),
    }
}

#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    child.kill().ok();
}

#[cfg(test)]
mod tests;

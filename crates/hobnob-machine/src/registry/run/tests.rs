//! Runs of small programs: how they end, and that none outlives its run.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{RunEnd, RunLimits, RunOutput, run};
use crate::registry::problem::RegistryError;

fn shell(line: &str, folder: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).current_dir(folder);
    command
}

fn limits(time: Duration, cancelled: &AtomicBool) -> RunLimits<'_> {
    RunLimits { time, bytes: 1000, cancelled }
}

/// A timeout that no test reaches.
const LONG: Duration = Duration::from_secs(600);

#[test]
fn the_end_and_what_is_printed_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let on = AtomicBool::new(false);
    let file = folder.path().join("printed");
    let mut command = shell("echo out; echo err >&2", folder.path());
    let end = run(&mut command, &RunOutput::Printed(&file), &limits(LONG, &on)).unwrap();
    assert_eq!((end, fs::read_to_string(&file).unwrap().as_str()), (RunEnd::Success, "out\n"));
    let mut command = shell("exit 3", folder.path());
    let end = run(&mut command, &RunOutput::Discarded, &limits(LONG, &on)).unwrap();
    assert_eq!(end, RunEnd::Failure);
    let mut command = Command::new(folder.path().join("nothing"));
    let error = run(&mut command, &RunOutput::Discarded, &limits(LONG, &on)).unwrap_err();
    assert!(matches!(error, RegistryError::NotRun(_)), "{error}");
}

/// Runs a line that opens `held` for a child of its own too, and returns how the run ended. It
/// returns only once the last process that has `held` open is gone.
fn ended(line: &str, time: Duration, if_ready: impl FnOnce(&AtomicBool)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let held = folder.path().join("held");
    assert!(Command::new("mkfifo").arg(&held).status().unwrap().success());
    let cancelled = AtomicBool::new(false);
    let file = folder.path().join("written");
    let line = format!("exec 3>held; echo >&3; sleep 600 & {line}");
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let mut command = shell(&line, folder.path());
            run(&mut command, &RunOutput::Written(&file), &limits(time, &cancelled)).unwrap_err()
        });
        let mut holding = fs::File::open(&held).unwrap();
        holding.read_exact(&mut [0]).unwrap();
        if_ready(&cancelled);
        holding.read_to_end(&mut Vec::new()).unwrap();
        running.join().unwrap().to_string()
    })
}

#[test]
fn a_run_that_is_ended_takes_its_group_along() {
    let cancelled = ended("wait", LONG, |cancelled| cancelled.store(true, Ordering::Relaxed));
    assert_eq!(cancelled, RegistryError::Cancelled.to_string());
    let line = "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done >written";
    assert_eq!(ended(line, LONG, |_| {}), RegistryError::TooMuch.to_string());
}

#[test]
fn a_run_ends_at_its_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = shell("exec sleep 600", folder.path());
    let on = AtomicBool::new(false);
    let none = limits(Duration::ZERO, &on);
    let error = run(&mut command, &RunOutput::Discarded, &none).unwrap_err();
    assert!(matches!(error, RegistryError::Late(_)), "{error}");
}

//! Finds the remaining processes of a trial: those with its programs or its home.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// The interval at which processes are listed.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Waits until no process of this home runs; returns the time, and what runs after the limit.
pub(crate) fn wait_for_end(home: &Path, limit: Duration) -> (Duration, Vec<String>) {
    let begun = Instant::now();
    loop {
        let running = processes_of(home);
        if running.is_empty() || limit <= begun.elapsed() {
            return (begun.elapsed(), running);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Processes whose program is in the home (the hub and its supervisors), or whose variable `HOME`
/// names it (servers and their children).
fn processes_of(home: &Path) -> Vec<String> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let variable = [b"HOME=", home.as_os_str().as_bytes()].concat();
    let belongs = |process: &Path| {
        let program = fs::read_link(process.join("exe")).unwrap_or_default();
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        let is_at_home = environment.split(|byte| *byte == 0).any(|it| it == variable);
        program.starts_with(home) || is_at_home
    };
    let found = processes.filter_map(Result::ok).map(|entry| entry.path());
    found.filter(|process| belongs(process)).map(|process| describe(&process)).collect()
}

/// The process in one line.
fn describe(process: &Path) -> String {
    let words = fs::read(process.join("cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).replace('\0', " ");
    let id = process.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("process {id}: {}", words.chars().take(120).collect::<String>())
}

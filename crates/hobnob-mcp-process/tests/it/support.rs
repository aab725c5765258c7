//! Helpers of all tests here: they start processes, and look at what is left of them.
//!
//! Invariant: each test marks its processes, so that it does not count those of other tests.

use hobnob_mcp_process::child::{Child, ChildPipes, ChildSpec, Supervision, environment};
use hobnob_mcp_process::supervisor::{Level, detect};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{interval, timeout};

/// A timeout far longer than any step takes, even on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A program in Python that forks twice and leaves a process in a session of its own behind.
pub(crate) const DAEMON: &str = "
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir('/')
        for number in range(3): os.close(number)
        time.sleep(1000)
    os._exit(0)
os.wait()
print('ready', flush=True)
sys.stdin.read()
";

/// The variables that a shell was given, in order, without those that it adds by itself.
pub(crate) fn given_variables<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let added = ["_=", "PWD=", "OLDPWD=", "SHLVL="];
    let given = |it: &&str| !added.iter().any(|own| it.starts_with(own));
    let mut variables: Vec<_> = lines.iter().copied().filter(given).collect();
    variables.sort_unstable();
    variables
}

/// The example `supervised`, which cargo builds along with the tests.
pub(crate) fn supervisor() -> PathBuf {
    let mut folder = std::env::current_exe().expect("a test is a file");
    folder.pop();
    folder.pop();
    let supervisor = folder.join("examples/supervised");
    assert!(supervisor.exists(), "{} is missing: cargo build --examples", supervisor.display());
    supervisor
}

/// Every level that works here, strongest first; there are at least two wherever tests run.
pub(crate) fn levels() -> Vec<Level> {
    match detect(&supervisor()) {
        Level::Namespace => vec![Level::Namespace, Level::Subreaper, Level::Group],
        Level::Subreaper => vec![Level::Subreaper, Level::Group],
        Level::Group => vec![Level::Group],
    }
}

pub(crate) fn spec(level: Level, program: &str, args: &[&str]) -> ChildSpec {
    ChildSpec {
        program: program.into(),
        args: args.iter().map(OsString::from).collect(),
        env: environment(|_| false, []),
        cwd: None,
        supervision: Supervision::Supervisor { program: supervisor(), level },
    }
}

/// Starts a shell script; further arguments are `$1` and so on.
pub(crate) fn shell(level: Level, script: &str, args: &[&str]) -> (Child, ChildPipes) {
    let args = [&["-c", script, "sh"], args].concat();
    Child::spawn(&spec(level, "sh", &args)).expect("a shell starts")
}

/// A number of seconds that no other process sleeps, and therefore a mark.
pub(crate) fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("9{:07}.{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The processes that have this mark in their command line.
pub(crate) fn with_mark(mark: &str) -> Vec<u32> {
    let has = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark)
    };
    pids().filter(has).collect()
}

/// The state of a process, as one letter; `None` once it is gone.
pub(crate) fn state(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

/// The number of our own children that have ended and were not reaped.
pub(crate) fn zombies() -> usize {
    let ours = |pid: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let rest = stat.rsplit(") ").next().unwrap_or_default();
        rest.starts_with(&format!("Z {} ", std::process::id()))
    };
    pids().filter(|pid| ours(*pid)).count()
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").expect("/proc is there");
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Polls until a condition holds.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let mut ticks = interval(Duration::from_millis(5));
    let looking = async {
        while !holds() {
            ticks.tick().await;
        }
    };
    timeout(LONG, looking).await.unwrap_or_else(|_| panic!("never: {what}"));
}

/// Reads one line of a child's output.
pub(crate) async fn line(stdout: &mut (impl AsyncRead + Unpin)) -> String {
    let reading = async {
        let mut line = Vec::new();
        loop {
            match stdout.read_u8().await.expect("there is a line") {
                b'\n' => return String::from_utf8(line).expect("text"),
                byte => line.push(byte),
            }
        }
    };
    timeout(LONG, reading).await.expect("in time")
}

//! No process survives: not those that left their session, and not even when the owner is killed.

use crate::support::{DAEMON, LONG, levels, line, mark, shell, spec, supervisor, until, with_mark};
use hobnob_mcp_process::child::{Child, StopGrace};
use hobnob_mcp_process::supervisor::Level;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::timeout;

/// Starts a process in a session of its own, and an orphan in another one.
const SCRIPT: &str = "setsid sleep $1 & \
    (setsid sh -c 'trap \"\" TERM HUP; sleep $0 & sleep $0' $1 &) ; \
    trap '' TERM HUP; echo ready; cat; wait";

fn supervising_levels() -> impl Iterator<Item = Level> {
    levels().into_iter().filter(|level| *level != Level::Group)
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Namespace => "namespace",
        Level::Subreaper => "subreaper",
        Level::Group => "group",
    }
}

#[test]
fn a_supervisor_is_possible_where_tests_run() {
    let best = levels()[0];
    assert_ne!(best, Level::Group, "{}", best.describes());
}

/// A supervisor blocks SIGCHLD, but not for the program.
#[tokio::test]
async fn no_signal_is_blocked_in_a_program() {
    for level in supervising_levels() {
        let program = spec(level, "grep", &["SigBlk", "/proc/self/status"]);
        let (_child, mut pipes) = Child::spawn(&program).expect("starts");
        assert_eq!(line(&mut pipes.stdout).await, "SigBlk:\t0000000000000000", "{level:?}");
    }
}

#[tokio::test]
async fn whoever_left_the_session_ends_with_the_child() {
    for level in supervising_levels() {
        let mark = mark();
        let (child, mut pipes) = shell(level, SCRIPT, &[&mark]);
        assert_eq!(line(&mut pipes.stdout).await, "ready");
        until("all have started", || with_mark(&mark).len() >= 5).await;
        drop(pipes);
        let short = std::time::Duration::from_millis(50);
        child.stop(StopGrace { eof: short, term: short }).await;
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
    }
}

#[tokio::test]
async fn a_daemon_ends_with_the_child() {
    for level in supervising_levels() {
        let mark = mark();
        let daemon = spec(level, "python3", &["-c", DAEMON, &mark]);
        let (child, mut pipes) = Child::spawn(&daemon).expect("starts");
        assert_eq!(line(&mut pipes.stdout).await, "ready");
        assert!(with_mark(&mark).len() >= 3, "supervisor, program, daemon");
        drop(pipes);
        child.stop(StopGrace { eof: LONG, term: LONG }).await;
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
    }
}

#[tokio::test]
async fn nothing_survives_when_the_owner_is_killed() {
    for level in supervising_levels() {
        for _ in 0..5 {
            let mut command = Command::new(supervisor());
            command.args([name(level), "sh", "-c", SCRIPT, "sh"]);
            kill_owner(command).await;
        }
    }
}

#[tokio::test]
async fn nothing_survives_when_the_supervisor_is_killed_in_a_namespace() {
    for level in supervising_levels().filter(|level| *level == Level::Namespace) {
        let mark = mark();
        let (mut child, mut pipes) = shell(level, SCRIPT, &[&mark]);
        assert_eq!(line(&mut pipes.stdout).await, "ready");
        until("all have started", || with_mark(&mark).len() >= 5).await;
        let pid = child.pid().to_string();
        assert!(Command::new("kill").args(["-KILL", &pid]).status().is_ok_and(|it| it.success()));
        child.exited().await;
        until("nothing is left", || with_mark(&mark).is_empty()).await;
    }
}

/// Without any rights of its user, a supervisor needs a user namespace too.
#[tokio::test]
async fn an_ordinary_user_has_the_guarantee_too() {
    let (folder, supervisor) = reachable_supervisor();
    let said = as_nobody(&supervisor).output().expect("runs");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let level = [Level::Namespace, Level::Subreaper]
        .into_iter()
        .find(|level| level.describes() == said.trim())
        .unwrap_or_else(|| panic!("no supervisor for an ordinary user: {said}"));

    let script = "id -u; echo $(grep Cap /proc/self/status | grep -v Bnd | cut -f 2 | sort -u); \
                  kill -KILL $PPID; echo $$";
    let output =
        as_nobody(&supervisor).args([name(level), "sh", "-c", script]).output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<_> = text.lines().collect();
    let user = rustix::process::getuid();
    let user = if user.is_root() { NOBODY.to_owned() } else { user.to_string() };
    match level {
        Level::Namespace => {
            // No capability of any kind, and the init of a namespace cannot be killed from inside.
            assert_eq!(lines, [user.as_str(), "0000000000000000", "2"], "{output:?}");
        }
        Level::Subreaper | Level::Group => assert_eq!(lines.first(), Some(&user.as_str())),
    }
    let mut command = as_nobody(&supervisor);
    command.args([name(level), "sh", "-c", SCRIPT, "sh"]);
    kill_owner(command).await;
    fs::remove_dir_all(folder).expect("it is ours");
}

/// Where no namespace is available, the supervisor falls back to the next level.
#[tokio::test]
async fn without_a_namespace_the_supervisor_does_the_work() {
    // A limit that counts only below this user namespace.
    let limited = "echo 0 > /proc/sys/user/max_pid_namespaces && exec \"$@\"";
    let start = || {
        let mut command = Command::new("unshare");
        command.args(["-U", "-r", "sh", "-c", limited, "sh"]).arg(supervisor());
        command
    };
    let said = start().output().expect("runs");
    if !said.status.success() {
        // No user namespace either: then only root may have a better level.
        assert!(rustix::process::getuid().is_root() || levels()[0] != Level::Namespace);
        return;
    }
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert_eq!(text.trim(), Level::Subreaper.describes());
    let mut command = start();
    command.args(["namespace", "sh", "-c", SCRIPT, "sh"]);
    kill_owner(command).await;
}

const NOBODY: &str = "65534";

/// A copy of the supervisor that every user can run, in a folder of its own.
pub(crate) fn reachable_supervisor() -> (PathBuf, PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("supervised-{}", mark()));
    fs::create_dir(&folder).expect("a folder can be made");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("and be opened");
    let copy = folder.join("supervised");
    fs::copy(supervisor(), &copy).expect("the supervisor can be copied");
    (folder, copy)
}

/// Runs the program as a user without rights, unless the tests already run as one.
pub(crate) fn as_nobody(program: &Path) -> Command {
    if !rustix::process::getuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(program);
    command.env("PATH", "/usr/bin:/bin");
    command
}

/// Starts an owner whose child leaves its session, kills the owner, and waits for all to end.
async fn kill_owner(mut command: Command) {
    let mark = mark();
    command.arg(&mark).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut owner = tokio::process::Command::from(command).spawn().expect("the owner starts");
    let mut output = BufReader::new(owner.stdout.take().expect("it is a pipe")).lines();
    let said = timeout(LONG, output.next_line()).await.expect("in time").expect("says something");
    assert_eq!(said.as_deref(), Some("ready"));
    until("all have started", || with_mark(&mark).len() >= 6).await;
    owner.start_kill().expect("it lives");
    owner.wait().await.expect("it ends");
    until("nothing is left", || with_mark(&mark).is_empty()).await;
}

//! One child: its exit, how it is ended, and its standard error.

use crate::support::{
    LONG, given_variables, levels, line, mark, shell, spec, state, until, with_mark, zombies,
};
use hobnob_mcp_process::child::{Child, Exit, StopGrace, Supervision};
use hobnob_mcp_process::supervisor::Level;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

const SHORT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn exit_codes_and_signals_pass_through() {
    for level in levels() {
        for (script, expected) in [
            ("exit 0", Exit::Code(0)),
            ("exit 3", Exit::Code(3)),
            ("exit 255", Exit::Code(255)),
            ("kill -TERM $$", Exit::Signal(15)),
            ("kill -KILL $$", Exit::Signal(9)),
            ("kill -SEGV $$", Exit::Signal(11)),
        ] {
            let (mut child, _pipes) = shell(level, script, &[]);
            assert_eq!(child.exited().await, expected, "{level:?} {script}");
            assert_eq!(child.exited().await, expected, "once more");
            assert_eq!(child.stop(StopGrace::default()).await, expected);
        }
    }
}

#[tokio::test]
async fn a_child_may_end_by_itself_before_it_is_killed() {
    let stubborn = "echo ready; while :; do sleep 0.02; done";
    for level in levels() {
        for (script, grace, expected) in [
            ("echo ready; cat; exit 7".into(), (LONG, LONG), Exit::Code(7)),
            (format!("trap 'exit 9' TERM; {stubborn}"), (SHORT, LONG), Exit::Code(9)),
            (stubborn.into(), (SHORT, LONG), Exit::Signal(15)),
            (format!("trap '' TERM; {stubborn}"), (SHORT, SHORT), Exit::Signal(9)),
            (format!("kill -STOP 0; {stubborn}"), (SHORT, SHORT), Exit::Signal(9)),
        ] {
            let stopped = script.starts_with("kill");
            let (child, mut pipes) = shell(level, &script, &[]);
            if stopped {
                until("it has stopped itself", || state(child.pid()) == Some('T')).await;
            } else {
                assert_eq!(line(&mut pipes.stdout).await, "ready");
            }
            drop(pipes);
            let (eof, term) = grace;
            let exit = timeout(LONG, child.stop(StopGrace { eof, term })).await;
            // Its supervisor wakes it to end it, and the pending SIGTERM may arrive first.
            let woken = stopped && level != Level::Group && exit == Ok(Exit::Signal(15));
            assert!(woken || exit == Ok(expected), "{level:?} {script}: {exit:?}");
        }
    }
}

#[tokio::test]
async fn waiting_can_be_given_up_and_taken_up_again() {
    for level in levels() {
        let (mut child, mut pipes) = shell(level, "echo ready; cat; echo last >&2; exit 5", &[]);
        line(&mut pipes.stdout).await;
        for _ in 0..3 {
            assert!(timeout(Duration::from_millis(1), child.exited()).await.is_err());
        }
        drop(pipes);
        assert_eq!(timeout(LONG, child.exited()).await, Ok(Exit::Code(5)));
        assert_eq!(child.stderr().tail(1), "last");
    }
}

#[tokio::test]
async fn ten_megabytes_of_stderr_hold_nobody_up() {
    for level in levels() {
        let script = "head -c 10485760 /dev/zero >&2; echo done; cat; echo the end >&2";
        let (child, mut pipes) = shell(level, script, &[]);
        assert_eq!(line(&mut pipes.stdout).await, "done");
        let log = child.stderr();
        drop(pipes);
        child.stop(StopGrace { eof: LONG, term: LONG }).await;
        assert_eq!(log.total(), 10_485_760 + 8, "{level:?}");
        assert!(log.tail(1).ends_with("the end"));
        assert!(log.tail(usize::MAX).len() <= 4 * 65_536);
    }
}

#[tokio::test]
async fn a_grandchild_that_holds_stderr_holds_nobody_up() {
    let mark = mark();
    // The grandchild writes after it has left the group, and only then does its parent exit.
    let script = "setsid sh -c 'echo ready; exec sleep $0' $1 & echo said >&2; cat; exit 4";
    let (mut child, mut pipes) = shell(Level::Group, script, &[&mark]);
    assert_eq!(line(&mut pipes.stdout).await, "ready");
    drop(pipes);
    assert_eq!(timeout(LONG, child.exited()).await, Ok(Exit::Code(4)));
    assert_eq!(child.stderr().tail(1), "said");
    let left = with_mark(&mark);
    assert_eq!(left.len(), 1, "only a supervisor could have ended it");
    let pid = left.first().map(|pid| pid.to_string()).unwrap_or_default();
    let mut kill = tokio::process::Command::new("kill");
    assert!(kill.args(["-KILL", &pid]).status().await.expect("kill runs").success());
}

#[tokio::test]
async fn the_group_ends_with_its_leader() {
    let mark = mark();
    let script = "sleep $1 & echo ready; exit 0";
    let (mut child, mut pipes) = shell(Level::Group, script, &[&mark]);
    assert_eq!(line(&mut pipes.stdout).await, "ready");
    child.exited().await;
    until("the rest of the group is gone", || with_mark(&mark).is_empty()).await;
}

#[tokio::test]
async fn nobody_but_the_program_holds_its_output() {
    for level in levels() {
        let (child, mut pipes) = shell(level, "exec 1>&-; exec cat", &[]);
        let mut rest = Vec::new();
        let end = timeout(LONG, pipes.stdout.read_to_end(&mut rest)).await;
        assert!(end.is_ok_and(|count| count.is_ok_and(|count| count == 0)), "{level:?}");
        drop(pipes);
        assert_eq!(child.stop(StopGrace { eof: LONG, term: LONG }).await, Exit::Code(1));
    }
}

#[tokio::test]
async fn a_child_that_cannot_start_leaves_its_reason() {
    let missing = Child::spawn(&spec(Level::Group, "no-such-program", &[])).map(drop);
    let error = missing.expect_err("there is none");
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().starts_with("`no-such-program` was not found in PATH (/"), "{error}");

    // An error that shows only when the system runs the file.
    let script = std::env::temp_dir().join(format!("supervised-{}", mark()));
    fs::write(&script, "#!/no/such/interpreter\n").expect("a file can be written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("and be executable");
    let path = script.to_str().expect("a plain path");
    for level in levels() {
        match Child::spawn(&spec(level, path, &[])) {
            Ok((mut child, _pipes)) => {
                assert_eq!(child.exited().await, Exit::Code(127), "{level:?}");
                let said = child.stderr().tail(1);
                assert!(
                    said.starts_with(&format!("hobnob: cannot start `{path}`: No such")),
                    "{said}"
                );
            }
            Err(error) => {
                assert_eq!((level, error.kind()), (Level::Group, ErrorKind::NotFound), "{error}");
                assert!(error.to_string().contains(path), "{error}");
            }
        }
    }
    fs::remove_file(script).expect("it is ours");
}

#[tokio::test]
async fn a_child_sees_its_own_environment_folder_and_descriptors() {
    const SCRIPT: &str = "pwd; ls /proc/self/fd | tr '\\n' ' '; echo; env";
    // The process that started the tests may have left inheritable descriptors open.
    let mut plain = tokio::process::Command::new("sh");
    let plain = plain.args(["-c", SCRIPT]).current_dir("/usr").env_clear().output().await;
    let plain = String::from_utf8(plain.expect("a shell starts").stdout).expect("text");
    let expected: Vec<_> = plain.lines().take(2).collect();
    assert_eq!(expected[0], "/usr");
    for level in levels() {
        let mut spec = spec(level, "sh", &["-c", SCRIPT]);
        spec.env = vec![("PATH".into(), "/usr/bin:/bin".into()), ("ONLY".into(), "this".into())];
        spec.cwd = Some("/usr".into());
        let (child, mut pipes) = Child::spawn(&spec).expect("starts");
        drop(pipes.stdin);
        let mut said = String::new();
        pipes.stdout.read_to_string(&mut said).await.expect("says it");
        child.stop(StopGrace::default()).await;
        let lines: Vec<_> = said.lines().collect();
        assert_eq!(lines[..2], expected, "{level:?}");
        assert_eq!(given_variables(&lines[2..]), ["ONLY=this", "PATH=/usr/bin:/bin"], "{level:?}");
    }
}

#[tokio::test]
async fn two_hundred_starts_leave_no_zombie() {
    for level in levels() {
        for _ in 0..200 {
            let (child, pipes) = Child::spawn(&spec(level, "true", &[])).expect("starts");
            drop(pipes);
            assert_eq!(child.stop(StopGrace { eof: LONG, term: LONG }).await, Exit::Code(0));
        }
        until("all are reaped", || zombies() == 0).await;
    }
}

#[tokio::test]
async fn a_dropped_child_is_gone_with_everything() {
    for level in levels() {
        let mark = mark();
        let mut children = Vec::new();
        for _ in 0..20 {
            let (child, mut pipes) = shell(level, "sleep $1 & echo ready; wait", &[&mark]);
            assert_eq!(line(&mut pipes.stdout).await, "ready");
            children.push(child);
        }
        assert!(with_mark(&mark).len() >= 40);
        let began = Instant::now();
        drop(children);
        until("nothing is left", || with_mark(&mark).is_empty()).await;
        until("all are reaped", || zombies() == 0).await;
        assert!(began.elapsed() < LONG / 2);
    }
}

#[tokio::test]
async fn a_group_needs_no_supervisor() {
    let mut spec = spec(Level::Group, "sh", &["-c", "exit 6"]);
    spec.supervision = Supervision::Group;
    let (mut child, _pipes) = Child::spawn(&spec).expect("starts");
    assert_eq!(child.exited().await, Exit::Code(6));
}

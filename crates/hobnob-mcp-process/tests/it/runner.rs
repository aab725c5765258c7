//! Commands in a runner: how they end, their environment, and that nothing of them is left.

use crate::commands::{
    TestPool, all_levels, finish, finish_reading, plain, pool, pool_with, program, runner_levels,
};
use crate::supervision::{as_nobody, reachable_supervisor};
use crate::support::{
    DAEMON, LONG, given_variables, line, mark, supervisor, until, with_mark, zombies,
};
use hobnob_mcp_process::runner::{
    CommandEnd, CommandInput, ProgramStart, RunnerSpec, StartError, StartFolder,
};
use hobnob_mcp_process::supervisor::Level;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::time::timeout;

#[tokio::test]
async fn codes_and_signals_are_told_apart() {
    let pool = pool();
    for level in all_levels() {
        for (script, expected) in [
            ("exit 0", CommandEnd::Code(0)),
            ("exit 3", CommandEnd::Code(3)),
            ("exit 137", CommandEnd::Code(137)),
            ("exit 143", CommandEnd::Code(143)),
            ("kill -KILL $$", CommandEnd::Signal(9)),
            ("kill -TERM $$", CommandEnd::Signal(15)),
            ("kill -SEGV $$", CommandEnd::Signal(11)),
        ] {
            let (mut tree, _pipes) = pool.script(&plain(level), script, &[]).await;
            let report = timeout(LONG, tree.ended()).await.expect("in time");
            assert_eq!(report.end, expected, "{level:?} {script}");
            assert_eq!(tree.ended().await, report, "once more");
            tree.kill();
            tree.terminate();
            assert_eq!(tree.ended().await, report, "too late");
        }
    }
}

#[tokio::test]
async fn input_and_both_outputs_pass_through() {
    let pool = pool();
    for level in all_levels() {
        let (mut tree, pipes) = pool.script(&plain(level), "cat; echo said >&2", &[]).await;
        let mut stdin = pipes.stdin.and_then(|it| it.into_sender().ok()).expect("a pipe");
        stdin.write_all(b"some input").await.expect("it is read");
        drop(stdin);
        let (report, output, errors) = finish_reading(&mut tree, pipes.stdout, pipes.stderr).await;
        assert_eq!((output.as_str(), errors.as_str()), ("some input", "said\n"), "{level:?}");
        assert_eq!(report.end, CommandEnd::Code(0));
    }
}

/// The input of a runner is the socket to Hobnob; a command must not get hold of it.
#[tokio::test]
async fn no_input_is_an_end_at_once_and_nobody_elses() {
    let pool = pool();
    for level in all_levels() {
        let words = ["sh", "-c", "cat; readlink /proc/self/fd/0"];
        let start =
            ProgramStart { input: CommandInput::Nothing, ..program(Path::new("/"), &words) };
        let (tree, pipes) = pool.start(&plain(level), start).await.expect("a shell starts");
        assert!(pipes.stdin.is_none(), "{level:?}");
        let (report, output, _) = finish((tree, pipes)).await;
        assert_eq!(
            (report.end, output.as_str()),
            (CommandEnd::Code(0), "/dev/null\n"),
            "{level:?}"
        );
    }
}

/// A runner blocks SIGCHLD; a program that inherits the block would never see its own children end.
#[tokio::test]
async fn no_signal_is_blocked_in_a_command() {
    let pool = pool();
    for level in all_levels() {
        // Do not use a shell, which may unblock all signals.
        let start = program(Path::new("/"), &["grep", "SigBlk", "/proc/self/status"]);
        let started = pool.start(&plain(level), start).await.expect("it starts");
        let (_, output, _) = finish(started).await;
        assert_eq!(output, "SigBlk:\t0000000000000000\n", "{level:?}");
    }
}

/// A runner remembers the path of the last folder; another folder may be there by now.
#[tokio::test]
async fn a_command_is_in_its_folder_whatever_took_its_place() {
    let pool = pool();
    for level in all_levels() {
        let above = tempfile::tempdir().expect("a folder");
        let above = above.path().canonicalize().expect("a path");
        let (first, moved) = (above.join("first"), above.join("moved"));
        fs::create_dir(&first).expect("a folder");
        let opened = || File::open(&first).expect("a folder");
        let (old, again) = (opened(), opened());
        let shown = async |folder: File| {
            let start = ProgramStart {
                folder: StartFolder::Opened(folder.into()),
                ..program(&above, &["pwd"])
            };
            finish(pool.start(&plain(level), start).await.expect("it starts")).await.1
        };
        assert_eq!(shown(old).await, format!("{}\n", first.display()), "{level:?}");
        fs::rename(&first, &moved).expect("it is moved");
        fs::create_dir(&first).expect("another folder");
        assert_eq!(shown(again).await, format!("{}\n", moved.display()), "{level:?}");
        assert_eq!(shown(opened()).await, format!("{}\n", first.display()), "{level:?}");
    }
}

#[tokio::test]
async fn a_runner_is_used_again_and_is_empty_in_between() {
    let pool = pool();
    for level in runner_levels() {
        let (mark, spec) = (mark(), plain(level));
        let mut seen = Vec::new();
        for _ in 0..5 {
            // A background process, a process with a session of its own, and an orphan.
            let script = "sleep $1 & setsid sleep $1 & (setsid sh -c 'sleep $0; :' $1 &) ; cat";
            let (mut tree, pipes) = pool.script(&spec, script, &[&mark]).await;
            seen.push(tree.runner_pid().expect("it waits for its input"));
            drop(pipes);
            timeout(LONG, tree.ended()).await.expect("in time");
            assert_eq!(tree.runner_pid(), None);
            assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
        }
        assert!(seen.iter().all(|pid| *pid == seen[0]), "{level:?}: {seen:?}");
        assert!(pool.pool.waiting_runners().contains(&seen[0]));
    }
}

#[tokio::test]
async fn commands_of_two_keys_never_share_a_runner() {
    let pool = pool();
    for level in runner_levels() {
        let mut seen = Vec::new();
        for key in ["one", "other", "one", "other"] {
            let spec = RunnerSpec { key: key.into(), ..plain(level) };
            let started = pool.script(&spec, "cat", &[]).await;
            seen.push(started.0.runner_pid().expect("it waits for its input"));
            finish(started).await;
        }
        assert!(seen[0] == seen[2] && seen[1] == seen[3] && seen[0] != seen[1], "{seen:?}");
    }
}

#[tokio::test]
async fn only_so_many_runners_wait_and_only_for_a_while() {
    for level in runner_levels() {
        let pool = pool_with(|options| {
            options.idle = 2;
            options.idle_time = Duration::from_millis(50);
        });
        let mut trees = Vec::new();
        for _ in 0..4 {
            trees.push(pool.script(&plain(level), "cat", &[]).await);
        }
        let pids: Vec<_> = trees.iter().filter_map(|(tree, _)| tree.runner_pid()).collect();
        for started in trees {
            finish(started).await;
            assert!(pool.pool.waiting_runners().len() <= 2);
        }
        until("nobody waits any more", || pool.pool.waiting_runners().is_empty()).await;
        let gone = |pid: &u32| !Path::new(&format!("/proc/{pid}")).exists();
        until("all have ended", || pids.iter().all(gone)).await;
    }
}

#[tokio::test]
async fn a_runner_that_was_killed_while_it_waited_is_replaced() {
    for level in runner_levels() {
        let pool = pool();
        pool.run(&plain(level), "exit 0", &[]).await;
        let waiting = pool.pool.waiting_runners();
        let pid = waiting[0].to_string();
        assert!(Command::new("kill").args(["-KILL", &pid]).status().is_ok_and(|it| it.success()));
        until("it is dead", || zombies() > 0).await;
        let (report, output, _) = pool.run(&plain(level), "echo again", &[]).await;
        assert_eq!((report.end, output.as_str()), (CommandEnd::Code(0), "again\n"));
        drop(pool);
        until("all are reaped", || zombies() == 0).await;
    }
}

#[tokio::test]
async fn a_command_sees_exactly_its_own_environment_folder_and_descriptors() {
    let pool = pool();
    let here = tempfile::tempdir().expect("a folder");
    let here = here.path().canonicalize().expect("it is there");
    let script = "pwd; ls /proc/self/fd | tr '\\n' ' '; echo; env";
    for level in all_levels() {
        let mut start = program(&here, &["sh", "-c", script]);
        start.environment.push(("ONLY".into(), "this".into()));
        let (report, output, errors) =
            finish(pool.start(&plain(level), start).await.expect("starts")).await;
        assert_eq!(report.end, CommandEnd::Code(0), "{errors}");
        let lines: Vec<_> = output.lines().collect();
        assert_eq!(Path::new(lines[0]), here);
        // The last one is the listing's own.
        assert_eq!(lines[1].trim(), "0 1 2 3", "{level:?}");
        assert_eq!(given_variables(&lines[2..]), ["ONLY=this", "PATH=/usr/bin:/bin"], "{level:?}");
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_run_says_why() {
    let pool = pool();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("text"), "no program").expect("a file");
    for level in all_levels() {
        for (word, kind) in [
            ("", ErrorKind::NotFound),
            ("no-such-program", ErrorKind::NotFound),
            ("./no-such-program", ErrorKind::NotFound),
            ("./text", ErrorKind::PermissionDenied),
        ] {
            let start = program(folder.path(), &[word]);
            match pool.start(&plain(level), start).await {
                Err(StartError::Program(error)) => assert_eq!(error.kind(), kind, "{error}"),
                other => panic!("{level:?} `{word}`: {other:?}"),
            }
        }
        let mut start = program(folder.path(), &["true"]);
        start.arguments = vec!["x".repeat(100_000).into(); 100];
        match pool.start(&plain(level), start).await {
            Err(StartError::Program(error)) => {
                assert_eq!(error.kind(), ErrorKind::ArgumentListTooLong, "{error}");
            }
            other => panic!("{level:?}: {other:?}"),
        }
        let (report, ..) = pool.run(&plain(level), "exit 0", &[]).await;
        assert_eq!(report.end, CommandEnd::Code(0), "the runner goes on");
    }
}

#[tokio::test]
async fn only_so_many_commands_run_at_once() {
    let pool = pool_with(|options| {
        options.parallel = 2;
        options.wait = Duration::from_millis(20);
    });
    let spec = plain(runner_levels()[0]);
    let first = pool.script(&spec, "cat", &[]).await;
    let second = pool.script(&spec, "cat", &[]).await;
    let third = pool.start(&spec, program(Path::new("/"), &["true"])).await.map(drop);
    assert!(matches!(third, Err(StartError::Busy(2))), "{third:?}");
    let (mut first, pipes) = first;
    drop(pipes);
    first.ended().await;
    pool.run(&spec, "exit 0", &[]).await;
    finish(second).await;
    assert_eq!(first.ended().await.end, CommandEnd::Code(0), "one that has ended takes no place");
}

/// A process with a session of its own and an orphan, all ignoring SIGTERM.
const STUBBORN: &str = "trap '' TERM HUP INT; setsid sleep $1 & \
    (setsid sh -c 'trap \"\" TERM HUP; sleep $0 & sleep $0' $1 &) ; \
    echo ready; cat; while :; do sleep $1; done";

async fn stubborn(pool: &TestPool, spec: &RunnerSpec, mark: &str) -> Started {
    let (tree, mut pipes) = pool.script(spec, STUBBORN, &[mark]).await;
    assert_eq!(line(&mut pipes.stdout).await, "ready");
    until("all have started", || 5 <= with_mark(mark).len()).await;
    (tree, pipes)
}

type Started = (hobnob_mcp_process::runner::ProcessTree, hobnob_mcp_process::runner::ProcessPipes);

#[tokio::test]
async fn nothing_survives_a_kill() {
    let pool = pool();
    for level in runner_levels() {
        let (mark, spec) = (mark(), plain(level));
        let (mut tree, mut pipes) = stubborn(&pool, &spec, &mark).await;
        let pid = tree.runner_pid();
        tree.terminate();
        assert!(timeout(Duration::from_millis(50), tree.ended()).await.is_err(), "it is deaf");
        tree.kill();
        let report = timeout(LONG, tree.ended()).await.expect("in time");
        assert_eq!(report.end, CommandEnd::Killed);
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
        let mut rest = Vec::new();
        let read = timeout(LONG, pipes.stdout.read_to_end(&mut rest)).await;
        assert!(read.is_ok_and(|read| read.is_ok()), "nobody holds the pipe");
        let next = pool.script(&spec, "cat", &[]).await;
        assert_eq!(next.0.runner_pid(), pid, "the runner goes on");
        finish(next).await;
    }
}

#[tokio::test]
async fn nothing_survives_a_dropped_tree() {
    let pool = pool();
    for level in runner_levels() {
        let mark = mark();
        let (tree, pipes) = stubborn(&pool, &plain(level), &mark).await;
        drop((tree, pipes));
        until("nothing is left", || with_mark(&mark).is_empty()).await;
        until("all are reaped", || zombies() == 0).await;
    }
}

#[tokio::test]
async fn nothing_survives_when_the_command_stops_whom_it_can() {
    let pool = pool();
    for level in runner_levels() {
        let mark = mark();
        // In a namespace the runner cannot be stopped from inside, elsewhere it can.
        let script = "setsid sleep $1 & echo ready; kill -STOP $PPID; sleep $1";
        let (mut tree, mut pipes) = pool.script(&plain(level), script, &[&mark]).await;
        assert_eq!(line(&mut pipes.stdout).await, "ready");
        until("all have started", || 3 <= with_mark(&mark).len()).await;
        tree.kill();
        let report = timeout(LONG, tree.ended()).await.expect("in time");
        assert_eq!(report.end, CommandEnd::Killed, "{level:?}");
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
    }
}

#[tokio::test]
async fn a_daemon_ends_with_its_command() {
    let pool = pool();
    for level in runner_levels() {
        let mark = mark();
        let words = ["python3", "-c", DAEMON, &mark];
        let start = program(Path::new("/"), &words);
        let (mut tree, mut pipes) = pool.start(&plain(level), start).await.expect("starts");
        assert_eq!(line(&mut pipes.stdout).await, "ready");
        assert_eq!(with_mark(&mark).len(), 2, "program and daemon");
        drop(pipes);
        assert_eq!(timeout(LONG, tree.ended()).await.map(|it| it.end), Ok(CommandEnd::Code(0)));
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
    }
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_holds_nobody_up() {
    let pool = pool();
    for level in runner_levels() {
        let mark = mark();
        let script = "setsid sh -c 'echo held; exec sleep $0' $1 & read it; exit 4";
        let (tree, mut pipes) = pool.script(&plain(level), script, &[&mark]).await;
        assert_eq!(line(&mut pipes.stdout).await, "held");
        // `finish` reads to the end of the pipe, which the grandchild holds open too.
        let (report, ..) = finish((tree, pipes)).await;
        assert_eq!(report.end, CommandEnd::Code(4));
        assert_eq!(with_mark(&mark), Vec::<u32>::new(), "{level:?}");
    }
}

#[tokio::test]
async fn output_that_nobody_reads_harms_nobody() {
    let pool = pool();
    for level in runner_levels() {
        let (mut tree, pipes) = pool.script(&plain(level), "exec yes", &[]).await;
        assert!(timeout(Duration::from_millis(150), tree.ended()).await.is_err(), "it is stuck");
        drop(pipes);
        let report = timeout(LONG, tree.ended()).await.expect("in time");
        // SIGPIPE ends it as it would in a terminal.
        assert_eq!(report.end, CommandEnd::Signal(13), "{level:?}");
    }
}

#[tokio::test]
async fn nothing_survives_when_the_owner_is_killed() {
    for level in runner_levels() {
        let name = match level {
            Level::Namespace => "namespace",
            Level::Subreaper => "subreaper",
            Level::Group => "group",
        };
        for _ in 0..3 {
            kill_owner(Command::new(supervisor()), name).await;
        }
    }
}

/// Without any rights of its user, a runner needs a user namespace too.
#[tokio::test]
async fn an_ordinary_user_has_runners_too() {
    let (folder, supervisor) = reachable_supervisor();
    for name in ["namespace", "subreaper"] {
        let mut command = as_nobody(&supervisor);
        let script = "awk '/^Max processes/ { print $4 }' /proc/self/limits; exit 137";
        command.args(["run", name, "sh", "-c", script]);
        let output = command.output().expect("runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].parse::<u64>().is_ok_and(|tasks| 0 < tasks), "{output:?}");
        assert_eq!(lines[1..], ["exited with code 137"], "{output:?}");
        kill_owner(as_nobody(&supervisor), name).await;
    }
    std::fs::remove_dir_all(folder).expect("it is ours");
}

/// Our parent process may have ignored SIGCHLD, which is inherited.
#[tokio::test]
async fn an_ignored_end_of_a_child_is_seen_all_the_same() {
    for level in ["namespace", "subreaper"] {
        let mut command = tokio::process::Command::new("env");
        command.arg("--ignore-signal=CHLD").arg(supervisor()).args(["run", level]);
        command.args(["sh", "-c", "exit 3"]).kill_on_drop(true);
        let output = timeout(LONG, command.output()).await.expect("in time").expect("starts");
        assert_eq!(output.stdout, b"exited with code 3\n", "{level}: {output:?}");
    }
}

/// Kills the owner of a pool while a command runs, and waits until nothing is left.
async fn kill_owner(mut command: Command, level: &str) {
    let mark = mark();
    command.args(["run", level, "sh", "-c", STUBBORN, "sh", &mark]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut owner = tokio::process::Command::from(command).spawn().expect("starts");
    let mut output = BufReader::new(owner.stdout.take().expect("a pipe")).lines();
    let said = timeout(LONG, output.next_line()).await.expect("in time");
    assert_eq!(said.expect("says something").as_deref(), Some("ready"));
    until("all have started", || 6 <= with_mark(&mark).len()).await;
    owner.start_kill().expect("it lives");
    owner.wait().await.expect("it ends");
    until("nothing is left", || with_mark(&mark).is_empty()).await;
}

#[tokio::test]
async fn what_a_command_used_is_reported() {
    let pool = pool();
    for level in runner_levels() {
        let spin = "import time; end = time.process_time() + 0.3\nwhile time.process_time() < end: pass\nb = b'x' * 100_000_000";
        let words = ["python3", "-c", spin];
        let started = pool.start(&plain(level), program(Path::new("/"), &words)).await;
        let (report, _, errors) = finish(started.expect("starts")).await;
        assert_eq!(report.end, CommandEnd::Code(0), "{errors}");
        assert!(Duration::from_millis(300) <= report.cpu, "{report:?}");
        assert!(report.peak_memory.is_some_and(|peak| 90_000_000 < peak), "{report:?}");
        let (report, ..) = pool.run(&plain(level), "exit 0", &[]).await;
        assert!(report.cpu < Duration::from_millis(300), "not what others used: {report:?}");
    }
}

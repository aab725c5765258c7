//! `run` and `execute`: the surroundings of a command, its result, and its exact arguments.

use crate::calls::pipe;
use crate::shell_server::{
    Presence, ShellServer, SlowReader, Streamed, data, grant, line_grant, mark, runner,
    until_marked,
};
use hobnob_mcp_engine::{Notes, Outcome, TaskOffer, TaskOwner};
use hobnob_mcp_process::SCRATCH;
use hobnob_services::{BuiltInService as _, KitChange};
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

fn print(folder: &Path) -> Vec<hobnob_policy::CommandGrantSource> {
    vec![grant("printf", "/usr/bin/printf", &["-..."], folder)]
}

#[tokio::test]
async fn a_result_says_how_a_command_went() {
    let server = ShellServer::lines();
    let done = server.sh("echo out; echo err >&2; exit 3").await;
    assert_eq!(done["exit_code"], 3, "{done}");
    assert_eq!((&done["stdout"], &done["stderr"]), (&json!("out\n"), &json!("err\n")));
    for (key, value) in [("timed_out", false), ("truncated", false), ("replaced", false)] {
        assert_eq!(done[key], value, "{key}");
    }
    assert!(done["duration_ms"].is_u64() && done.get("signal").is_none());
    let died = server.sh("kill -SEGV $$").await;
    assert_eq!(died["signal"], "SIGSEGV", "{died}");
    assert!(died.get("exit_code").is_none(), "{died}");
    let read = json!({"command": "cat; echo; pwd", "stdin": "given"});
    let read = server.data("shell_run", read).await;
    assert_eq!(read["stdout"], format!("given\n{}\n", server.folder.display()));
    let whole = server.call("shell_execute", json!({"command": "echo a; exit 1"})).await;
    assert_eq!(whole["content"][0]["text"], "a\n[exit code 1]\n", "{whole}");
    assert_eq!(data(whole)["exit_code"], 1);
}

/// T63: leading dashes, metacharacters, line breaks and patterns reach the program unchanged.
#[tokio::test]
async fn words_stay_words() {
    let server = ShellServer::with(print);
    let words = [
        "--",
        "-rf",
        "$(id)",
        "`id`",
        "; id",
        "&& id",
        "| id",
        "> file",
        "*",
        "~",
        "\\",
        "'",
        "\"",
        "a b",
        "new\nline",
        "\t",
        "",
        "ü😀",
        "%s",
        "--help",
        "-c",
    ];
    let format = "[%s]".repeat(words.len());
    let argv: Vec<&str> = ["printf", "--", &*format].into_iter().chain(words).collect();
    let done = server.data("shell_run", json!({"argv": argv})).await;
    let expected: String = words.iter().map(|word| format!("[{word}]")).collect();
    assert_eq!(done["stdout"], expected);
    assert_eq!(std::fs::read_dir(&server.folder).unwrap().count(), 0, "nothing was written");
    let refused = server.failure("shell_run", json!({"argv": ["printf", "a\0b"]})).await;
    assert!(refused.contains("NUL"), "{refused}");
    let many = vec!["x"; 2000];
    let refused = server.call("shell_run", json!({"argv": many})).await;
    assert_eq!(refused["isError"], true);
}

#[tokio::test]
async fn what_is_not_granted_is_refused_with_what_to_type() {
    let server = ShellServer::with(print);
    for (arguments, expected) in [
        (json!({"argv": ["id"]}), "hobnob grant shell --in FOLDER -- id"),
        (json!({"command": "printf a | cat"}), "hobnob grant shell --in FOLDER --line"),
        (json!({"argv": ["printf", "a"], "env": {"COLOUR": "x"}}), "--env COLOUR"),
        (json!({"argv": ["printf", "a"], "cwd": "/etc"}), "--in /etc"),
        (json!({"argv": ["printf"], "command": "printf"}), "not both"),
        (json!({}), "give `argv`"),
    ] {
        let refused = server.failure("shell_run", arguments).await;
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
    // A line of plain words needs no shell.
    let plain = server.data("shell_run", json!({"command": "printf a.b"})).await;
    assert_eq!(plain["stdout"], "a.b");
}

/// T63 and T69: a command has its own small environment, and dangerous variables are never set.
#[tokio::test]
async fn the_environment_is_what_was_granted() {
    let server = ShellServer::with(|folder| {
        let environment = ["COLOUR", "LD_PRELOAD", "HOBNOB_TOKEN"].map(str::to_owned).to_vec();
        vec![hobnob_policy::CommandGrantSource { environment, ..line_grant(folder) }]
    });
    let shown =
        server.data("shell_run", json!({"command": "env; :", "env": {"COLOUR": "blue"}})).await;
    let shown = shown["stdout"].as_str().unwrap().to_owned();
    let names: Vec<&str> = shown.lines().filter_map(|line| line.split('=').next()).collect();
    let known = [
        "COLOUR", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "PWD", "SHELL", "TERM",
        "TMPDIR", "TZ", "USER", "_", "OLDPWD", "SHLVL",
    ];
    assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
    assert!(shown.contains("COLOUR=blue") && !shown.contains("CARGO"), "{shown}");
    for (name, expected) in [
        ("LD_PRELOAD", "never set"),
        ("HOBNOB_TOKEN", "never set"),
        ("PATH", "--env PATH"),
        ("GIT_SSH", "--env GIT_SSH"),
    ] {
        let arguments = json!({"command": "env; :", "env": {name: "/tmp/x"}});
        let refused = server.failure("shell_run", arguments).await;
        assert!(refused.contains(expected), "{name}: {refused}");
    }
}

#[tokio::test]
async fn temporary_files_have_a_place_and_do_not_last() {
    let server = ShellServer::lines();
    // The last line is the `echo`; lines before it would be leftover files.
    let line = "ls -A $TMPDIR; mktemp > /dev/null && mkdir $TMPDIR/sub && echo $TMPDIR $HOME";
    let (first, second) = (server.sh(line).await, server.sh(line).await);
    let above = server.folder.parent().unwrap().join("scratch");
    for done in [first, second] {
        let mut lines: Vec<_> = done["stdout"].as_str().unwrap().lines().collect();
        let (temporary, home) = lines.pop().unwrap().split_once(' ').unwrap();
        assert_eq!(temporary, home, "{done}");
        // The granted folder of this test is below the same path, so its first part is listed.
        let granted = server.folder.strip_prefix(temporary).ok().and_then(|it| it.iter().next());
        assert!(lines.iter().all(|it| Some(OsStr::new(it)) == granted), "{done}");
        assert!(temporary == SCRATCH || Path::new(temporary).starts_with(&above), "{done}");
    }
    drop(server.service);
    drop(server.server);
    assert!(std::fs::read_dir(above).map_or(0, Iterator::count) == 0);
}

#[tokio::test]
async fn output_is_streamed_in_the_order_in_which_it_comes() {
    let server = ShellServer::lines();
    let streamed = Arc::new(Streamed::default());
    // It continues only after the test has seen its first line, so the order is deterministic.
    let line = "mkfifo go || exit 9; echo one >&2; read x < go; echo two";
    let arguments = json!({"command": line});
    let me = pipe();
    let call = server.call_as(&me, "shell_run", arguments, streamed.notes());
    let seen = async {
        let mut looks = tokio::time::interval(Duration::from_millis(5));
        while !streamed.pieces().iter().any(|(kind, _)| kind == "stderr") {
            looks.tick().await;
        }
        let go = server.folder.join("go");
        tokio::task::spawn_blocking(move || std::fs::write(go, "\n").unwrap()).await.unwrap();
    };
    let (result, ()) = tokio::join!(call, seen);
    let done = data(result);
    let pieces: Vec<(String, String)> = done["output"]
        .as_array()
        .unwrap()
        .iter()
        .map(|piece| {
            let text = |key: &str| piece[key].as_str().unwrap().to_owned();
            (text("stream"), text("text"))
        })
        .collect();
    let mut events = streamed.pieces();
    let owned = |stream: &str, text: &str| (stream.to_owned(), text.to_owned());
    assert_eq!(events.remove(0), owned("start", r#"{"type":"start"}"#));
    assert_eq!(events.pop(), Some(owned("complete", r#"{"type":"complete","exit_code":0}"#)));
    assert_eq!(events, pieces, "what is streamed is what the result has");
    assert_eq!(pieces, [owned("stderr", "one\n"), owned("stdout", "two\n")]);
}

/// A reader that needs every event slows the program down, and gets all of the output, even what a
/// result would leave out.
#[tokio::test]
async fn a_reader_that_may_lose_nothing_holds_the_program_up() {
    const BYTES: usize = 9 << 20;
    let server = ShellServer::lines();
    let reader = Arc::new(SlowReader::default());
    let me = pipe();
    let arguments = json!({"command": format!("yes | head -c {BYTES}; exit 3")});
    let mut call = pin!(server.call_as(&me, "shell_run", arguments, Notes::new(reader.clone())));
    // The reader takes nothing, so the program blocks; otherwise it would end within this time.
    let mut looks = tokio::time::interval(Duration::from_millis(1));
    for _ in 0..100 {
        tokio::select! {
            result = &mut call => panic!("nobody read: {result:?}"),
            _ = looks.tick() => {}
        }
    }
    assert!(reader.waiting() <= SlowReader::ROOM, "{} events wait", reader.waiting());
    let reading = async {
        loop {
            reader.take_one();
            tokio::task::yield_now().await;
        }
    };
    let result = tokio::select! {
        result = &mut call => result,
        () = reading => unreachable!("it reads for ever"),
    };
    assert_eq!(data(result)["exit_code"], 3);
    let (bytes, end) = reader.all();
    assert_eq!(bytes, BYTES);
    assert_eq!(end, r#"{"type":"complete","exit_code":3}"#);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced() {
    let server = ShellServer::lines();
    let done = server.sh(r"printf 'a\377b\303'; printf '\303\274' >&2").await;
    assert_eq!(done["stdout"], "a\u{fffd}b\u{fffd}");
    assert_eq!((&done["stderr"], &done["replaced"]), (&json!("ü"), &json!(true)));
}

#[tokio::test]
async fn a_command_that_cannot_start_is_a_failure() {
    let server = ShellServer::with(|folder| {
        std::fs::write(folder.join("text"), "no program").unwrap();
        let text = folder.join("text");
        vec![
            grant("missing", "/nonexistent/program", &["..."], folder),
            grant("text", text.to_str().unwrap(), &["..."], folder),
            grant("ls", "/bin/ls", &["..."], folder),
        ]
    });
    for (name, expected) in [("missing", "does not exist"), ("text", "may not be run")] {
        let refused = server.failure("shell_run", json!({"argv": [name]})).await;
        assert!(refused.contains(expected), "{name}: {refused}");
        assert!(!refused.contains("nonexistent") && !refused.contains("os error"), "{refused}");
    }
    for (place, expected) in [("missing", "does not exist"), ("text", "is not a folder")] {
        let place = server.folder.join(place);
        let refused = server.failure("shell_run", json!({"argv": ["ls"], "cwd": place})).await;
        assert!(refused.contains(expected), "{place:?}: {refused}");
    }
}

/// Hobnob is never run, under any file name.
#[tokio::test]
async fn our_own_program_is_never_run() {
    let server = ShellServer::with(|folder| {
        let (link, hard) = (folder.join("link"), folder.with_file_name("hard"));
        symlink(runner(), &link).unwrap();
        let mut grants = vec![
            grant("own", runner().to_str().unwrap(), &["..."], folder),
            grant("link", link.to_str().unwrap(), &["..."], folder),
        ];
        // The temporary folder may be on another file system, which allows no hard link.
        if std::fs::hard_link(runner(), &hard).is_ok() {
            grants.push(grant("hard", hard.to_str().unwrap(), &["..."], folder));
        }
        grants
    });
    let own = server.failure("shell_run", json!({"argv": ["own"]})).await;
    assert!(own.contains("no grant covers it"), "{own}");
    let link = server.failure("shell_run", json!({"argv": ["link"]})).await;
    assert!(link.contains("Hobnob itself is never run"), "{link}");
    let hard = server.failure("shell_run", json!({"argv": ["hard"]})).await;
    assert!(hard.contains("never run") || hard.contains("no grant covers it"), "{hard}");
}

/// A confined command sees its own folders and the system's; while the service is read-only, it can
/// write nothing.
#[tokio::test]
async fn a_command_is_confined_to_its_folders() {
    if hobnob_mcp_process::landlock_support() == hobnob_mcp_process::LandlockSupport::Missing {
        return;
    }
    let server = ShellServer::lines();
    let outside = server.folder.with_file_name("outside");
    std::fs::write(&outside, "secret").unwrap();
    let line = format!("cat {0}; echo x > {0}; echo in > file; cat file", outside.display());
    let done = server.sh(&line).await;
    assert_eq!(done["stdout"], "in\n", "{done}");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "secret");
    server.grant(vec![line_grant(&server.folder)], "read-only");
    let done = server.sh("cat file; echo new > file; echo new > other; cat file").await;
    assert_eq!(done["stdout"], "in\nin\n", "{done}");
    assert!(!server.folder.join("other").exists());
}

/// Without granted folders, a command starts in an empty folder that is private to it.
#[tokio::test]
async fn a_command_without_folders_has_an_empty_one() {
    for sandbox in ["on", "off"] {
        let server = ShellServer::with(|folder| {
            let folders = Vec::new();
            let sandbox = sandbox.into();
            vec![hobnob_policy::CommandGrantSource { folders, sandbox, ..line_grant(folder) }]
        });
        for _ in 0..2 {
            let done = server.sh("ls -A; mkdir -p a/b; echo x > a/b/c; ls").await;
            assert_eq!((&done["stdout"], &done["exit_code"]), (&json!("a\n"), &json!(0)), "{done}");
        }
        let refused = server.failure("shell_run", json!({"command": "ls", "cwd": "/"})).await;
        assert!(refused.contains("--in /"), "{refused}");
    }
}

#[tokio::test]
async fn nothing_is_listed_while_the_service_is_off() {
    let server = ShellServer::lines();
    let list = |server: &ShellServer| server.server.toolbox().unwrap().lists().tools().len();
    assert_eq!(list(&server), 7);
    server.grant(vec![line_grant(&server.folder)], "disabled");
    assert_eq!(list(&server), 0);
    let gone = server.call_as(&pipe(), "shell_run", json!({"argv": ["id"]}), Notes::silent()).await;
    assert!(gone["error"].as_str().unwrap().contains("Unknown tool"), "{gone}");
    server.grant(vec![line_grant(&server.folder)], "read-only");
    assert_eq!(list(&server), 7);
    assert_eq!(server.service.grants_changed(), KitChange::Changed);
}

/// A client with the tasks extension waits for short commands and gets a task for long ones; a
/// client of 2025-11-25 chooses for itself.
#[tokio::test]
async fn a_long_command_is_a_task_where_the_caller_can_take_one() {
    let server = ShellServer::lines();
    let able = || TaskOffer::Able { owner: TaskOwner::default() };
    let asked = || TaskOffer::Asked { owner: TaskOwner::default(), ttl_ms: None };
    for (offer, timeout_ms, is_task) in [
        (TaskOffer::No, 300_000, false),
        (able(), 1_000, false),
        (able(), 300_000, true),
        (TaskOffer::NotAsked, 300_000, false),
        (asked(), 1_000, true),
    ] {
        let mark = mark();
        let line = format!("sleep {mark} & echo done; exit 0");
        let arguments = json!({"command": line, "timeout_ms": timeout_ms});
        let outcome = server.outcome(&pipe(), "shell_run", arguments, offer.clone()).await;
        let started = matches!(outcome, Outcome::Started(_));
        assert_eq!(started, is_task, "{offer:?} {timeout_ms}: {outcome:?}");
        until_marked(&mark, Presence::Gone).await;
    }
}

/// A line of plain words may be meant for the shell itself.
#[tokio::test]
async fn a_granted_line_of_plain_words_is_read_by_the_shell() {
    let server = ShellServer::lines();
    std::fs::write(server.folder.join("script"), "echo read").unwrap();
    std::fs::create_dir(server.folder.join("sub")).unwrap();
    for (line, code, output) in [
        ("exit 3", 3, ""),
        ("cd sub", 0, ""),
        (":", 0, ""),
        ("umask", 0, "0022\n"),
        (". ./script", 0, "read\n"),
        ("command -v sh", 0, "/bin/sh\n"),
        ("export", 0, "HOME="),
        ("A=1 printenv A", 0, "1\n"),
    ] {
        let done = server.sh(line).await;
        let shown = done["stdout"].as_str().unwrap();
        assert_eq!(done["exit_code"], code, "{line}: {done}");
        let fits = if line == "export" { shown.contains(output) } else { shown.ends_with(output) };
        assert!(fits, "{line}: {done}");
    }
}

#[tokio::test]
async fn a_command_that_a_limit_ended_is_an_error_with_what_it_wrote() {
    let server = ShellServer::lines();
    let line = json!({"command": "echo begun; sleep 1000", "timeout_ms": 200});
    let ended = server.call_as(&pipe(), "shell_run", line, Notes::silent()).await;
    assert_eq!(ended["isError"], true, "{ended}");
    assert_eq!(ended["structuredContent"]["stdout"], "begun\n", "{ended}");
    assert_eq!(ended["structuredContent"]["limit"], "timeout", "{ended}");
}

//! T79: for any command, the caller gets an answer in time, and no process is left over.

use crate::calls::pipe;
use crate::shell_server::{LONG, Presence, ShellServer, line_grant, mark, until_marked, with_mark};
use hobnob_mcp_client::EraHint;
use hobnob_mcp_engine::Notes;
use hobnob_services::shell::ShellOptions;
use serde_json::json;
use std::time::{Duration, Instant};

/// Bytes of output: more than any buffer holds, or with `SLOW_TESTS=1` as many as the goal states.
fn much() -> u64 {
    let slow = std::env::var("SLOW_TESTS").is_ok_and(|value| value == "1");
    if slow { 10 << 30 } else { 64 << 20 }
}

#[tokio::test]
async fn much_output_is_drained_and_cut() {
    let server = ShellServer::lines();
    let line = format!("echo begin; yes | head -c {}; echo; echo end", much());
    let arguments = json!({"command": line, "timeout_ms": 600_000});
    let done = server.data("shell_run", arguments).await;
    assert_eq!((&done["exit_code"], &done["truncated"]), (&json!(0), &json!(true)));
    let text = done["stdout"].as_str().unwrap();
    assert!(text.starts_with("begin\ny\n") && text.ends_with("y\n\nend\n"), "{}", text.len());
    assert!(text.len() < (1 << 20) + 100 && text.contains("bytes left out"), "{}", text.len());
}

#[tokio::test]
async fn a_program_that_never_stops_writing_is_ended_in_time() {
    let server = ShellServer::lines();
    let began = Instant::now();
    let done = server.data("shell_run", json!({"command": "yes & yes", "timeout_ms": 300})).await;
    assert_eq!((&done["timed_out"], &done["limit"]), (&json!(true), &json!("timeout")), "{done}");
    assert_eq!(done["signal"], "SIGTERM");
    assert!(began.elapsed() < LONG);
}

/// A grandchild that holds the pipes, a daemon in its own session, and a program that ignores
/// SIGTERM: all of them end with the command, whether it exits or times out.
#[tokio::test]
async fn nothing_outlives_a_command() {
    let server = ShellServer::lines();
    for (line, timeout_ms, ends) in [
        ("sleep MARK & echo done", 60_000, "by itself"),
        (
            "setsid sleep MARK & setsid sh -c 'setsid sleep MARK & sleep MARK' & echo done",
            60_000,
            "by itself",
        ),
        ("(setsid sleep MARK </dev/null >/dev/null 2>&1 &) ; echo done", 60_000, "by itself"),
        ("echo done; sleep MARK", 200, "by its time"),
        ("trap '' TERM; echo done; sleep MARK & while :; do sleep 1; done", 200, "by its time"),
        (
            "trap '' TERM HUP INT; setsid sleep MARK & echo done; while :; do wait; sleep MARK; done",
            200,
            "by its time",
        ),
    ] {
        let mark = mark();
        let line = line.replace("MARK", &mark);
        let arguments = json!({"command": line, "timeout_ms": timeout_ms});
        let done = server.data("shell_run", arguments).await;
        assert_eq!(done["stdout"], "done\n", "{line}: {done}");
        assert_eq!(done["timed_out"], ends == "by its time", "{line}: {done}");
        assert_eq!(with_mark(&mark), [0; 0], "{line}");
    }
}

#[tokio::test]
async fn a_fork_bomb_stays_inside_its_limits() {
    let server = ShellServer::with_options(
        |folder| vec![line_grant(folder)],
        |options| ShellOptions { processes: 16, ..options },
    );
    let mark = mark();
    let line = format!("bomb() {{ bomb | bomb & sleep {mark}; }}; bomb; sleep {mark}");
    let done = server.data("shell_run", json!({"command": line, "timeout_ms": 20_000})).await;
    assert_ne!(done["exit_code"], 0, "{}", done["limit"]);
    assert_eq!(with_mark(&mark), [0; 0]);
    // The next command runs normally.
    assert_eq!(server.sh("echo well").await["stdout"], "well\n");
}

#[tokio::test]
async fn memory_and_cpu_time_are_limited() {
    let server = ShellServer::with_options(
        |folder| vec![line_grant(folder)],
        |options| ShellOptions { memory: 64 << 20, cpu: Duration::from_secs(1), ..options },
    );
    let line = "head -c 200000000 /dev/zero | tail -c 190000000 | wc -c; echo after";
    let done = server.sh(line).await;
    assert!(!done["stdout"].as_str().unwrap().contains("190000000"), "{done}");
    let done = server.sh("while :; do :; done").await;
    assert_eq!((&done["limit"], done.get("exit_code")), (&json!("cpu"), None), "{done}");
}

#[tokio::test]
async fn a_cancelled_call_leaves_nothing() {
    let server = ShellServer::lines();
    for era in [EraHint::Legacy, EraHint::Modern] {
        let client = server.client(era).await;
        let mark = mark();
        let line = format!("setsid sleep {mark} & trap '' TERM; sleep {mark}; sleep {mark}");
        let arguments = json!({"command": line}).to_string();
        let silent = Notes::silent();
        let call = client.call_tool_text("shell_run", Some(&arguments), &silent);
        tokio::select! {
            done = call => panic!("{done:?}"),
            () = until_marked(&mark, Presence::There) => {}
        }
        // The call was dropped, which cancels it.
        until_marked(&mark, Presence::Gone).await;
        client.close().await;
    }
}

#[tokio::test]
async fn a_client_that_goes_leaves_nothing() {
    let server = ShellServer::lines();
    for era in [EraHint::Legacy, EraHint::Modern] {
        let client = server.client(era).await;
        let (mark, kept) = (mark(), mark());
        let arguments =
            json!({"command": format!("setsid sleep {mark} & sleep {mark}")}).to_string();
        let kept_line = format!("trap '' TERM; setsid sleep {kept} & sleep {kept}; sleep {kept}");
        let start = json!({"command": kept_line}).to_string();
        client.call_tool_text("shell_start", Some(&start), &Notes::silent()).await.unwrap();
        until_marked(&kept, Presence::There).await;
        let silent = Notes::silent();
        let call = client.call_tool_text("shell_run", Some(&arguments), &silent);
        let gone = async {
            until_marked(&mark, Presence::There).await;
            client.close().await;
        };
        let (ended, ()) = tokio::join!(call, gone);
        assert!(ended.is_err(), "{ended:?}");
        until_marked(&mark, Presence::Gone).await;
        until_marked(&kept, Presence::Gone).await;
    }
}

#[tokio::test]
async fn a_grant_that_is_taken_back_ends_what_it_granted() {
    let server = ShellServer::lines();
    let mark = mark();
    let caller = pipe();
    let started = json!({"command": format!("sleep {mark}; :")});
    server.data_as(&caller, "shell_start", started).await;
    let arguments = json!({"command": format!("trap '' TERM; sleep {mark}; sleep {mark}")});
    let revoke = async {
        until_marked(&mark, Presence::There).await;
        server.grant(Vec::new(), "read-write");
    };
    let (done, ()) = tokio::join!(server.data("shell_run", arguments), revoke);
    assert_eq!((&done["signal"], &done["limit"]), (&json!("SIGKILL"), &json!("revoked")), "{done}");
    until_marked(&mark, Presence::Gone).await;
}

//! Commands beside a running `hobnob serve`, commands that go on, and commands that are ended.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::cli_call_setup::{ALLOW, Setup, signal, until};
use crate::program::within;

#[tokio::test]
async fn a_running_serve_is_used_and_its_servers_with_it() {
    let setup = Setup::new(ALLOW);
    let mut serving = setup.serve().await;
    assert_eq!(setup.home.ok(&["call", "typed", "text=x"]).stdout, "well done");
    let status = setup.home.json(0, &["status"]);
    assert_eq!((&status["running"], &status["pid"]), (&json!(true), &json!(serving.child.id())));
    let first = &status["servers"][0];
    assert!(first["pid"].is_u64() && first["phase"] == "ready", "{status}");
    assert_eq!(setup.home.ok(&["call", "typed", "text=y"]).stdout, "well done");
    let again = setup.home.json(0, &["status"]);
    assert_eq!(
        (&again["servers"][0]["pid"], &again["servers"][0]["starts"]),
        (&first["pid"], &json!(1))
    );

    let sockets = setup.sockets();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((sockets.len(), mode(&sockets[0])), (1, 0o600));
    assert_eq!(mode(&setup.home.path("hobnob/run")), 0o700);

    // No hub runs for another project.
    let elsewhere = setup.home.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let other = setup.home.json(0, &["--project", elsewhere.to_str().unwrap(), "status"]);
    assert_eq!(other["running"], false);
    let mut alone = setup.home.command(&["--json", "status"]);
    let alone = alone.env("HOBNOB_NO_REUSE", "1").output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&alone.stdout).unwrap()["running"], false);

    signal("TERM", serving.child.id().unwrap());
    assert!(within("the end", serving.child.wait()).await.unwrap().success());
    assert_eq!(setup.sockets(), Vec::<std::path::PathBuf>::new());
    assert_eq!(setup.home.json(0, &["status"])["running"], false);
}

#[tokio::test]
async fn what_a_killed_serve_left_behind_is_removed() {
    let setup = Setup::new(ALLOW);
    let mut serving = setup.serve().await;
    let left = setup.sockets();
    assert_eq!(left.len(), 1);
    serving.child.kill().await.unwrap();
    assert_eq!(setup.home.json(0, &["status"])["running"], false);
    assert_eq!(setup.sockets(), Vec::<std::path::PathBuf>::new());
    // A process that accepts connections and says nothing does not block the command for ever.
    let _mute = UnixListener::bind(&left[0]).unwrap();
    assert_eq!(setup.home.json(0, &["status"])["running"], false);
}

#[tokio::test]
async fn a_hangup_reads_the_configuration_again() {
    let setup = Setup::new(ALLOW);
    let serving = setup.serve().await;
    setup
        .home
        .write("home/.mcp.json", r#"{"mcpServers": {"new": {"command": "/no/such/program"}}}"#);
    signal("HUP", serving.child.id().unwrap());
    let known = || {
        let status = setup.home.json(0, &["status"]);
        let servers = status["servers"].as_array().unwrap();
        assert_eq!(status["running"], true);
        servers.iter().any(|server| server["name"] == "new")
    };
    until("the new server is known", known).await;
}

#[tokio::test]
async fn ctrl_c_cancels_the_call_over_there() {
    for beside_a_serve in [false, true] {
        let setup = Setup::new(ALLOW);
        let serving = match beside_a_serve {
            true => Some(setup.serve().await),
            false => None,
        };
        let mut call = setup.start(&["call", "stuck"]);
        setup.received("\"name\":\"stuck\"").await;
        signal("INT", call.id().unwrap());
        let status = within("the end of the call", call.wait()).await.unwrap();
        assert_eq!(status.code(), Some(130), "beside a serve: {beside_a_serve}");
        setup.received("notifications/cancelled").await;
        drop(serving);
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled_over_there() {
    let setup = Setup::new(ALLOW);
    let _serving = setup.serve().await;
    assert_eq!(setup.home.run(&["call", "stuck", "--timeout", "1s"]).code, 124);
    setup.received("notifications/cancelled").await;
}

#[tokio::test]
async fn changes_of_a_resource_are_shown_as_they_come() {
    for target in [&["note://one"][..], &["script", "note://one"], &["mcp://script/note://one"]] {
        let setup = Setup::new(ALLOW);
        let words = [&["--json", "watch"], target, &["--count", "2"]].concat();
        let mut watch = setup.start(&words);
        let mut said = BufReader::new(watch.stderr.take().unwrap()).lines();
        let line = within("the beginning", said.next_line()).await.unwrap().unwrap();
        let shown = target[target.len() - 1];
        assert!(line.contains(&format!("watching {shown};")), "{line}");
        let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
        for words in ["second", "third"] {
            setup.home.write("noted.note", words);
            let line = within(words, lines.next_line()).await.unwrap().unwrap();
            let change: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(change["target"], shown, "{line}");
            assert_eq!(change["contents"][0]["text"], words, "{line}");
        }
        let status = within("the end of the watch", watch.wait()).await.unwrap();
        assert_eq!(status.code(), Some(0));
    }
    let run = Setup::new(ALLOW).home.run(&["watch", "scrip", "note://one"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("did you mean `script`"), "{}", run.stderr);
}

#[tokio::test]
async fn changes_of_what_a_tool_answers_are_shown_as_they_come() {
    let setup = Setup::new(ALLOW);
    let _serving = setup.serve().await;
    let mut watch = setup.start(&["watch", "clock", "--interval", "1s"]);
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    for _ in 0..2 {
        let head = within("a change", lines.next_line()).await.unwrap().unwrap();
        assert!(head.ends_with("clock"), "{head}");
        let answer = within("what it is now", lines.next_line()).await.unwrap().unwrap();
        assert!(answer.starts_with("asked "), "{answer}");
    }
    signal("INT", watch.id().unwrap());
    let status = within("the end of the watch", watch.wait()).await.unwrap();
    assert_eq!(status.code(), Some(130));

    let run = Setup::new("").home.run(&["watch", "clock"]);
    assert_eq!(run.code, 4, "a tool that asks cannot be polled: {}", run.stderr);
    let run = setup.home.run(&["watch", "clock", "--interval", "10ms"]);
    assert_ne!(run.code, 0);
    assert!(run.stderr.contains("1000"), "{}", run.stderr);
}

//! Background processes: only their owner can read, write to, stop and list them.

use crate::calls::pipe;
use crate::shell_server::{Presence, ShellServer, data, failure, mark, until_marked};
use hobnob_mcp_engine::{Caller, ClientId, Notes, Principal};
use hobnob_mcp_types::Revision;
use hobnob_services::BuiltInService as _;
use serde_json::{Value, json};
use std::time::Duration;

/// Reads a process until this text has arrived; returns all output.
async fn read_until(
    server: &ShellServer,
    caller: &Caller,
    process: &Value,
    text: &str,
) -> Vec<Value> {
    let (mut since, mut pieces) = (0, Vec::new());
    loop {
        let arguments = json!({"process": process, "since": since, "wait_ms": 30_000});
        let view = server.data_as(caller, "shell_output", arguments).await;
        pieces.extend(view["output"].as_array().unwrap().iter().cloned());
        since = view["next"].as_u64().unwrap();
        if pieces.iter().any(|piece| piece["text"].as_str().unwrap().contains(text)) {
            return pieces;
        }
        assert_eq!(view["status"], "running", "{pieces:?}");
    }
}

/// Waits for the end of a process, and returns its final view.
async fn until_ended(server: &ShellServer, caller: &Caller, process: &Value) -> Value {
    loop {
        let view = json!({"process": process, "since": u64::MAX, "wait_ms": 30_000});
        let view = server.data_as(caller, "shell_output", view).await;
        if view["status"] == "ended" {
            return view;
        }
    }
}

/// Input and output alternate, so the order of both streams is deterministic.
#[tokio::test]
async fn a_conversation_with_a_process() {
    let server = ShellServer::lines();
    let me = pipe();
    let line = "echo ready >&2; while read word; do echo got $word; done; echo over >&2; exit 4";
    let started = server.data_as(&me, "shell_start", json!({"command": line})).await;
    let process = started["process"].clone();
    read_until(&server, &me, &process, "ready").await;
    for word in ["one", "two"] {
        let text = json!({"process": process, "text": format!("{word}\n")});
        let listed = server.data_as(&me, "shell_input", text).await;
        assert_eq!((&listed["process"], &listed["status"]), (&process, &json!("running")));
        read_until(&server, &me, &process, &format!("got {word}")).await;
    }
    server.data_as(&me, "shell_input", json!({"process": process, "end": true})).await;
    let pieces = read_until(&server, &me, &process, "over").await;
    let shown: Vec<String> =
        pieces.iter().map(|it| format!("{}:{}", it["stream"], it["text"])).collect();
    assert_eq!(
        shown.concat(),
        "\"stderr\":\"ready\\n\"\"stdout\":\"got one\\ngot two\\n\"\"stderr\":\"over\\n\""
    );
    let ended = until_ended(&server, &me, &process).await;
    assert_eq!((&ended["exit_code"], &ended["output"]), (&json!(4), &json!([])), "{ended}");
    let more = json!({"process": process, "text": "three\n"});
    let more = server.call_as(&me, "shell_input", more, Notes::silent()).await;
    assert!(failure(&more).contains("reads no more input"), "{more}");
}

#[tokio::test]
async fn a_process_is_stopped_politely_and_then_not() {
    let server = ShellServer::lines();
    let me = pipe();
    for (line, signal, code) in [
        ("echo up; sleep MARK; :", Some("SIGTERM"), None),
        ("trap 'echo bye; exit 5' TERM; echo up; sleep MARK & wait", None, Some(5)),
        (
            "trap '' TERM; echo up; setsid sleep MARK & while :; do sleep MARK; done",
            Some("SIGKILL"),
            None,
        ),
    ] {
        let mark = mark();
        let line = line.replace("MARK", &mark);
        let started = server.data_as(&me, "shell_start", json!({"command": line})).await;
        let process = json!({"process": started["process"]});
        read_until(&server, &me, &started["process"], "up").await;
        let stopped = server.data_as(&me, "shell_stop", process.clone()).await;
        assert_eq!(stopped["signal"], json!(signal), "{line}: {stopped}");
        assert_eq!(stopped["exit_code"], json!(code), "{line}: {stopped}");
        assert_eq!((&stopped["status"], &stopped["limit"]), (&json!("ended"), &json!("stopped")));
        until_marked(&mark, Presence::Gone).await;
        let again = server.call_as(&me, "shell_stop", process, Notes::silent()).await;
        assert!(failure(&again).contains("no process with this id"), "{again}");
    }
}

/// A modern caller over HTTP, which has no session.
fn without_session() -> Caller {
    Caller { client_id: ClientId::next_at("127.0.0.1".parse().unwrap()), ..pipe() }
}

/// A process belongs to a session, to a pipe, or to all requests with one principal and address.
#[tokio::test]
async fn nobody_else_sees_a_process() {
    let server = ShellServer::lines();
    let there = without_session;
    let legacy = || Caller { revision: Revision::V2025_11_25, ..there() };
    let named = |caller: Caller| Caller { principal: Principal::named("ada"), ..caller };
    let cases = [
        (pipe(), pipe(), "others"),
        (legacy(), legacy(), "others"),
        (there(), there(), "the same"),
        (there(), legacy(), "others"),
    ];
    let see = async |caller: &Caller, process: &Value| {
        let output = json!({"process": process});
        let read = server.call_as(caller, "shell_output", output, Notes::silent()).await;
        let listed = server.data_as(caller, "shell_list", json!({})).await;
        let listed = listed["processes"].as_array().unwrap();
        let is_listed = listed.iter().any(|it| it["process"] == *process);
        assert_eq!(is_listed, read["isError"] != true, "{read}");
        is_listed
    };
    for (owner, other, who) in cases {
        let mark = mark();
        let line = json!({"command": format!("sleep {mark}; :")});
        let process = server.data_as(&owner, "shell_start", line).await["process"].clone();
        assert!(see(&owner, &process).await);
        assert_eq!(see(&other, &process).await, who == "the same", "{owner:?} {other:?}");
        assert!(!see(&named(owner.clone()), &process).await, "another principal");
        server.data_as(&owner, "shell_stop", json!({"process": process})).await;
    }
}

/// The end of a client without a session cannot be observed: its process ends some time after the
/// last call about it. The process of a pipe does not.
#[tokio::test]
async fn a_process_that_nobody_asks_for_ends() {
    let server = ShellServer::lines();
    let (here, there) = (pipe(), without_session());
    let (kept, forgotten) = (mark(), mark());
    let start = |mark: &str| json!({"command": format!("sleep {mark}; :")});
    server.data_as(&here, "shell_start", start(&kept)).await;
    let process = server.data_as(&there, "shell_start", start(&forgotten)).await;
    let process = json!({"process": process["process"]});
    let pass = async |minutes: u64| {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(60 * minutes)).await;
        tokio::time::resume();
    };
    // Each call renews the lease.
    for _ in 0..2 {
        pass(14).await;
        let view = server.data_as(&there, "shell_output", process.clone()).await;
        assert_eq!(view["status"], "running", "{view}");
    }
    until_marked(&forgotten, Presence::There).await;
    pass(16).await;
    until_marked(&forgotten, Presence::Gone).await;
    let ended = until_ended(&server, &there, &process["process"]).await;
    assert_eq!(ended["output"], json!([]), "{ended}");
    until_marked(&kept, Presence::There).await;
    server.service.close().await;
}

#[tokio::test]
async fn processes_are_bounded_and_the_ended_make_room() {
    let server = ShellServer::lines();
    let me = pipe();
    let start = async |line: &str| {
        server.call_as(&me, "shell_start", json!({"command": line}), Notes::silent()).await
    };
    let mark = mark();
    for _ in 0..12 {
        assert_eq!(data(start("echo over; exit 0").await)["status"], "ended");
    }
    let mut running = 0;
    let refused = loop {
        let started = start(&format!("sleep {mark}; :")).await;
        if started["isError"] == true {
            break failure(&started);
        }
        running += 1;
        assert!(running <= 8, "there is no bound");
    };
    assert!(refused.contains("stop one of yours"), "{refused}");
    assert_eq!(running, 8);
    // Another client can still start one.
    let other = json!({"command": format!("sleep {mark}; :")});
    server.data_as(&pipe(), "shell_start", other).await;
    server.service.close().await;
    until_marked(&mark, Presence::Gone).await;
}

#[tokio::test]
async fn the_newest_output_of_a_process_is_kept() {
    let server = ShellServer::lines();
    let me = pipe();
    let line = "head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last";
    let process =
        server.data_as(&me, "shell_start", json!({"command": line})).await["process"].clone();
    until_ended(&server, &me, &process).await;
    let stopped = server.data_as(&me, "shell_output", json!({"process": process})).await;
    let text = stopped["output"][0]["text"].as_str().unwrap();
    assert_eq!(text.len(), 1 << 20);
    assert!(text.ends_with("x\nlast\n"));
    assert_eq!(stopped["missed"], 5_000_006 - (1 << 20));
}

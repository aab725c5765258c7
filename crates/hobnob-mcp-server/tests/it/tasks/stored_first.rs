//! Every state of a task is stored before a client sees it; the record is removed with the task.

use super::process::{Who, ask};
use super::shared_store::{Behaviour, SharedStore};
use super::{VERSION, task_kit};
use crate::support::{Gate, greeted, modern};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::{converse, converse_doing, quiet};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Nothing is shown before it is stored: not the task, its end, or its cancellation.
#[tokio::test(start_paused = true)]
async fn what_callers_see_is_stored_first() {
    let script = r#"
        do Waits
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may","task":{}}}
        !
        > {"jsonrpc":"2.0","id":2,"method":"tasks/list"}
        < {"jsonrpc":"2.0","id":2,"result":{"tasks":[]}}
        do nothing has begun
        do Works
        < {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}}
        do Waits
        do open
        > {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":3,"result":{"taskId":${task},"status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
        !
        do Works
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":${task},"status":"completed",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"may","task":{}}}
        < {"jsonrpc":"2.0","id":4,"result":{"task":{"taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}}
        do Waits
        > {"jsonrpc":"2.0","id":5,"method":"tasks/cancel","params":{"taskId":${task}}}
        !
        do Works
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":${task},"status":"cancelled",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
        < {"jsonrpc":"2.0","id":5,"result":{"taskId":${task},"status":"cancelled",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
    "#;
    let (store, gate) = (SharedStore::new(), Gate::new());
    let server = server(&store, &gate, Limits::default());
    converse_doing(&server, &greeted(VERSION, script), |deed| match deed {
        "nothing has begun" => assert_eq!(gate.tally(), (0, 0, 0)),
        deed => act(&store, &gate, deed),
    })
    .await;
    assert_eq!(gate.tally(), (2, 1, 1));
}

/// The same in the modern era, and with a question.
#[tokio::test(start_paused = true)]
async fn a_question_is_shown_when_it_is_stored() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks",${can wait}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",${us}}}
        do asks input_required
        do Waits
        > {"jsonrpc":"2.0","id":2,"method":"tasks/update","params":{"taskId":${task},
            "inputResponses":{"sure":{"action":"accept","content":{}}},${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",${us}}}
        do asks input_required
        > {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","taskId":${task},"status":"input_required",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any","inputRequests":{},${us}}}
        do Works
        do asks completed
        > {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","taskId":${task},"status":"completed",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",
            "result":{"content":[{"type":"text","text":"agreed"}]},${us}}}
    "#;
    let (store, gate) = (SharedStore::new(), Gate::new());
    let server = server(&store, &gate, Limits::default());
    converse_doing(&server, &modern(script), |deed| act(&store, &gate, deed)).await;
}

/// If the store refuses or never answers, there is no task and no work.
#[tokio::test(start_paused = true)]
async fn without_a_record_nothing_begins() {
    let message = "the task could not be stored, so it was not started";
    let refused = json!({"error": {"code": -32603, "message": message}});
    for who in [Who::Session("ann"), Who::Principal("ann")] {
        for behaviour in [Behaviour::Fails, Behaviour::Waits] {
            let (store, gate) = (SharedStore::new(), Gate::new());
            let server = server(&store, &gate, Limits::default());
            store.set(behaviour);
            let params = json!({"name": "may", "task": {}});
            let call = ask(&server, &who, "tools/call", params);
            let answer = tokio::time::timeout(Duration::from_secs(60), call).await;
            assert_eq!(answer.expect("in time"), refused);
            store.set(Behaviour::Works);
            quiet().await;
            let listed = ask(&server, &Who::Session("ann"), "tasks/list", json!({})).await;
            assert_eq!(listed, json!({"result": {"tasks": []}}));
            assert_eq!((store.statuses().as_str(), gate.tally()), ("", (0, 0, 0)));
        }
    }
}

/// A call that is cancelled before its task is stored leaves nothing behind.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_begins_nothing() {
    let script = r#"
        do Waits
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may","task":{}}}
        !
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        !
        do Works
        !
    "#;
    let (store, gate) = (SharedStore::new(), Gate::new());
    let server = server(&store, &gate, Limits::default());
    let script = greeted(VERSION, script);
    converse_doing(&server, &script, |deed| act(&store, &gate, deed)).await;
    assert_eq!(gate.tally(), (0, 0, 0));
    assert_eq!(store.statuses(), "");
}

/// A task continues even if the store cannot save its changes.
#[tokio::test(start_paused = true)]
async fn a_task_goes_on_though_its_record_does_not() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may","task":{}}}
        < {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}}
        do Fails
        do open
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":${task},"status":"completed",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
        > {"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}],"_meta":"$any"}}
        do may working
        # What only the store could know is our failure, not the caller's.
        > {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"other"}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"internal error"}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"must","task":{}}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"$any"}}
    "#;
    let (store, gate) = (SharedStore::new(), Gate::new());
    let server = server(&store, &gate, Limits::default());
    let script = greeted(VERSION, script);
    converse_doing(&server, &script, |deed| act(&store, &gate, deed)).await;
}

/// The record is removed when the task is: by the end of the session, by expiry, or for a new task.
#[tokio::test(start_paused = true)]
async fn a_record_goes_with_its_task() {
    let call = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","task":{"ttl":5000}}}
        < {"jsonrpc":"2.0","id":1,"result":{"task":"$any"}}
    "#;
    let [may, must] = ["may", "must"].map(|tool| call.replace("${tool}", tool));
    let notified = r#"< {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
    "#;
    let both = format!("{may}{must}{notified}do may working, must completed\n");
    for (limit, script) in [
        (9, both.clone()),
        (9, format!("{both}do pass the time\n!\ndo none is left\n")),
        (1, format!("{must}{notified}{may}!\ndo may working\n")),
    ] {
        let (store, gate) = (SharedStore::new(), Gate::new());
        let limits = Limits { tasks_per_owner: limit, ..Limits::default() };
        let server = server(&store, &gate, limits);
        let script = script.replace("do pass the time\n", &"!\n".repeat(3));
        converse_doing(&server, &greeted(VERSION, &script), |deed| match deed {
            "none is left" => assert_eq!(store.statuses(), ""),
            deed => act(&store, &gate, deed),
        })
        .await;
        quiet().await;
        assert_eq!(store.statuses(), "", "{script}");
        assert_eq!(gate.tally(), (1, 0, 1));
    }
}

/// A second store does not replace the first one.
#[tokio::test(start_paused = true)]
async fn the_first_store_stays() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"must",${can wait}}}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
    "#;
    let (first, second) = (SharedStore::new(), SharedStore::new());
    let server = server(&first, &Gate::new(), Limits::default());
    server.store_tasks_in(second.handle("again"));
    converse(&server, &modern(script)).await;
    quiet().await;
    assert_eq!((first.statuses().as_str(), second.statuses().as_str()), ("must completed", ""));
}

fn server(store: &Arc<SharedStore>, gate: &Gate, limits: Limits) -> Server {
    let builder = Server::builder("probe", "1.0").limits(limits);
    let server = builder.kit(task_kit(gate)).build().expect("a server");
    server.store_tasks_in(store.handle("only"));
    server
}

/// Changes the store's behaviour, opens the gate, or compares the stored statuses.
fn act(store: &SharedStore, gate: &Gate, deed: &str) {
    match deed {
        "Works" => store.set(Behaviour::Works),
        "Fails" => store.set(Behaviour::Fails),
        "Waits" => store.set(Behaviour::Waits),
        "open" => gate.open(),
        statuses => assert_eq!(store.statuses(), statuses),
    }
}

//! Stored tasks that outlive their process: how another process reports them.

use super::process::{Process, Who, ask};
use super::shared_store::SharedStore;
use hobnob_mcp_engine::{TaskOwner, TaskStatus};
use hobnob_mcp_tasks::PersistedTask;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

const CALLERS: [Who; 2] = [Who::Session("a session"), Who::Principal("ann")];
const LOST: &str = "the server was stopped or restarted while `asks` ran; \
    the call may or may not have taken effect";

/// An ended task keeps its end; an unfinished one has failed. No task stays `working` for ever.
#[test]
fn after_a_restart_every_task_has_an_end() {
    for who in &CALLERS {
        let store = SharedStore::new();
        let first = Process::start(&store, "first");
        let tools = ["must", "fails", "breaks", "asks", "may"];
        let ids = tools.map(|tool| first.call(who, tool));
        let before = "asks input_required, breaks failed, fails completed, may working, \
            must completed";
        assert_eq!(store.statuses(), before);
        let [must, fails, breaks, ..] = [0, 1, 2].map(|at| seen(&first, who, &ids[at]));
        assert_eq!(must["status"], "completed");
        first.die();

        let second = Process::start(&store, "second");
        let after = ids.each_ref().map(|id| seen(&second, who, id));
        assert_eq!(after[..3], [must, fails, breaks], "just as before");
        for (lost, tool) in after[3..].iter().zip(["asks", "may"]) {
            let text = LOST.replace("asks", tool);
            assert_eq!(lost["status"], "failed");
            assert_eq!(lost["statusMessage"], text);
            assert_eq!(lost["error"], json!({"code": -32603, "message": text}));
        }
        assert_eq!(store.statuses(), before, "reading writes nothing");
        assert_eq!(second.gate.tally(), (0, 0, 0), "and nothing is run again");
    }
}

/// A process may finish a task and die during the lookup: its last write counts.
#[test]
fn the_last_write_of_a_process_counts() {
    for who in &CALLERS {
        let store = SharedStore::new();
        let first = Process::start(&store, "first");
        let id = first.call(who, "may");
        let before = store.all();
        first.gate.open();
        first.run(hobnob_mcp_testkit::transcript::quiet());
        let mut after = store.all();
        store.put(&before[0]);
        store.write_last(after.remove(0));
        first.die();
        let second = Process::start(&store, "second");
        assert_eq!(seen(&second, who, &id)["status"], "completed");
        assert_eq!(seen(&second, who, &id)["result"]["content"][0]["text"], "done");
    }
}

/// An ended task cannot be cancelled or answered any more, which each era reports in its own way.
#[test]
fn after_a_restart_there_is_nothing_to_cancel_or_to_answer() {
    for who in &CALLERS {
        let store = SharedStore::new();
        let first = Process::start(&store, "first");
        let ids = ["must", "may"].map(|tool| first.call(who, tool));
        first.die();
        let second = Process::start(&store, "second");
        for (id, status) in ids.iter().zip(["completed", "failed"]) {
            let cancelled = second.ask(who, "tasks/cancel", json!({"taskId": id}));
            match who {
                Who::Session(_) => {
                    let message = format!("task `{id}` has ended already: {status}");
                    assert_eq!(cancelled["error"], json!({"code": -32602, "message": message}));
                }
                Who::Principal(_) => {
                    assert_eq!(cancelled["result"]["resultType"], "complete");
                    let params = json!({"taskId": id, "inputResponses": {}});
                    let updated = second.ask(who, "tasks/update", params);
                    assert_eq!(updated["result"]["resultType"], "complete");
                }
            }
        }
    }
}

/// The list contains the tasks of earlier processes, on the same pages as its own.
#[test]
fn after_a_restart_the_list_goes_on() {
    let who = &Who::Session("a session");
    let store = SharedStore::new();
    let first = Process::start(&store, "first");
    let mut ids: Vec<String> = ["must", "may", "asks"].map(|tool| first.call(who, tool)).into();
    first.call(&Who::Session("another"), "must");
    first.die();
    let second = Process::start(&store, "second");
    ids.extend(["must", "may"].map(|tool| second.call(who, tool)));
    ids.sort();
    let (mut listed, mut statuses, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    let mut params = json!({});
    loop {
        let page = &second.ask(who, "tasks/list", params)["result"];
        let tasks = page["tasks"].as_array().expect("tasks");
        sizes.push(tasks.len());
        listed.extend(tasks.iter().map(|task| task["taskId"].as_str().expect("an id").to_owned()));
        statuses.extend(tasks.iter().map(|task| task["status"].as_str().expect("one").to_owned()));
        let Some(next) = page.get("nextCursor") else { break };
        params = json!({"cursor": next});
    }
    assert_eq!(listed, ids);
    assert_eq!(sizes, [2, 2, 1]);
    statuses.sort();
    assert_eq!(statuses, ["completed", "completed", "failed", "failed", "working"]);
}

/// Only the owner finds a record; no other client does, even if it knows the id.
#[test]
fn another_owner_finds_nothing() {
    for (owner, others) in [
        (Who::Session("ann"), [Who::Session("bob"), Who::Principal("bob")]),
        (Who::Principal("ann"), [Who::Principal("bob"), Who::Session("bob")]),
    ] {
        let store = SharedStore::new();
        let first = Process::start(&store, "first");
        let ids = ["must", "may"].map(|tool| first.call(&owner, tool));
        let living = Process::start(&store, "living");
        finds_nothing(&first, &others, &ids);
        finds_nothing(&living, &others, &ids);
        first.die();
        finds_nothing(&living, &others, &ids);
        assert_eq!(seen(&living, &owner, &ids[0])["status"], "completed");
    }
}

fn finds_nothing(process: &Process, others: &[Who], ids: &[String]) {
    for other in others {
        for id in ids {
            let methods: &[&str] = match other {
                Who::Session(_) => &["tasks/get", "tasks/result", "tasks/cancel"],
                Who::Principal(_) => &["tasks/get", "tasks/update", "tasks/cancel"],
            };
            for method in methods {
                let answer = process.ask(other, method, json!({"taskId": id}));
                let message = format!("no task `{id}`: it is unknown or has expired");
                let expected = json!({"error": {"code": -32602, "message": message}});
                assert_eq!(answer, expected, "{method}");
            }
        }
    }
    let listed = process.ask(&Who::Session("bob"), "tasks/list", json!({}));
    assert_eq!(listed, json!({"result": {"tasks": []}}));
}

/// A task of another live process is shown as that process stored it last, and not changed.
#[test]
fn a_task_of_another_living_process_is_only_looked_at() {
    for who in &CALLERS {
        let store = SharedStore::new();
        let first = Process::start(&store, "first");
        let [may, asks] = ["may", "asks"].map(|tool| first.call(who, tool));
        let second = Process::start(&store, "second");
        for (id, status) in [(&may, "working"), (&asks, "input_required")] {
            let answer = second.ask(who, "tasks/get", json!({"taskId": id}));
            assert_eq!(answer["result"]["status"], status);
            let questions = answer["result"].get("inputRequests").is_some();
            assert_eq!(questions, matches!(who, Who::Principal(_)) && status == "input_required");
            let refused = second.ask(who, "tasks/cancel", json!({"taskId": id}));
            assert_eq!(refused["error"]["code"], -32600);
            assert!(refused["error"]["message"].to_string().contains("another process"));
        }
        if matches!(who, Who::Principal(_)) {
            let params = json!({"taskId": asks, "inputResponses": {"sure": {"action": "accept"}}});
            let refused = second.ask(who, "tasks/update", params);
            assert_eq!(refused["error"]["code"], -32600);
        }
        first.gate.open();
        first.run(hobnob_mcp_testkit::transcript::quiet());
        assert_eq!(seen(&second, who, &may)["status"], "completed");
        assert_eq!(store.statuses(), "asks input_required, may completed");
    }
}

/// A client that waits for another process's task gets its result, or learns that the process died.
#[test]
fn the_result_of_another_process_is_waited_for() {
    for is_finished in [true, false] {
        let who = &Who::Session("a session");
        let store = SharedStore::new();
        let first = Process::start(&store, "first");
        let id = first.call(who, "may");
        let second = Process::start(&store, "second");
        let mut waiting = Box::pin(ask(&second.server, who, "tasks/result", json!({"taskId": id})));
        second.run(async {
            let answer = tokio::time::timeout(Duration::from_secs(60), &mut waiting).await;
            assert!(answer.is_err(), "nothing to answer yet: {answer:?}");
        });
        if is_finished {
            first.gate.open();
            first.run(hobnob_mcp_testkit::transcript::quiet());
        }
        first.die();
        let answer = second.run(waiting);
        if is_finished {
            assert_eq!(answer["result"]["content"][0]["text"], "done");
        } else {
            let message = LOST.replace("asks", "may");
            assert_eq!(answer["error"], json!({"code": -32603, "message": message}));
        }
    }
}

/// A graceful shutdown stores what it interrupts, and leaves ended tasks unchanged.
#[test]
fn an_orderly_end_is_written_down() {
    let who = &Who::Principal("ann");
    let store = SharedStore::new();
    let first = Process::start(&store, "first");
    let ids = ["asks", "may", "must"].map(|tool| first.call(who, tool));
    first.run(first.server.shut_down());
    assert_eq!(store.statuses(), "asks failed, may failed, must completed");
    assert_eq!(first.gate.tally(), (1, 0, 1));
    // For that, the store need not know that the process is dead.
    let second = Process::start(&store, "second");
    let tasks = ids.map(|id| seen(&second, who, &id));
    assert_eq!(tasks[0]["statusMessage"], LOST);
    assert_eq!(tasks[0]["error"], json!({"code": -32603, "message": LOST}));
    assert_eq!(tasks[2]["result"]["content"][0]["text"], "done");
}

/// An expired record is not found, and is removed when the next task has ended.
#[test]
fn expired_tasks_are_not_listed_and_removed() {
    let who = &Who::Principal("ann");
    let store = SharedStore::new();
    let now = SystemTime::now();
    for (id, age, status) in [
        ("old", 3600, TaskStatus::Cancelled),
        ("lost", 3600, TaskStatus::Working),
        ("young", 60, TaskStatus::Cancelled),
    ] {
        let began = now - Duration::from_secs(age);
        store.put(&PersistedTask {
            id: id.into(),
            owner: TaskOwner(Some("ann".into())),
            instance: "before".into(),
            tool: id.into(),
            status,
            message: None,
            created: began,
            updated: began,
            ttl: Duration::from_secs(3600),
            detail: None,
        });
    }
    store.bury("before");
    let process = Process::start(&store, "first");
    for id in ["old", "lost"] {
        let answer = process.ask(who, "tasks/get", json!({"taskId": id}));
        assert_eq!(answer["error"]["code"], -32602);
    }
    let answer = process.ask(who, "tasks/get", json!({"taskId": "young"}));
    assert_eq!(answer["result"]["status"], "cancelled");
    process.call(who, "must");
    assert_eq!(store.statuses(), "must completed, young cancelled");
}

/// A task as this caller sees it, with its end but without its timestamps.
fn seen(process: &Process, who: &Who, id: &str) -> Value {
    let mut task = process.ask(who, "tasks/get", json!({"taskId": id}))["result"].take();
    if let Who::Session(_) = who {
        let end = process.ask(who, "tasks/result", json!({"taskId": id}));
        task.as_object_mut().expect("a task").extend(end.as_object().expect("an end").clone());
    }
    task
}

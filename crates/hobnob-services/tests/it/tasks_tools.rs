//! The arguments and answers of each task tool, by caller.

use crate::tasks_server::{LIST, TaskServer};
use hobnob_mcp_types::Method;
use hobnob_services::{Failure, Presentation, Success};
use hobnob_store::Time;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The answer about a new task: its id, status and the values its maker gave, in this order.
#[tokio::test]
async fn a_new_task_is_shown_briefly() {
    let server = TaskServer::new(&Presentation::default());
    let first = server.make("first").await;
    let cases = [
        (
            json!({"description": "plain"}),
            r#""description":"plain","status":"pending"}"#.to_owned(),
        ),
        (
            json!({"description": "a", "priority": "normal", "blockers": [], "list": LIST}),
            r#""description":"a","status":"pending"}"#.to_owned(),
        ),
        (
            json!({"description": "\u{1F600}\n", "priority": "high", "parent": first,
                "blockers": [first, first], "list": "other"}),
            format!(
                r#""description":"😀\n","status":"pending","priority":"high","parent":"{first}","blockers":["{first}"],"list":"other"}}"#
            ),
        ),
        (
            json!({"description": "null is nothing", "priority": null, "parent": null,
                "blockers": null, "list": null}),
            r#""description":"null is nothing","status":"pending"}"#.to_owned(),
        ),
    ];
    for (arguments, expected) in cases {
        let params = json!({"name": "tasks_create", "arguments": arguments});
        let result = server.ask("", Method::ToolsCall, params).await;
        let id = result["structuredContent"]["id"].as_str().unwrap().to_owned();
        let expected = format!(r#"{{"id":"{id}",{expected}"#);
        assert_eq!(result["content"][0]["text"], expected);
        assert_eq!(result["structuredContent"].to_string(), expected);
    }
}

/// A task with all its fields; absent values are left out, and lists are always lists.
#[tokio::test]
async fn a_task_is_shown_in_full() {
    let server = TaskServer::new(&Presentation::default());
    let first = server.make("first").await;
    let make = json!({"description": "task", "parent": first, "blockers": [first]});
    let id = server.data("tasks_create", make).await["id"].clone();
    let found = server.data("tasks_get", json!({"id": id})).await;
    let keys: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "id",
        "description",
        "status",
        "priority",
        "list",
        "parent",
        "blockers",
        "open_blockers",
        "ready",
        "created_at",
        "updated_at",
    ];
    assert_eq!(keys, expected);
    let fixed = [
        ("status", json!("pending")),
        ("priority", json!("normal")),
        ("list", json!(LIST)),
        ("parent", json!(first)),
        ("blockers", json!([first])),
        ("open_blockers", json!([first])),
        ("ready", json!(false)),
    ];
    for (key, expected) in fixed {
        assert_eq!(found[key], expected, "{key}");
    }
    assert_eq!(
        found["created_at"],
        text(server.stored(&first).await.created, &found["created_at"])
    );
    let done = json!({"id": first, "status": "completed", "result": "did it"});
    server.data("tasks_update", done).await;
    server.data("tasks_claim", json!({"id": id, "worker": "w", "lease_seconds": 60})).await;
    let found = server.data("tasks_get", json!({"id": id})).await;
    assert_eq!(found["open_blockers"], json!([]));
    assert_eq!(found["claimed_by"], "w");
    let stored = server.stored(id.as_str().unwrap()).await;
    assert_eq!(millis(&found["lease_until"]), stored.claim.unwrap().until.millis());
    assert_eq!(millis(&found["started_at"]) + 60_000, millis(&found["lease_until"]));
    let first = server.data("tasks_get", json!({"id": first})).await;
    assert_eq!(first["result"], "did it");
    assert_eq!(first["finished_at"], first["started_at"]);
    assert_eq!(first["blockers"], json!([]));
}

/// A task from ready to completed, as one agent sees it.
#[tokio::test]
async fn work_is_found_claimed_and_done() {
    let server = TaskServer::new(&Presentation::default());
    let low = server.data("tasks_create", json!({"description": "low", "priority": "low"})).await;
    let first = server.make("first").await;
    let urgent = json!({"description": "urgent", "priority": "urgent", "blockers": [first], "parent": first});
    let urgent = server.data("tasks_create", urgent).await["id"].clone();
    let ready = server.data("tasks_ready", json!({})).await;
    assert_eq!(descriptions(&ready), ["first", "low"]);
    assert_eq!(ready["count"], 2);
    assert_eq!(descriptions(&server.data("tasks_ready", json!({"limit": 1})).await), ["first"]);
    let claimed = server.data("tasks_claim", json!({"lease_seconds": 600})).await;
    assert_eq!((&claimed["claimed"], &claimed["task"]["id"]), (&json!(true), &json!(first)));
    // A caller that names no worker is the worker its client's name says.
    assert_eq!(claimed["task"]["claimed_by"], "'s client");
    let mine = server.data("tasks_list", json!({"worker": "'s client"})).await;
    assert_eq!(descriptions(&mine), ["first"]);
    server.data("tasks_renew", json!({"id": first, "lease_seconds": 86_400})).await;
    let held =
        server.failure("tasks_update", json!({"id": first, "status": "failed", "worker": "v"}));
    assert_eq!(held.await, format!("task {first} is claimed by `'s client`"));
    let done = json!({"id": first, "status": "completed", "result": "it works"});
    assert_eq!(server.data("tasks_update", done).await["result"], "it works");
    let next = server.data("tasks_claim", json!({"worker": "w"})).await;
    assert_eq!(next["task"]["id"], urgent);
    let given_back = server.data("tasks_release", json!({"id": urgent, "worker": "w"})).await;
    assert_eq!((&given_back["status"], &given_back["ready"]), (&json!("pending"), &json!(true)));
    for id in [&urgent, &low["id"]] {
        server.data("tasks_update", json!({"id": id, "status": "completed"})).await;
    }
    let nothing = server.data("tasks_claim", json!({})).await;
    let words = "nothing is ready: all tasks are done, blocked or taken";
    assert_eq!(nothing, json!({"claimed": false, "message": words}));
    let history = server.data("tasks_history", json!({"id": first})).await;
    let steps: Vec<&Value> =
        history["steps"].as_array().unwrap().iter().map(|step| &step["action"]).collect();
    assert_eq!(steps, ["created", "claimed", "renewed", "completed"]);
    assert_eq!(history["count"], 4);
    let last = &history["steps"][3];
    assert_eq!((&last["worker"], &last["detail"]), (&json!("'s client"), &json!("result")));
    let children = server.data("tasks_children", json!({"id": first})).await;
    assert_eq!(descriptions(&children), ["urgent"]);
    let blockers = server.data("tasks_blockers", json!({"id": urgent})).await;
    assert_eq!(descriptions(&blockers), ["first"]);
    let none = server.data("tasks_blockers", json!({"id": first})).await;
    assert_eq!(none, json!({"tasks": [], "count": 0}));
}

/// Every filter, lists of other names, and pages.
#[tokio::test]
async fn lists_are_narrowed_and_paged() {
    let server = TaskServer::new(&Presentation::default());
    let whole = server.make("Whole").await;
    for task in [
        json!({"description": "part", "parent": whole, "priority": "high"}),
        json!({"description": "elsewhere", "list": "other"}),
        json!({"description": "done"}),
    ] {
        let made = server.data("tasks_create", task).await;
        if made["description"] == "done" {
            server.complete(made["id"].as_str().unwrap()).await;
        }
    }
    let cases: &[(Value, &[&str])] = &[
        (json!({}), &["Whole", "part", "done"]),
        (json!({"list": "*"}), &["Whole", "part", "elsewhere", "done"]),
        (json!({"list": "other"}), &["elsewhere"]),
        (json!({"list": "none"}), &[]),
        (json!({"status": "completed"}), &["done"]),
        (json!({"status": "pending", "priority": "normal"}), &["Whole"]),
        (json!({"parent": whole}), &["part"]),
        (json!({"contains": "WHO"}), &["Whole"]),
        (json!({"worker": "w"}), &[]),
        (json!({"limit": 500}), &["Whole", "part", "done"]),
    ];
    for (arguments, expected) in cases {
        let listed = server.data("tasks_list", arguments.clone()).await;
        assert_eq!(descriptions(&listed), *expected, "{arguments}");
        assert_eq!(listed["count"], expected.len(), "{arguments}");
        assert!(listed.get("next_cursor").is_none(), "{arguments}");
    }
    let page = server.data("tasks_list", json!({"limit": 2})).await;
    assert_eq!(descriptions(&page), ["Whole", "part"]);
    let rest = json!({"limit": 2, "cursor": page["next_cursor"]});
    assert_eq!(descriptions(&server.data("tasks_list", rest).await), ["done"]);
    let refused = server.failure("tasks_list", json!({"cursor": "nonsense"})).await;
    assert_eq!(refused, "this cursor is not from a list of tasks: list again without it");
    let other = server.data("tasks_claim", json!({"list": "*", "priority": "high"})).await;
    assert_eq!(other["task"]["description"], "part");
    let other = server.data("tasks_ready", json!({"list": "other"})).await;
    assert_eq!(descriptions(&other), ["elsewhere"]);
}

/// The message of every refusal.
#[tokio::test]
async fn refusals_say_what_is_wrong() {
    let server = TaskServer::new(&Presentation::default());
    let (a, b) = (server.make("a").await, server.make("b").await);
    server.data("tasks_add_blocker", json!({"id": a, "blocker_id": b})).await;
    let long_id = "x".repeat(100_000);
    let cases = [
        ("tasks_get", json!({"id": "task_xyz"}), "task not found: task_xyz".to_owned()),
        ("tasks_get", json!({"id": long_id}), format!("task not found: {}…", "x".repeat(64))),
        ("tasks_children", json!({"id": "no"}), "task not found: no".into()),
        ("tasks_history", json!({"id": "no"}), "task not found: no".into()),
        ("tasks_blockers", json!({"id": "no"}), "task not found: no".into()),
        ("tasks_delete", json!({"id": ""}), "task not found: ".into()),
        ("tasks_create", json!({"description": "x", "parent": "no"}), "task not found: no".into()),
        ("tasks_add_blocker", json!({"id": a, "blocker_id": "no"}), "task not found: no".into()),
        (
            "tasks_add_blocker",
            json!({"id": b, "blocker_id": a}),
            format!("that would be a cycle: {b} → {a} → {b}"),
        ),
        (
            "tasks_update",
            json!({"id": a, "status": "in_progress"}),
            format!("task {a} is blocked by {b}"),
        ),
        ("tasks_claim", json!({"id": a, "worker": "w"}), format!("task {a} is blocked by {b}")),
        (
            "tasks_delete",
            json!({"id": b}),
            format!("task {b} is still needed by {a}: delete or detach them first"),
        ),
        ("tasks_renew", json!({"id": b, "worker": "w"}), format!("task {b} is not claimed by `w`")),
        ("tasks_create", json!({"description": " \n"}), "description: it is empty".into()),
        (
            "tasks_create",
            json!({"description": "ö".repeat(40_000)}),
            "description: 80000 bytes, at most 65536 are allowed".into(),
        ),
        (
            "tasks_update",
            json!({"id": a, "result": "x".repeat((1 << 20) + 1)}),
            "result: 1048577 bytes, at most 1048576 are allowed".into(),
        ),
        (
            "tasks_create",
            json!({"description": "x", "list": "ö".repeat(201)}),
            "list: 201 characters, it must have 1 to 200".into(),
        ),
        (
            "tasks_create",
            json!({"description": "x", "list": ""}),
            "list: 0 characters, it must have 1 to 200".into(),
        ),
        (
            "tasks_create",
            json!({"description": "x", "list": "*"}),
            "list: `*` stands for all lists, name one".into(),
        ),
        (
            "tasks_create",
            json!({"description": "x", "blockers": vec![b.as_str(); 1_001]}),
            "blockers: 1001, at most 1000".into(),
        ),
        (
            "tasks_claim",
            json!({"worker": " "}),
            "worker: 1 characters, it must have 1 to 200".into(),
        ),
        // The error uses the terms of the schema.
        (
            "tasks_claim",
            json!({"lease_seconds": 0}),
            "arguments.lease_seconds: expected at least 1, received integer 0".into(),
        ),
        (
            "tasks_claim",
            json!({"lease_seconds": 86_401}),
            "arguments.lease_seconds: expected at most 86400, received integer 86401".into(),
        ),
        (
            "tasks_list",
            json!({"limit": 501}),
            "arguments.limit: expected at most 500, received integer 501".into(),
        ),
        (
            "tasks_create",
            json!({}),
            "arguments.description: expected a value, received nothing".into(),
        ),
    ];
    for (tool, arguments, expected) in cases {
        assert_eq!(server.failure(tool, arguments).await, expected, "{tool}");
    }
    let wrong = server.failure("tasks_update", json!({"id": a, "status": "done"})).await;
    assert!(wrong.starts_with("arguments.status: expected one of"), "{wrong}");
    // Refused calls have left no trace.
    let listed = server.data("tasks_list", json!({"list": "*"})).await;
    assert_eq!(descriptions(&listed), ["a", "b"]);
    // The largest allowed values are accepted.
    let edge = json!({"description": "x".repeat(1 << 16), "list": "ö".repeat(200)});
    let edge = server.data("tasks_create", edge).await["id"].clone();
    let result = json!({"id": edge, "result": "x".repeat(1 << 20)});
    assert_eq!(
        server.data("tasks_update", result).await["result"].as_str().unwrap().len(),
        1 << 20
    );
}

/// Edits that detach a parent, delete a task and remove a blocker.
#[tokio::test]
async fn what_was_tied_can_be_untied() {
    let server = TaskServer::new(&Presentation::default());
    let (a, b) = (server.make("a").await, server.make("b").await);
    server.data("tasks_update", json!({"id": a, "parent": b, "priority": "urgent"})).await;
    let tied = server.data("tasks_add_blocker", json!({"id": a, "blocker_id": b})).await;
    assert_eq!((&tied["parent"], &tied["blockers"]), (&json!(b), &json!([b])));
    let kept = server.data("tasks_update", json!({"id": a, "parent": null})).await;
    assert_eq!(kept["parent"], json!(b), "null says nothing");
    let alone =
        server.data("tasks_update", json!({"id": a, "parent": "", "description": "A"})).await;
    assert_eq!((&alone["parent"], &alone["description"]), (&Value::Null, &json!("A")));
    let free = server.data("tasks_remove_blocker", json!({"id": a, "blocker_id": b})).await;
    assert_eq!((&free["blockers"], &free["ready"]), (&json!([]), &json!(true)));
    let gone = server.data("tasks_delete", json!({"id": b})).await;
    assert_eq!(gone, json!({"id": b, "deleted": true}));
    assert_eq!(server.failure("tasks_get", json!({"id": b})).await, format!("task not found: {b}"));
}

/// Two named callers and an unnamed one on one store: none sees another's tasks.
#[tokio::test]
async fn callers_see_their_own_only() {
    let server = TaskServer::new(&Presentation::default());
    let hers = server.data_for("ada", "tasks_create", json!({"description": "hers"})).await;
    let id = &hers["id"];
    for who in ["bob", ""] {
        for (tool, arguments) in [
            ("tasks_get", json!({"id": id})),
            ("tasks_update", json!({"id": id, "status": "completed"})),
            ("tasks_delete", json!({"id": id})),
            ("tasks_claim", json!({"id": id})),
            ("tasks_history", json!({"id": id})),
            ("tasks_children", json!({"id": id})),
            ("tasks_create", json!({"description": "x", "blockers": [id]})),
        ] {
            let expected = format!("task not found: {}", id.as_str().unwrap());
            assert_eq!(server.failure_for(who, tool, arguments).await, expected, "{who} {tool}");
        }
        for tool in ["tasks_list", "tasks_ready"] {
            let seen = server.data_for(who, tool, json!({"list": "*"})).await;
            assert_eq!(seen["count"], 0, "{who} {tool}");
        }
        let uri = format!("tasks://task/{}", id.as_str().unwrap());
        let read = server.ask(who, Method::ResourcesRead, json!({"uri": uri})).await;
        assert_eq!(read["message"], format!("resource not found: {uri}"));
    }
    assert_eq!(server.data_for("ada", "tasks_get", json!({"id": id})).await["status"], "pending");
}

/// A presentation with codes reports refusals as protocol errors; one with a prefix prepends it.
#[tokio::test]
async fn faces_tell_failures_their_own_way() {
    let codes = BTreeMap::from([(Failure::NotFound, -32604), (Failure::Invalid, -32609)]);
    let server = TaskServer::new(&Presentation { codes, ..Presentation::default() });
    let id = server.make("a").await;
    for (arguments, code, message) in [
        (
            json!({"id": "task_xyz", "blocker_id": id}),
            -32604,
            "task not found: task_xyz".to_owned(),
        ),
        (
            json!({"id": id, "blocker_id": id}),
            -32609,
            format!("that would be a cycle: {id} → {id}"),
        ),
    ] {
        let params = json!({"name": "tasks_add_blocker", "arguments": arguments});
        let error = server.ask("", Method::ToolsCall, params).await;
        assert_eq!(error, json!({"code": code, "message": message}));
    }
    let presentation = Presentation {
        failure_prefix: "error: ".into(),
        success: Success::Spelled,
        uri_schemes: BTreeMap::from([("tasks".into(), "jobs".into())]),
        ..Presentation::default()
    };
    let server = TaskServer::new(&presentation);
    let failure = server.failure("tasks_get", json!({"id": "task_xyz"})).await;
    assert_eq!(failure, "error: task not found: task_xyz");
    let read = server.ask("", Method::ResourcesRead, json!({"uri": "jobs://ready"})).await;
    assert_eq!(read["contents"][0]["uri"], "jobs://ready");
}

/// Every schema is closed, lists its required properties, and describes each property.
#[tokio::test]
async fn schemas_are_closed_and_described() {
    let server = TaskServer::new(&Presentation::default());
    let listed = server.ask("", Method::ToolsList, json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "tasks_add_blocker",
        "tasks_blockers",
        "tasks_children",
        "tasks_claim",
        "tasks_create",
        "tasks_delete",
        "tasks_get",
        "tasks_history",
        "tasks_list",
        "tasks_ready",
        "tasks_release",
        "tasks_remove_blocker",
        "tasks_renew",
        "tasks_update",
    ];
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    for tool in tools {
        let (name, schema) = (&tool["name"], &tool["inputSchema"]);
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
        assert!(schema.get("$defs").is_none(), "{name}: {schema}");
        for (property, schema) in schema["properties"].as_object().unwrap() {
            let words = schema["description"].as_str().unwrap_or_default();
            assert!(!words.is_empty(), "{name} {property}");
        }
        let hints = &tool["annotations"];
        let reads = ["list", "get", "blockers", "children", "ready", "history"];
        let is_read = reads.iter().any(|read| *name == format!("tasks_{read}"));
        assert_eq!(hints["readOnlyHint"], is_read, "{name}");
        assert_eq!(hints["destructiveHint"], *name == "tasks_delete", "{name}");
        let adds = ["create", "claim", "renew"];
        let is_add = adds.iter().any(|add| *name == format!("tasks_{add}"));
        assert_eq!(hints["idempotentHint"], !is_add, "{name}");
    }
    let schema_of = |name: &str| {
        tools.iter().find(|tool| tool["name"] == name).map(|tool| &tool["inputSchema"]).unwrap()
    };
    for (name, required) in [
        ("tasks_create", Some(json!(["description"]))),
        ("tasks_update", Some(json!(["id"]))),
        ("tasks_add_blocker", Some(json!(["id", "blocker_id"]))),
        ("tasks_list", Some(json!([]))),
    ] {
        assert_eq!(schema_of(name).get("required"), required.as_ref(), "{name}");
    }
    let create = &schema_of("tasks_create")["properties"];
    let words = json!({"type": "string", "description": "Task description"});
    assert_eq!(create["description"], words);
    assert_eq!(create["priority"]["enum"], json!(["low", "normal", "high", "urgent"]));
    let status = &schema_of("tasks_list")["properties"]["status"]["enum"];
    assert_eq!(*status, json!(["pending", "in_progress", "completed", "failed"]));
    let lease = &schema_of("tasks_claim")["properties"]["lease_seconds"];
    assert_eq!((&lease["minimum"], &lease["maximum"]), (&json!(1), &json!(86_400)));
}

fn descriptions(answer: &Value) -> Vec<&str> {
    let tasks = answer["tasks"].as_array().unwrap();
    tasks.iter().map(|task| task["description"].as_str().unwrap()).collect()
}

/// The milliseconds since 1970 of an RFC 3339 time in UTC.
fn millis(text: &Value) -> i64 {
    let text = text.as_str().unwrap();
    assert!(text.len() == 24 && text.ends_with('Z'), "{text}");
    text.parse::<jiff::Timestamp>().unwrap().as_millisecond()
}

/// Checks that a text is this time or a little later, and returns it.
fn text(time: Time, found: &Value) -> Value {
    assert!(time.millis() <= millis(found) && millis(found) <= Time::now().millis(), "{found}");
    found.clone()
}

//! Tasks outside the tools: resources, completions, the prompt, and change notifications.

use crate::tasks_server::{LIST, TaskServer};
use hobnob_mcp_types::Method;
use hobnob_services::{BuiltInService as _, Presentation};
use hobnob_store::Owner;
use hobnob_store::changes::{ChangedRecord, RecordChange};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[tokio::test]
async fn resources_show_what_is_there() {
    let server = TaskServer::new(&Presentation::default());
    let whole = server.make("whole").await;
    let part = json!({"description": "part", "parent": whole, "blockers": [whole]});
    let part = server.data("tasks_create", part).await["id"].as_str().unwrap().to_owned();
    let odd = "a/b?c#d%2F ö";
    server.data("tasks_create", json!({"description": "odd", "list": odd})).await;
    let ready = read(&server, "tasks://ready").await;
    assert_eq!((&ready["count"], &ready["tasks"][0]["id"]), (&json!(1), &json!(whole)));
    let list = read(&server, "tasks://list/example.org%2Fteam%2Fproject").await;
    assert_eq!(list["count"], 2);
    let list = read(&server, "tasks://list/a%2Fb%3Fc%23d%252F%20%C3%B6").await;
    assert_eq!(list["tasks"][0]["list"], odd);
    let none = read(&server, "tasks://list/none").await;
    assert_eq!(none, json!({"tasks": [], "count": 0}));
    let task = read(&server, &format!("tasks://task/{whole}")).await;
    assert_eq!(task["task"], server.data("tasks_get", json!({"id": whole})).await);
    assert_eq!(task["children"][0]["id"], json!(part));
    assert_eq!(task["history"][0]["action"], "created");
    let task = read(&server, &format!("tasks://task/{part}")).await;
    assert_eq!(task["children"], json!([]));
    let missing = server.ask("", Method::ResourcesRead, json!({"uri": "tasks://task/no"})).await;
    assert_eq!(missing["message"], "resource not found: tasks://task/no");
}

/// Every URI that a change affects can be read, and shows the change.
#[tokio::test]
async fn news_are_where_the_contents_changed() {
    let presentation = Presentation {
        uri_schemes: BTreeMap::from([("tasks".into(), "jobs".into())]),
        ..Presentation::default()
    };
    let server = TaskServer::new(&presentation);
    let odd = "a/b?c#d%2F ö";
    for (list, expected) in [
        (LIST, vec!["jobs://task/ID", "jobs://list/example.org%2Fteam%2Fproject", "jobs://ready"]),
        (odd, vec!["jobs://task/ID", "jobs://list/a%2Fb%3Fc%23d%252F%20%C3%B6"]),
    ] {
        let made = server.data("tasks_create", json!({"description": "x", "list": list})).await;
        let id = made["id"].as_str().unwrap();
        let what = ChangedRecord::Task { list: list.into(), id: id.into() };
        let changed = RecordChange { owner: Owner::default(), what };
        let uris = server.service.changed_resources(&presentation, &changed);
        let expected: Vec<String> = expected.into_iter().map(|uri| uri.replace("ID", id)).collect();
        assert_eq!(uris, expected);
        for uri in uris {
            assert!(read(&server, &uri).await.to_string().contains(id), "{uri}");
        }
    }
    let prompt = ChangedRecord::Prompt { name: "p".into() };
    let changed = RecordChange { owner: Owner::default(), what: prompt };
    assert_eq!(server.service.changed_resources(&presentation, &changed), Vec::<String>::new());
}

#[tokio::test]
async fn names_are_completed() {
    let server = TaskServer::new(&Presentation::default());
    let id = server.make("a").await;
    for list in ["other", "other", "outer"] {
        server.data("tasks_create", json!({"description": "x", "list": list})).await;
    }
    let by_template = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    let by_prompt = json!({"type": "ref/prompt", "name": "tasks_next"});
    for (reference, name, typed, expected) in [
        (by_template("tasks://task/{id}"), "id", id.as_str(), json!([id])),
        (by_template("tasks://task/{id}"), "id", "task_!", json!([])),
        (by_template("tasks://list/{list}"), "list", "o", json!(["other", "outer"])),
        (by_template("tasks://list/{list}"), "list", "exa", json!([LIST])),
        (by_prompt.clone(), "list", "out", json!(["outer"])),
        (by_prompt, "worker", "", json!([])),
    ] {
        let params = json!({"ref": reference, "argument": {"name": name, "value": typed}});
        let answer = server.ask("", Method::Complete, params).await;
        assert_eq!(answer["completion"]["values"], expected, "{reference} {typed}");
    }
}

#[tokio::test]
async fn the_prompt_says_what_to_do_next() {
    let server = TaskServer::new(&Presentation::default());
    let empty = prompt(&server, json!({})).await;
    let words = format!("The list `{LIST}` has no open tasks");
    assert!(empty.contains(&words), "{empty}");

    let mine = server.make("mine").await;
    let theirs = server.make("theirs").await;
    let gone_wrong = server.make("gone\nwrong").await;
    let make = |arguments: Value| server.data("tasks_create", arguments);
    let urgent = make(json!({"description": "x ".repeat(300), "priority": "urgent"})).await;
    let urgent = urgent["id"].as_str().unwrap();
    let late = make(json!({"description": "late", "blockers": [urgent, gone_wrong]})).await;
    let late = late["id"].as_str().unwrap();
    make(json!({"description": "elsewhere", "list": "other"})).await;
    server.data("tasks_claim", json!({"id": mine, "worker": "me"})).await;
    server.data("tasks_claim", json!({"id": theirs, "worker": "them"})).await;
    server.data("tasks_update", json!({"id": gone_wrong, "status": "failed"})).await;
    let done = server.make("done").await;
    server.complete(&done).await;

    let text = prompt(&server, json!({"worker": "me"})).await;
    let until = async |id: &str| {
        let task = server.data("tasks_get", json!({"id": id})).await;
        task["lease_until"].as_str().unwrap().to_owned()
    };
    let (mine_until, their_until) = (until(&mine).await, until(&theirs).await);
    let x = "x ".repeat(100);
    let expected = format!(
        "What should I do next? I am `me`. These are the open tasks of the list `{LIST}`.\n\n\
         In my hands already, to be finished first:\n\
         - {mine} [normal] mine (claimed by `me` until {mine_until})\n\n\
         Ready to be begun, most important first:\n\
         - {urgent} [urgent] {x}… (blocks {late})\n\n\
         Waiting for others:\n\
         - {late} [normal] late (waits for {urgent} (pending), {gone_wrong} (failed))\n\n\
         In progress elsewhere:\n\
         - {theirs} [normal] theirs (claimed by `them` until {their_until})\n\n\
         Choose one: "
    );
    assert!(text.starts_with(&expected), "{text}\n---\n{expected}");

    server.complete(urgent).await;
    let stuck = prompt(&server, json!({})).await;
    assert!(stuck.contains("Nothing can be begun right now."), "{stuck}");
    let other = prompt(&server, json!({"list": "other", "worker": ""})).await;
    assert!(other.contains("I am `'s client`") && other.contains("] elsewhere\n"), "{other}");
}

/// The worker's own task is shown even if many others are at work.
#[tokio::test]
async fn the_prompt_never_hides_what_is_in_hand() {
    let server = TaskServer::new(&Presentation::default());
    for _ in 0..45 {
        server.make("theirs").await;
        server.data("tasks_claim", json!({"worker": "them"})).await;
    }
    let mine = server.make("mine").await;
    server.data("tasks_claim", json!({"id": mine, "worker": "me"})).await;
    let text = prompt(&server, json!({"worker": "me"})).await;
    assert!(text.contains(&format!("- {mine} [normal] mine (claimed by `me`")), "{text}");
    assert_eq!(text.matches("claimed by `them`").count(), 20);
    assert!(text.contains("Nothing can be begun right now."), "{text}");
}

async fn read(server: &TaskServer, uri: &str) -> Value {
    let read = server.ask("", Method::ResourcesRead, json!({"uri": uri})).await;
    let contents = &read["contents"][0];
    assert_eq!(contents["uri"], uri, "{read}");
    assert_eq!(contents["mimeType"], "application/json");
    serde_json::from_str(contents["text"].as_str().unwrap()).unwrap()
}

async fn prompt(server: &TaskServer, arguments: Value) -> String {
    let params = json!({"name": "tasks_next", "arguments": arguments});
    let answer = server.ask("", Method::PromptsGet, params).await;
    assert_eq!(answer["description"], "What should I do next?", "{answer}");
    assert_eq!(answer["messages"][0]["role"], "user");
    answer["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
}

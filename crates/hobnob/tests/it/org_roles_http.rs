//! Roles in the memories of scope `org`, over HTTP: each role does what it may, a principal without
//! a role sees nothing of them by any tool, resource or completion, and only a person gives roles.

use serde_json::{Value, json};

use crate::principals_http::Person;
use crate::tokens::{create, home, serve};

/// What is in every shared memory here, and in nothing else.
const CANARY: &str = "canary";

/// The arguments that capture a shared memory of the caller.
fn shared(content: &str) -> Value {
    json!({"content": format!("{CANARY} {content}"), "namespace": "birds", "scope": "org",
        "tags": [CANARY], "source": CANARY})
}

async fn share(who: &Person<'_>, content: &str) -> String {
    who.get("memory_capture", shared(content)).await["id"].as_str().unwrap().to_owned()
}

/// Every way to see memories: the tool, or the method and its parameters.
fn ways_to_see(id: &str) -> Vec<(&'static str, Value)> {
    let tool = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    let mut ways: Vec<(&'static str, Value)> = [
        ("memory_get", json!({"id": id})),
        ("memory_get", json!({"id": format!("memory://org/birds/{id}")})),
        ("memory_history", json!({"id": id})),
        ("memory_list", json!({})),
        ("memory_list", json!({"filter": "scope:org", "detail": "full"})),
        ("memory_list", json!({"filter": format!("tag:{CANARY}")})),
        ("memory_list", json!({"filter": format!("source:{CANARY}")})),
        ("memory_list", json!({"filter": "status:active,deleted,superseded"})),
        ("memory_recall", json!({"query": CANARY})),
        ("memory_recall", json!({"query": CANARY, "mode": "text", "filter": "ns:birds"})),
        ("memory_recall", json!({"filter": "scope:org", "detail": "full"})),
        ("memory_export", json!({})),
        ("memory_export", json!({"format": "markdown", "filter": "scope:org"})),
        ("memory_namespaces", json!({})),
        ("memory_status", json!({})),
    ]
    .into_iter()
    .map(|(name, arguments)| ("tools/call", tool(name, arguments)))
    .collect();
    for uri in [
        "memory://org".to_owned(),
        "memory://org/birds".to_owned(),
        format!("memory://org/birds/{id}"),
        "memory://topics".to_owned(),
        format!("memory://topics/{CANARY}"),
    ] {
        ways.push(("resources/read", json!({"uri": uri})));
    }
    for (template, argument) in
        [("memory://{scope}/{namespace}", "namespace"), ("memory://topics/{tag}", "tag")]
    {
        let reference = json!({"type": "ref/resource", "uri": template});
        let asked = json!({"ref": reference, "argument": {"name": argument, "value": ""}});
        ways.push(("completion/complete", asked));
    }
    ways.push((
        "prompts/get",
        json!({"name": "memory_review", "arguments": {"namespace": "birds"}}),
    ));
    ways
}

/// Every way to change a memory.
fn ways_to_change(id: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("memory_update", json!({"id": id, "content": "a crow"})),
        ("memory_update", json!({"id": id, "tags": ["crow"]})),
        ("memory_update", json!({"id": id, "ttl": "1d"})),
        ("memory_restore", json!({"id": id})),
        ("memory_delete", json!({"id": id})),
        ("memory_delete", json!({"id": id, "purge": true})),
    ]
}

/// Another id of the same form.
fn made_up(id: &str) -> String {
    let last = if id.ends_with('0') { "1" } else { "0" };
    format!("{}{last}", &id[..id.len() - 1])
}

/// The text of a failed call.
fn failure(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

/// Requests with the real id must get the same answers as requests with a made-up one.
async fn is_as_if_it_did_not_exist(who: &Person<'_>, id: &str) {
    let as_real = |answer: Value| answer.to_string().replace(&made_up(id), id);
    for ((method, real), (_, other)) in ways_to_see(id).into_iter().zip(ways_to_see(&made_up(id))) {
        let (seen, unseen) = (who.ask(method, real.clone()).await, who.ask(method, other).await);
        let seen = seen.to_string();
        assert_eq!(seen, as_real(unseen), "{method} {real}");
        let said = seen.replace(&format!("memory://topics/{CANARY}"), "");
        assert!(!said.contains(CANARY), "{method} {real}: {said}");
        let counts = said.contains("\"org\":0") || !said.contains("\"org\":");
        assert!(counts, "{method} {real}: {said}");
    }
    for ((tool, real), (_, other)) in
        ways_to_change(id).into_iter().zip(ways_to_change(&made_up(id)))
    {
        let (seen, unseen) = (who.call(tool, real).await, who.call(tool, other).await);
        assert_eq!(seen.to_string(), as_real(unseen), "{tool}");
    }
}

#[tokio::test]
async fn whoever_has_no_role_sees_nothing_that_is_shared() {
    let home = home();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    home.ok(&["grant", "memory", "--for", "token:ann", "--role", "writer"]);
    home.ok(&["memory", "capture", "canary of the person", "--scope", "org", "-n", "birds"]);
    let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let (ann, bob) = (Person { server, token: ann }, Person { server, token: bob });
    let id = share(&ann, "of Ann").await;
    is_as_if_it_did_not_exist(&bob, &id).await;
    // A principal who may not write cannot find out what exists by writing it again.
    let refused = bob.call("memory_capture", shared("of Ann")).await;
    let unknown = bob.call("memory_capture", shared("of nobody")).await;
    assert_eq!(refused, unknown, "the very same, and something new");
    let said = failure(&refused);
    for word in ["`org`", "`writer`", "hobnob grant memory --for token:bob --role writer"] {
        assert!(said.contains(word), "{said}");
    }
    let own = json!({"content": format!("{CANARY} of Ann"), "namespace": "birds"});
    let captured = bob.get("memory_capture", own).await;
    assert!(captured.get("duplicate").is_none() && captured.get("similar").is_none());
    let line = json!({"namespace": "birds", "scope": "org", "content": format!("{CANARY} of Ann"),
        "id": id});
    let imported = bob.get("memory_import", json!({"data": line.to_string()})).await;
    assert_eq!((&imported["imported"], &imported["known"]), (&json!(0), &json!(0)), "{imported}");
    assert!(imported["problems"][0]["problem"].as_str().unwrap().contains("writer"), "{imported}");
}

#[tokio::test]
async fn an_id_of_somebody_elses_shows_in_no_import() {
    let home = home();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let (ann, bob) = (Person { server, token: ann }, Person { server, token: bob });
    let new = json!({"content": "of Ann", "namespace": "birds"});
    let taken = ann.get("memory_capture", new).await["id"].as_str().unwrap().to_owned();
    for (id, content) in [(taken.clone(), "first"), (made_up(&taken), "second")] {
        let line = json!({"namespace": "birds", "content": content, "id": id}).to_string();
        let imported = bob.get("memory_import", json!({"data": line})).await;
        assert_eq!(imported["imported"], 1, "{imported}");
        let found = bob.get("memory_list", json!({"limit": 1})).await;
        assert_ne!(found["memories"][0]["id"], json!(id), "{found}");
    }
}

#[tokio::test]
async fn each_role_does_what_it_may_and_no_more() {
    let home = home();
    let names = ["ann", "bob", "eve"];
    let [ann, bob, eve] = names.map(|name| create(&home, &[name]));
    for (name, role) in [("ann", "writer"), ("bob", "reader"), ("eve", "admin")] {
        home.ok(&["grant", "memory", "--for", &format!("token:{name}"), "--role", role]);
    }
    let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let [ann, bob, eve] = [ann, bob, eve].map(|token| Person { server, token });
    let of_ann = share(&ann, "of Ann").await;
    let of_eve = share(&eve, "of Eve").await;
    for who in [&ann, &bob, &eve] {
        for (method, asked) in ways_to_see(&of_ann) {
            let answer = who.ask(method, asked.clone()).await;
            let said = answer.to_string();
            let seen =
                said.contains(CANARY) || said.contains("birds") || said.contains("\"org\":2");
            assert!(answer["result"].is_object() && seen, "{method} {asked}: {said}");
        }
    }
    let before = bob.get("memory_get", json!({"id": of_ann})).await;
    // A writer who captures an existing memory learns that it is a duplicate.
    let again = ann.get("memory_capture", shared("of Eve")).await;
    assert_eq!((&again["duplicate"], &again["id"]), (&json!(true), &json!(of_eve)), "{again}");
    for (who, id, name, role) in [
        (&bob, &of_ann, "bob", "admin"),
        (&bob, &of_eve, "bob", "admin"),
        (&ann, &of_eve, "ann", "admin"),
    ] {
        for (tool, asked) in ways_to_change(id) {
            let answer = who.call(tool, asked).await;
            let command = format!("hobnob grant memory --for token:{name} --role {role}");
            assert!(failure(&answer).contains(&command), "{tool}: {answer}");
        }
    }
    let refused = bob.call("memory_capture", shared("of Bob")).await;
    assert!(failure(&refused).contains("--role writer"), "{refused}");
    assert_eq!(bob.get("memory_get", json!({"id": of_ann})).await, before, "nothing was changed");
    for (who, id) in [(&ann, &of_ann), (&eve, &of_eve)] {
        for (tool, asked) in ways_to_change(id) {
            who.get(tool, asked).await;
        }
    }
    let of_ann = share(&ann, "of Ann, once more").await;
    for (tool, asked) in ways_to_change(&of_ann) {
        eve.get(tool, asked).await;
    }
}

#[tokio::test]
async fn a_role_counts_as_long_as_it_is_granted() {
    let home = home();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    let server = &serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let (ann, bob) = (Person { server, token: ann }, Person { server, token: bob });
    home.ok(&["grant", "memory", "--for", "token:ann", "--role", "writer"]);
    let granted = home.json(0, &["grant", "memory", "--for", "token:bob", "--role", "reader"]);
    assert_eq!(granted["grant"], "memory reader for token:bob");
    let mut id = String::new();
    for number in 0..3 {
        id = share(&ann, &format!("number {number}")).await;
    }
    let listed = bob.get("memory_list", json!({"limit": 1})).await;
    let recalled = bob.get("memory_recall", json!({"query": CANARY, "limit": 1})).await;
    let after =
        |page: &Value| page["next_cursor"].as_str().unwrap_or_else(|| panic!("{page}")).to_owned();
    let status = home.json(0, &["status"]);
    assert_eq!(
        status["memory"],
        json!(["memory writer for token:ann", "memory reader for token:bob"])
    );
    home.ok(&["revoke", "memory", "--for", "token:bob"]);
    is_as_if_it_did_not_exist(&bob, &id).await;
    let next = bob.call("memory_list", json!({"limit": 1, "cursor": after(&listed)})).await;
    assert!(!next.to_string().contains(CANARY), "{next}");
    let asked = json!({"query": CANARY, "limit": 1, "cursor": after(&recalled)});
    let next = bob.call("memory_recall", asked).await;
    assert!(!next.to_string().contains(CANARY), "{next}");
    // Ann goes on reading what she wrote, and does not see it any more without a role.
    home.ok(&["grant", "memory", "--for", "token:ann", "--role", "reader"]);
    let refused = ann.call("memory_delete", json!({"id": id})).await;
    assert!(failure(&refused).contains("--for token:ann --role writer"), "{refused}");
    ann.get("memory_get", json!({"id": id})).await;
    home.ok(&["revoke", "memory", "--all"]);
    is_as_if_it_did_not_exist(&ann, &id).await;
    let audit = home.path("hobnob/state/audit-decisions.jsonl");
    let audit = std::fs::read_to_string(audit).unwrap();
    for (method, text) in [
        ("grants/grant", "memory writer for token:ann"),
        ("grants/grant", "memory reader for token:ann"),
        ("grants/revoke", "memory reader for token:bob"),
        ("grants/revoke", "memory reader for token:ann"),
    ] {
        let written = |line: &str| line.contains(method) && line.contains(text);
        assert!(audit.lines().any(written), "{method} {text}: {audit}");
    }
}

#[test]
fn only_a_person_gives_roles() {
    let home = home();
    let words = ["grant", "memory", "--for", "token:ann", "--role", "admin"];
    let inside = home.command(&words).env("HOBNOB_INSTANCES", "hub").output().unwrap();
    assert!(!inside.status.success());
    let said = String::from_utf8(inside.stderr).unwrap();
    assert!(said.contains("changed by a person"), "{said}");
    for words in [
        &["grant", "memory", "--role", "admin"][..],
        &["grant", "memory", "--for", "token:ann"],
        &["grant", "memory", "--for", "token:ann", "--role", "owner"],
        &["grant", "memory", "--for", "", "--role", "reader"],
        &["revoke", "memory"],
    ] {
        assert_eq!(home.run(words).code, 2, "{words:?}");
    }
    assert_eq!(home.run(&["revoke", "memory", "--for", "token:ann"]).code, 1);
    home.ok(&words);
    assert!(home.ok(&["grants"]).stdout.contains("admin for token:ann"));
    home.ok(&["revoke", "all"]);
    assert!(!home.ok(&["grants"]).stdout.contains("token:ann"));
}

//! Permissions from outside: who is asked, how, and what is remembered.

use serde_json::{Value, json};

use crate::faults_client::{Client, MODERN, REVISIONS, able, text_of};
use crate::faults_setup::Setup;

const ECHO: &str = "mcp__one__echo";

fn answer(choice: &str) -> Value {
    json!({"action": "accept", "content": {"answer": choice}})
}

async fn setup(name: &str, rules: &str) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings(rules).upstream("one", &[]);
    Some(setup)
}

fn asked(client: &Client) -> usize {
    client.received.iter().filter(|it| it["method"] == "elicitation/create").count()
}

#[tokio::test]
async fn a_person_is_asked_in_every_revision_that_can_ask() {
    for revision in REVISIONS {
        let Some(setup) = setup(&format!("ask{revision}"), "").await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        if revision < "2025-06-18" {
            let response = client.call(ECHO, json!({"message": "hi"})).await;
            assert_eq!(response["result"]["isError"], true, "{response}");
            assert_eq!(setup.noted("one", "call"), 0);
            client.end().await;
            continue;
        }
        // Once is once.
        client.answering = |_, _| answer("once");
        for round in 1..=2 {
            assert_eq!(client.text(ECHO, json!({"message": "hi"})).await, "hi", "{revision}");
            assert_eq!(asked(&client), round, "{revision}");
        }
        let question = client.received.iter().find(|it| it["method"] == "elicitation/create");
        let words = question.unwrap()["params"]["message"].as_str().unwrap().to_owned();
        assert!(words.contains("`one`") && words.contains("`echo`"), "{words}");
        for refusal in [answer("no"), json!({"action": "decline"}), json!({"action": "cancel"})] {
            client.answering = match refusal["action"].as_str().unwrap() {
                "decline" => |_, _| json!({"action": "decline"}),
                "cancel" => |_, _| json!({"action": "cancel"}),
                _ => |_, _| answer("no"),
            };
            let response = client.call(ECHO, json!({"message": "hi"})).await;
            assert_eq!(response["result"]["isError"], true, "{revision} {refusal} {response}");
        }
        assert_eq!(setup.noted("one", "call"), 2, "{revision}");
        client.received.clear();
        client.answering = |_, _| answer("until_restart");
        for _ in 0..3 {
            assert_eq!(client.text(ECHO, json!({"message": "hi"})).await, "hi");
        }
        assert_eq!(asked(&client), 1, "{revision}");
        // Another tool is another question.
        client.text("mcp__one__count", json!({})).await;
        assert_eq!(asked(&client), 2, "{revision}");
        client.end().await;
    }
}

/// "Always" is a rule in the settings, so that it holds in other processes and after a restart.
#[tokio::test]
async fn always_writes_a_rule_that_holds_after_a_restart() {
    let comment = "# mine\n";
    let Some(mut setup) = setup("always", comment).await else { return };
    let mut client = Client::modern(&setup).await;
    client.answering = |_, _| answer("always");
    assert_eq!(client.text(ECHO, json!({"message": "hi"})).await, "hi");
    assert_eq!(asked(&client), 1);
    client.end().await;
    let settings = setup.settings_text();
    let (_, rule) = settings.split_once(comment).expect("the comment stays");
    let expected = "[[permissions]]\nserver = \"one\"\ntool = \"echo\"\naction = \"allow\"\n";
    assert_eq!(rule.trim_start(), expected);
    setup.settings(rule);
    let mut client = Client::modern(&setup).await;
    client.answering = |_, _| answer("no");
    assert_eq!(client.text(ECHO, json!({"message": "hi"})).await, "hi");
    assert_eq!(asked(&client), 0);
    client.end().await;
}

#[tokio::test]
async fn an_upstream_asks_its_own_question_after_ours() {
    for revision in ["2025-11-25", MODERN] {
        for era in ["legacy", "modern"] {
            let Some(mut setup) = setup(&format!("own{revision}{era}"), "").await else { return };
            setup.upstream("one", &["--era", era]);
            let mut client = Client::begin(&setup, revision, able()).await;
            let said = client.text("mcp__one__twice", json!({})).await;
            assert_eq!(said, "me+me", "{revision} {era}");
            assert_eq!(asked(&client), 3, "{revision} {era}: {:?}", client.received);
            client.end().await;
        }
    }
}

#[tokio::test]
async fn who_cannot_be_asked_learns_where_the_question_waits() {
    for revision in ["2025-11-25", MODERN] {
        let Some(setup) = setup(&format!("cannot{revision}"), "").await else { return };
        let mut client = Client::begin(&setup, revision, json!({})).await;
        let response = client.call(ECHO, json!({"message": "hi"})).await;
        assert_eq!(response["result"]["isError"], true, "{response}");
        let words = text_of(&response);
        for part in ["not run yet", "`hobnob ui`", "`hobnob answer "] {
            assert!(words.contains(part), "{words}");
        }
        assert_eq!(setup.noted("one", "call"), 0);
        client.end().await;
    }
}

#[tokio::test]
async fn an_answer_to_a_question_nobody_asked_counts_for_nothing() {
    let Some(setup) = setup("forged", "").await else { return };
    let mut client = Client::modern(&setup).await;
    for state in [Value::Null, json!("hobnob-permission"), json!("")] {
        let mut params = json!({"name": ECHO, "arguments": {"message": "hi"},
            "inputResponses": {"hobnob-permission": answer("always")}});
        if !state.is_null() {
            params["requestState"] = state;
        }
        let id = client.send("tools/call", params).await;
        let response = client.response(id).await;
        assert_eq!(setup.noted("one", "call"), 0, "{response}");
    }
    client.end().await;
}

#[tokio::test]
async fn a_denied_tool_is_hidden_and_names_its_rule() {
    let rules = "[[permissions]]\ntool = \"mcp__one__echo\"\naction = \"deny\"\n\
                 [[permissions]]\ntool = \"mcp__*\"\naction = \"allow\"\n";
    for revision in REVISIONS {
        let Some(setup) = setup(&format!("deny{revision}"), rules).await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        let names = client.tools().await;
        assert!(!names.iter().any(|name| name == ECHO), "{names:?}");
        assert!(names.iter().any(|name| name == "mcp__one__count"), "{names:?}");
        let response = client.call(ECHO, json!({"message": "hi"})).await;
        assert!(text_of(&response).contains("mcp__one__echo"), "{response}");
        assert!(text_of(&response).contains("config.toml"), "{response}");
        assert_eq!(setup.noted("one", "call"), 0);
        assert_eq!(client.text("mcp__one__count", json!({})).await, "1");
        assert_eq!(asked(&client), 0);
        client.end().await;
    }
}

#[tokio::test]
async fn management_tools_never_ask() {
    let rules = "[[permissions]]\ntool = \"mcp__*\"\naction = \"ask\"\n";
    let Some(setup) = setup("management", rules).await else { return };
    let mut client = Client::begin(&setup, "2025-11-25", able()).await;
    client.answering = |method, _| panic!("asked {method}");
    let at = json!({"server": "one", "uri": "test://notes/1"});
    let listed = client.text("ListMcpResources", json!({})).await;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let expected = json!([{"uri": "test://notes/1", "name": "note", "mimeType": "text/plain",
                           "description": "A note", "server": "one"}]);
    assert_eq!(listed, expected);
    let some = client.text("ListMcpResources", json!({"server": "one"})).await;
    assert_eq!(serde_json::from_str::<Value>(&some).unwrap(), expected);
    let none = client.call("ListMcpResources", json!({"server": "nobody"})).await;
    assert!(text_of(&none).contains("there are: one"), "{none}");
    let read = client.text("ReadMcpResource", at.clone()).await;
    let read: Value = serde_json::from_str(&read).unwrap();
    assert_eq!(read["contents"][0]["text"], "version 0", "{read}");
    for (begin, end, given) in [
        ("SubscribeMcpResource", "UnsubscribeMcpResource", at),
        (
            "SubscribePolling",
            "UnsubscribePolling",
            json!({"type": "resource", "server": "one", "uri": "test://notes/1"}),
        ),
    ] {
        let made = client.text(begin, given).await;
        let made: Value = serde_json::from_str(&made).unwrap();
        assert_eq!(made["subscribed"], true, "{made}");
        assert_eq!(made["resourceUri"], "mcp://one/test://notes/1");
        let id = json!({"subscriptionId": made["subscriptionId"]});
        for expected in [true, false] {
            let ended = client.text(end, id.clone()).await;
            let ended: Value = serde_json::from_str(&ended).unwrap();
            assert_eq!(ended, json!({"unsubscribed": expected}));
        }
    }
    let short = json!({"type": "resource", "server": "one", "uri": "test://notes/1",
                       "intervalMs": 999});
    let refused = client.call("SubscribePolling", short).await;
    assert!(text_of(&refused).contains("1000"), "{refused}");
    // Polling a tool runs it, so a rule has to allow it.
    let tool = json!({"type": "tool", "server": "one", "toolName": "count"});
    let refused = client.call("SubscribePolling", tool).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    client.end().await;
}

/// Whether each of these calls runs without a person, by tool.
async fn runs(setup: &Setup, calls: &[(&str, Value)]) -> Vec<bool> {
    let mut client = Client::begin(setup, "2025-11-25", json!({})).await;
    let mut runs = Vec::new();
    for (tool, arguments) in calls {
        let response = client.call(tool, arguments.clone()).await;
        runs.push(response["error"].is_null() && response["result"]["isError"] != true);
    }
    client.end().await;
    runs
}

#[tokio::test]
async fn a_rule_means_one_server_and_one_tool() {
    let apart = "[[permissions]]\nserver = \"x__y\"\naction = \"allow\"\n";
    let joined = "[[permissions]]\ntool = \"mcp__x__y__*\"\naction = \"allow\"\n";
    for (name, rules, both, alone) in
        [("apart", apart, [false, true], true), ("joined", joined, [false, false], true)]
    {
        let Some(mut setup) = Setup::new(&format!("meaning-{name}")).await else { return };
        setup.settings(rules);
        setup.upstream("x", &["--extra-tool", "y__evil", "--only", "echo"]);
        setup.upstream("x__y", &["--extra-tool", "evil", "--only", "echo"]);
        let mut client = Client::begin(&setup, "2025-11-25", json!({})).await;
        let names = client.tools().await;
        client.end().await;
        // The name of the second has a hash, since its parts could be mistaken.
        let hashed = names.iter().find(|it| it.starts_with("mcp__x__y__evil_")).unwrap();
        let calls = [("mcp__x__y__evil", json!({})), (hashed.as_str(), json!({}))];
        assert_eq!(runs(&setup, &calls).await, both, "{name}");
        setup.without("x");
        assert_eq!(runs(&setup, &calls[1..]).await, [alone], "{name}");
    }
}

#[tokio::test]
async fn a_denied_path_is_denied_in_every_spelling() {
    let rules = "[[permissions]]\nserver = \"one\"\ntool = \"echo\"\npattern = \"/**\"\n\
                 action = \"allow\"\n[[permissions]]\nserver = \"one\"\ntool = \"echo\"\n\
                 pattern = \"/etc/**\"\naction = \"deny\"\n";
    let Some(setup) = setup("spelling", rules).await else { return };
    let call = |path: &str| ("mcp__one__echo", json!({"message": path}));
    let calls = [
        call("/home/me/a"),
        call("/etc/shadow"),
        call("//etc/shadow"),
        call("/./etc/shadow"),
        call("/x/../etc/shadow"),
        call("%2Fetc/shadow"),
        call("/x/%2e%2e/etc/shadow"),
        call("file:///etc/shadow"),
        call("\\etc\\shadow"),
    ];
    let mut expected = vec![false; calls.len()];
    expected[0] = true;
    assert_eq!(runs(&setup, &calls).await, expected);
    assert_eq!(setup.noted("one", "call"), 1);
}

#[tokio::test]
async fn refusals_that_repeat_do_not_fill_the_audit_log() {
    let rules = "[[permissions]]\nserver = \"one\"\ntool = \"echo\"\naction = \"deny\"\n\
                 [[permissions]]\nserver = \"one\"\naction = \"allow\"\n";
    let Some(setup) = setup("spam", rules).await else { return };
    let mut client = Client::begin(&setup, "2025-11-25", json!({})).await;
    for number in 0..50 {
        client.call(ECHO, json!({})).await;
        client.call(&format!("made_up_{number}"), json!({})).await;
    }
    for _ in 0..3 {
        client.text("mcp__one__count", json!({})).await;
    }
    client.end().await;
    let run = async |words: &[&str]| {
        let output = crate::program::within("audit", setup.hobnob(words).output()).await.unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let lines = run(&["--json", "audit"]).await;
    let entries: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let recorded = |what: &str| entries.iter().filter(|it| it["tool"] == what).count();
    assert_eq!((entries.len(), recorded(ECHO), recorded("mcp__one__count")), (7, 2, 3), "{lines}");
    let joint: Vec<_> = entries.iter().filter_map(|it| it["repeated"].as_u64()).collect();
    assert_eq!(joint, [49, 49], "{lines}");
    let table = run(&["audit"]).await;
    assert!(table.contains("mcp__one__echo (repeated 49 times)"), "{table}");
}

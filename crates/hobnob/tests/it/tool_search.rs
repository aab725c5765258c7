//! Long lists of tools from outside: who gets which list, and that `call_tool` is no second way to
//! a tool.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::faults_client::{AnswerQuestion, Client, MODERN, able, usual_answer};
use crate::faults_setup::{ALLOW, Setup, until};
use crate::program::within;

const SEARCHING: [&str; 3] = ["call_tool", "describe_tools", "find_tools"];

/// A budget that every list is above.
const SMALL: &str = "[gateway]\ntool_budget = 10\n";

const RULES: &str = "[[permissions]]\nserver = \"two\"\naction = \"ask\"\n\
     [[permissions]]\ntool = \"mcp__one__count\"\naction = \"deny\"\n\
     [[permissions]]\ntool = \"mcp__one__echo\"\npattern = \"secret*\"\naction = \"deny\"\n\
     [[permissions]]\ntool = \"health_check\"\naction = \"deny\"\n";

/// How a tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Direct,
    Through,
}

/// One call, and how the person answers who is asked.
struct Case {
    tool: &'static str,
    arguments: Value,
    answering: AnswerQuestion,
}

fn case(tool: &'static str, arguments: Value) -> Case {
    Case { tool, arguments, answering: usual_answer }
}

fn refuse(_: &str, _: &Value) -> Value {
    json!({"action": "accept", "content": {"answer": "no"}})
}

/// A case for every way in which a call can end.
fn cases() -> Vec<Case> {
    vec![
        case("mcp__one__echo", json!({"message": "hi"})),
        case("mcp__one__given", json!({"a": {"b": [1.10, 1e300]}, "name": "x"})),
        case("mcp__one__fail", json!({})),
        case("mcp__one__refuse", json!({})),
        case("mcp__one__advance", json!({"steps": 3})),
        // What the server asks in the middle of a call.
        case("mcp__one__elicit", json!({})),
        case("mcp__one__twice", json!({})),
        // Denied by its arguments, as a whole, and a built-in.
        case("mcp__one__echo", json!({"message": "secret plan"})),
        case("mcp__one__count", json!({})),
        case("health_check", json!({})),
        // A person is asked.
        case("mcp__two__echo", json!({"message": "hi"})),
        case("mcp__two__elicit", json!({})),
        Case { answering: refuse, ..case("mcp__two__echo", json!({"message": "hi"})) },
        // Held back, unknown, and of a server that there is not.
        case("mcp__late__added", json!({})),
        case("mcp__one__ehco", json!({})),
        case("mcp__nobody__echo", json!({})),
        // Arguments that do not fit a built-in, and those that do.
        case("memory_recall", json!({"nonsense": true})),
        case("memory_recall", json!({"query": "anything"})),
        case("find_tools", json!({"query": "echo"})),
    ]
}

async fn setup(name: &str) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings(&format!("{SMALL}{RULES}{ALLOW}"));
    setup
        .upstream("one", &["--tasks", "optional"])
        .upstream("two", &["--only", "echo", "--only", "elicit"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upstreams/listed.py");
    let entry = json!({"command": "python3", "args": [script, setup.file("tools.json")]});
    setup.server("late", entry).put("tools.json", "[]");
    let mut client = Client::legacy(&setup).await;
    client.tools().await;
    let added = json!([{"name": "added", "inputSchema": {"type": "object"}}]);
    setup.put("tools.json", &added.to_string());
    client.text("mcp__late__refresh", json!({})).await;
    let stored = || setup.stored_catalogues().contains("\"added\"");
    until("the new tool is known", Duration::from_secs(30), stored).await;
    client.end().await;
    Some(setup)
}

/// What a client sees of all cases, questions and progress among it, and what the audit log has.
async fn run(setup: &Setup, revision: &'static str, way: Way) -> (Vec<Value>, Vec<Value>) {
    for file in std::fs::read_dir(setup.home.join("state")).unwrap() {
        let file = file.unwrap();
        if file.file_name().to_string_lossy().starts_with("audit") {
            std::fs::remove_file(file.path()).unwrap();
        }
    }
    let mut client = Client::begin(setup, revision, able()).await;
    client.tools().await;
    let mut seen = Vec::new();
    for Case { tool, arguments, answering } in cases() {
        client.answering = answering;
        client.received.clear();
        let params = match way {
            Way::Direct => json!({"name": tool, "arguments": arguments}),
            Way::Through => {
                json!({"name": "call_tool", "arguments": {"name": tool, "arguments": arguments}})
            }
        };
        let mut params = params;
        params["_meta"] = json!({"progressToken": tool});
        let mut response = client.ask("tools/call", params).await;
        response.as_object_mut().unwrap().remove("id");
        for message in &mut client.received {
            message.as_object_mut().unwrap().remove("id");
        }
        seen.push(json!({"case": tool, "response": response, "received": client.received}));
    }
    client.end().await;
    let words = ["audit", "--json", "--limit", "500"];
    let log = within("the audit log", setup.hobnob(&words).output()).await.unwrap();
    let lines = String::from_utf8(log.stdout).unwrap();
    let mut lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.retain(|line| line["method"] == "tools/call");
    for line in &mut lines {
        for key in ["at", "since", "duration_us", "seq", "prev"] {
            line.as_object_mut().unwrap().remove(key);
        }
    }
    (seen, lines)
}

/// A case without the number of its question to the owner: each hub begins at a random one.
fn numberless(case: &Value) -> String {
    let text = case.to_string();
    let number = text.split_once("(question ").and_then(|(_, rest)| rest.split_once(')'));
    number.map_or_else(|| text.clone(), |(number, _)| text.replace(number, "N"))
}

#[tokio::test]
async fn a_call_through_call_tool_is_the_direct_call() {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25", MODERN] {
        let Some(setup) = setup(&format!("ways{revision}")).await else { return };
        let (direct, direct_log) = run(&setup, revision, Way::Direct).await;
        let (through, through_log) = run(&setup, revision, Way::Through).await;
        for (one, other) in direct.iter().zip(&through) {
            assert_eq!(numberless(one), numberless(other), "{revision}");
        }
        for (one, other) in direct_log.iter().zip(&through_log) {
            assert_eq!(one, other, "{revision}");
        }
        assert_eq!(direct_log.len(), through_log.len(), "{revision}");
        // The cases are what they are meant to be.
        let text = |at: usize| direct[at]["response"].to_string();
        for (at, words) in
            [(0, "hi"), (3, "refused by the server"), (8, "denied"), (13, "held back")]
        {
            assert!(text(at).contains(words), "{revision}: {}", direct[at]);
        }
        assert!(direct_log.len() > 15, "{direct_log:?}");
        assert!(direct_log.iter().all(|line| line["tool"] != "call_tool"));
    }
}

#[tokio::test]
async fn tasks_and_cancelling_reach_the_tool_that_was_named() {
    let Some(setup) = setup("late-ends").await else { return };
    let mut client = Client::legacy(&setup).await;
    let nap = |ms: u64| json!({"name": "mcp__one__nap", "arguments": {"ms": ms}});
    let started = client
        .ask(
            "tools/call",
            json!({"name": "call_tool", "arguments": nap(1), "task": {"ttl": 60000}}),
        )
        .await;
    let task = started["result"]["task"]["taskId"].clone();
    assert!(task.is_string(), "{started}");
    let ended = client.ask("tasks/result", json!({"taskId": task})).await;
    assert_eq!(ended["result"]["content"][0]["text"], "slept", "{ended}");
    // One that cannot says so itself.
    let params = json!({"name": "mcp__two__echo", "arguments": {}});
    let refused = client
        .ask("tools/call", json!({"name": "call_tool", "arguments": params, "task": {}}))
        .await;
    assert!(refused.to_string().contains("`mcp__two__echo` cannot run as a task"), "{refused}");
    let id =
        client.send("tools/call", json!({"name": "call_tool", "arguments": nap(600_000)})).await;
    until("it naps", Duration::from_secs(30), || setup.noted("one", "napping") == 2).await;
    client.tell("notifications/cancelled", json!({"requestId": id})).await;
    let cancelled = || setup.received("one", "notifications/cancelled") == 1;
    until("it is told to stop", Duration::from_secs(30), cancelled).await;
    client.end().await;
}

#[tokio::test]
async fn call_tool_with_wrong_arguments_says_what_is_wrong() {
    let Some(setup) = setup("wrong").await else { return };
    let mut client = Client::modern(&setup).await;
    for (arguments, words) in [
        (json!({}), "name"),
        (json!({"name": 1}), "name"),
        (json!({"name": "mcp__one__echo", "arguments": "{}"}), "arguments"),
        (json!({"name": "mcp__one__echo", "more": 1}), "more"),
        (json!({"name": "call_tool", "arguments": {"name": "mcp__one__echo"}}), "call itself"),
    ] {
        let response = client.call("call_tool", arguments).await;
        assert_eq!(response["result"]["isError"], true, "{response}");
        assert!(response.to_string().contains(words), "{words}: {response}");
    }
    assert_eq!(setup.noted("one", "call"), 0);
    assert_eq!(client.text("call_tool", json!({"name": "mcp__one__echo"})).await, "");
    assert_eq!(setup.noted("one", "call"), 1);
    client.end().await;
}

#[tokio::test]
async fn a_rule_that_denies_call_tool_denies_what_goes_through_it() {
    let Some(mut setup) = setup("denied").await else { return };
    let rule = "[[permissions]]\ntool = \"call_tool\"\naction = \"deny\"\n";
    setup.settings(&format!("{SMALL}{RULES}{rule}")).write();
    let mut client = Client::modern(&setup).await;
    let response = client.call("call_tool", json!({"name": "mcp__one__echo"})).await;
    assert!(response.to_string().contains("tool `call_tool` is denied"), "{response}");
    assert_eq!(setup.noted("one", "call"), 0);
    assert_eq!(client.text("mcp__one__echo", json!({"message": "hi"})).await, "hi");
    client.end().await;
}

#[tokio::test]
async fn what_is_found_and_described_is_what_would_be_listed() {
    let Some(setup) = setup("found").await else { return };
    let mut client = Client::modern(&setup).await;
    let found = client.text("find_tools", json!({"query": "echo count added", "limit": 25})).await;
    let found: Value = serde_json::from_str(&found).unwrap();
    let names: Vec<&str> =
        found.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"mcp__one__echo") && names.contains(&"mcp__two__echo"), "{names:?}");
    assert!(!names.contains(&"mcp__one__count") && !names.contains(&"mcp__late__added"));
    let limited = client.text("find_tools", json!({"query": "echo", "limit": 1})).await;
    assert_eq!(serde_json::from_str::<Value>(&limited).unwrap().as_array().unwrap().len(), 1);
    let nothing = client.text("find_tools", json!({"query": "xylophone"})).await;
    assert!(nothing.contains("no tool fits"), "{nothing}");
    let both = json!({"names": ["mcp__one__echo", "memory_recall"]});
    let both: Value = serde_json::from_str(&client.text("describe_tools", both).await).unwrap();
    assert_eq!(both[0]["description"], "Says it back");
    assert_eq!(both[1]["inputSchema"]["type"], "object");
    for (name, words) in [
        ("mcp__one__ehco", "did you mean `mcp__one__echo`?"),
        ("mcp__one__count", "Unknown tool: mcp__one__count"),
        ("mcp__late__added", "Unknown tool: mcp__late__added"),
    ] {
        let response = client.call("describe_tools", json!({"names": [name]})).await;
        assert_eq!(response["result"]["isError"], true, "{response}");
        assert!(response.to_string().contains(words), "{name}: {response}");
    }
    client.end().await;
}

#[tokio::test]
async fn who_gets_the_whole_list_is_a_matter_of_settings_and_clients() {
    let whole = |tools: &[String]| {
        tools.iter().any(|it| it == "mcp__one__echo")
            && tools.iter().any(|it| it == "memory_gc")
            && !tools.iter().any(|it| SEARCHING.contains(&it.as_str()))
    };
    let searching = |more: &[&str]| {
        let mut all: Vec<String> = SEARCHING.iter().chain(more).map(|it| (*it).into()).collect();
        all.sort();
        Some(all)
    };
    let declared = json!({"experimental": {"hobnob/tool-search": {}}});
    let cases = [
        ("", json!({}), None),
        (SMALL, json!({}), searching(&[])),
        (SMALL, declared.clone(), None),
        ("[gateway]\ntool_search = \"never\"\ntool_budget = 1\n", json!({}), None),
        ("[gateway]\ntool_search = \"always\"\n", json!({}), searching(&[])),
        ("[gateway]\ntool_search = \"always\"\n", declared, None),
        ("[gateway]\ntool_budget = 1\nsearching_clients = [\"i*\"]\n", json!({}), None),
        (
            "[gateway]\ntool_budget = 1\n[servers.two]\nalways = true\n[tools.health_check]\n\
             always = true\n[tools.\"mcp__two__elicit\"]\nalways = false\n",
            json!({}),
            searching(&["health_check", "mcp__two__echo"]),
        ),
    ];
    for revision in ["2025-06-18", MODERN] {
        let Some(mut setup) = Setup::new(&format!("who{revision}")).await else { return };
        setup.upstream("one", &["--only", "echo"]);
        setup.upstream("two", &["--only", "echo", "--only", "elicit"]);
        for (settings, capabilities, expected) in &cases {
            setup.settings(&format!("{settings}{ALLOW}"));
            let mut client = Client::begin(&setup, revision, capabilities.clone()).await;
            let mut tools = client.tools().await;
            tools.sort();
            match expected {
                None => assert!(whole(&tools), "{revision} {settings}: {tools:?}"),
                Some(expected) => assert_eq!(tools, *expected, "{revision} {settings}"),
            }
            // Each of them can be called all the same.
            assert_eq!(client.text("mcp__one__echo", json!({"message": "hi"})).await, "hi");
            client.end().await;
        }
    }
}

#[tokio::test]
async fn a_list_that_changes_its_form_is_announced() {
    let Some(mut setup) = Setup::new("form").await else { return };
    setup.upstream("one", &["--only", "echo", "--only", "grow"]);
    setup.settings(&format!("{SMALL}{ALLOW}"));
    let mut client = Client::legacy(&setup).await;
    let mut short = client.tools().await;
    short.sort();
    assert_eq!(short, SEARCHING);
    client.received.clear();
    setup.settings(ALLOW).write();
    client.notified("notifications/tools/list_changed").await;
    assert!(client.tools().await.contains(&"mcp__one__echo".to_owned()));
    client.end().await;
}

#[tokio::test]
async fn short_names_leave_room_for_what_a_host_puts_before_them() {
    let long = "a_tool_whose_name_is_so_long_that_it_needs_a_hash_to_be_told_apart";
    let Some(mut setup) = Setup::new("short").await else { return };
    setup.upstream("one", &["--only", "echo", "--extra-tool", long]);
    let rule = "[[permissions]]\nserver = \"one\"\ntool = \"echo\"\naction = \"deny\"\n";
    let short = "[gateway]\ntool_names = \"short\"\n";
    setup.settings(&format!("{short}{ALLOW}"));
    let mut client = Client::modern(&setup).await;
    let tools = client.tools().await;
    assert!(tools.contains(&"one__echo".to_owned()), "{tools:?}");
    assert!(tools.iter().all(|name| name.len() <= 48), "{tools:?}");
    let hashed = tools.iter().find(|name| name.starts_with("one__a_tool")).unwrap().clone();
    assert_eq!(client.text("one__echo", json!({"message": "hi"})).await, "hi");
    assert_eq!(client.text(&hashed, json!({"message": "long"})).await, "long");
    client.end().await;
    // A rule holds by the usual name and by the server's own.
    setup.settings(&format!("{short}{rule}{ALLOW}"));
    let mut client = Client::modern(&setup).await;
    assert!(client.tools().await.contains(&hashed), "names are stable");
    let denied = client.call("one__echo", json!({})).await;
    assert!(denied.to_string().contains("denied by"), "{denied}");
    client.end().await;
    // The command line knows the server of both.
    let listed = within("tools", setup.hobnob(&["--json", "tools", "--server", "one"]).output());
    let listed: Value = serde_json::from_slice(&listed.await.unwrap().stdout).unwrap();
    assert_eq!(listed["tools"][0]["name"], json!(hashed), "{listed}");
}

#[tokio::test]
async fn the_cost_of_both_lists_is_shown() {
    let Some(mut setup) = Setup::new("cost").await else { return };
    setup.upstream("one", &["--only", "echo", "--only", "count"]);
    setup.settings(&format!("{SMALL}[servers.one]\nalways = true\n{ALLOW}")).write();
    let words = ["--json", "tools", "--cost"];
    let shown = within("the cost", setup.hobnob(&words).output()).await.unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let sum = |list: &str| -> u64 {
        let list = shown[list].as_array().unwrap();
        list.iter().map(|entry| entry["tokens"].as_u64().unwrap()).sum()
    };
    assert_eq!(shown["whole"], sum("tools"));
    assert_eq!(sum("servers"), sum("tools"));
    let one = shown["servers"].as_array().unwrap().iter().find(|it| it["server"] == "one").unwrap();
    assert_eq!(one["tools"], 2);
    assert_eq!(shown["of_servers"], one["tokens"]);
    let (listed, kept) = (&shown["listed"], one["tokens"].as_u64().unwrap());
    // The three to search with, and the two that are always listed.
    assert_eq!(listed["tools"], 5, "{shown}");
    let listed = listed["tokens"].as_u64().unwrap();
    assert!(kept + 100 < listed && listed < sum("tools"), "{shown}");
    let people = within("the cost", setup.hobnob(&["tools", "--cost"]).output()).await.unwrap();
    let people = String::from_utf8(people.stdout).unwrap();
    assert!(people.contains("always"), "{people}");
    assert!(people.contains(&format!("get 5 tools: {listed} tokens")), "{people}");
}

#[tokio::test]
async fn the_usual_list_has_few_tools_of_our_own_and_finds_the_others() {
    let Some(mut setup) = Setup::new("everyday").await else { return };
    let auto = "[gateway]\ntool_search = \"auto\"\n";
    setup.upstream("one", &["--only", "echo"]).settings(&format!("{auto}{ALLOW}")).write();
    let shown = within("the cost", setup.hobnob(&["--json", "tools", "--cost"]).output()).await;
    let shown: Value = serde_json::from_slice(&shown.unwrap().stdout).unwrap();
    let own = shown["listed"]["tokens"].as_u64().unwrap() - shown["of_servers"].as_u64().unwrap();
    assert!(own <= 3000, "{own} tokens");
    let mut client = Client::legacy(&setup).await;
    let listed = client.tools().await;
    let has = |listed: &[String], name: &str| listed.iter().any(|it| it == name);
    for name in ["memory_capture", "tasks_claim", "find_tools", "call_tool", "mcp__one__echo"] {
        assert!(has(&listed, name), "{name} is not in {listed:?}");
    }
    for name in ["memory_gc", "tasks_history", "arbor_tree_create", "cone_chat", "SubscribePolling"]
    {
        assert!(!has(&listed, name), "{name} is in {listed:?}");
    }
    // What is not listed can be found, and called by its name.
    let query = json!({"query": "create a conversation tree"});
    assert!(client.text("find_tools", query).await.contains("arbor_tree_create"));
    client.text("arbor_tree_create", json!({"owner_id": "me"})).await;
    // A caller that has a tree needs tools for it.
    client.notified("notifications/tools/list_changed").await;
    assert!(has(&client.tools().await, "arbor_tree_render"));
    client.end().await;
    setup.settings(&format!("{auto}[services]\nmemory = true\n{ALLOW}")).write();
    let mut client = Client::legacy(&setup).await;
    assert!(has(&client.tools().await, "memory_gc"), "the settings name the service");
    client.end().await;
}

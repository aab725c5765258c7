//! First starts of unknown servers: which ones lists wait for, which are retried, and the progress
//! reported meanwhile.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_engine::{Change, Note, NoteSink, Notes, Outcome, Principal, Service};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::logging::LoggingLevel;
use serde_json::json;

use crate::harness::{ALLOW, Harness, entry, home, python, write_servers, write_settings};
use crate::view_client::call_of;

/// Far longer than anything here takes, and far shorter than a hung server is given.
const STEP_TIMEOUT: Duration = Duration::from_secs(40);

async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(STEP_TIMEOUT, future).await {
        Ok(done) => done,
        Err(_) => panic!("{what}: not after {STEP_TIMEOUT:?}"),
    }
}

/// The progress messages that a call reports.
#[derive(Default)]
struct ProgressLog(Mutex<Vec<String>>);

impl NoteSink for ProgressLog {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        false
    }

    fn send(&self, note: Note) {
        if let Note::Progress { message, .. } = note {
            self.0.lock().push(message.unwrap_or_default());
        }
    }
}

/// Lists the tools; returns their names and the progress messages.
async fn tools(harness: &Harness) -> (Vec<String>, Vec<String>) {
    let notified: Arc<ProgressLog> = Arc::default();
    let notes = Notes::new(Arc::clone(&notified) as Arc<dyn NoteSink>);
    let call = call_of(&Principal::anonymous(), Method::ToolsList, json!({}));
    let outcome = harness.plain.service.call(call, notes).await.unwrap();
    let Outcome::Complete(answer) = outcome else { panic!("{outcome:?}") };
    let listed: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    let names = listed["tools"].as_array().unwrap().iter();
    let names = names.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    let notified = std::mem::take(&mut *notified.0.lock());
    (names, notified)
}

#[tokio::test]
async fn a_server_that_fails_its_first_start_is_tried_until_it_is_known() {
    let Some(python) = python() else { return };
    let home = home("first-failure");
    // One start greets in two ways, with a process each.
    let broken = entry(&python, &home, "broken", &["--fault", "exit", "--times", "4"]);
    let good = entry(&python, &home, "good", &["--only", "echo"]);
    write_servers(&home, &json!({"mcpServers": {"broken": broken, "good": good}}).to_string());
    let harness = Harness::open(&home);
    let (first, notified) = soon("the first list", tools(&harness)).await;
    assert!(first.contains(&"mcp__good__echo".into()), "{first:?}");
    assert!(
        notified.first().is_some_and(|words| words.starts_with("waiting for ")),
        "{notified:?}"
    );
    let mut listed = first;
    while !listed.contains(&"mcp__broken__echo".into()) {
        soon("the tools change", harness.plain.recorded.until(&Change::Tools)).await;
        listed = tools(&harness).await.0;
    }
    assert_eq!(harness.noted("broken", "fault"), 4);
    harness.close().await;
}

#[tokio::test]
async fn tools_that_cannot_be_listed_are_asked_for_again_and_the_rest_is_there() {
    let Some(python) = python() else { return };
    let home = home("tools-failure");
    let broken = entry(&python, &home, "broken", &["--fault", "tools", "--times", "2"]);
    write_servers(&home, &json!({"mcpServers": {"broken": broken}}).to_string());
    let harness = Harness::open(&home);
    let resources = soon("the first list", harness.plain.list(Method::ResourcesList)).await;
    assert!(resources.contains(&"mcp://broken/test://notes/1".into()), "{resources:?}");
    let prompts = harness.plain.list(Method::PromptsList).await;
    assert!(prompts.contains(&"mcp__broken__greet".into()), "{prompts:?}");
    while !tools(&harness).await.0.contains(&"mcp__broken__echo".into()) {
        soon("the tools change", harness.plain.recorded.until(&Change::Tools)).await;
    }
    assert_eq!(harness.noted("broken", "start"), 1, "the running server is asked again");
    harness.close().await;
}

#[tokio::test]
async fn whoever_names_a_server_waits_for_it_and_for_no_other() {
    let Some(python) = python() else { return };
    for (number, (method, params)) in [
        (Method::ToolsCall, json!({"name": "mcp__slow__echo", "arguments": {"message": "hi"}})),
        (Method::ResourcesRead, json!({"uri": "mcp://slow/test://notes/1"})),
        (Method::PromptsGet, json!({"name": "mcp__slow__greet"})),
        (
            Method::Complete,
            json!({"ref": {"type": "ref/prompt", "name": "mcp__slow__greet"},
                   "argument": {"name": "topic", "value": "x"}}),
        ),
        (
            Method::ToolsCall,
            json!({"name": "SubscribePolling", "arguments":
                   {"type": "tool", "server": "slow", "toolName": "count"}}),
        ),
        (
            Method::ToolsCall,
            json!({"name": "SubscribeMcpResource", "arguments":
                   {"server": "slow", "uri": "test://notes/1"}}),
        ),
        (
            Method::ToolsCall,
            json!({"name": "ReadMcpResource", "arguments":
                   {"server": "slow", "uri": "test://notes/1"}}),
        ),
        (Method::ToolsCall, json!({"name": "ListMcpResources", "arguments": {"server": "slow"}})),
    ]
    .into_iter()
    .enumerate()
    {
        let home = home(&format!("named-{number}"));
        let slow = entry(&python, &home, "slow", &["--start-ms", "500"]);
        let hung = entry(&python, &home, "hung", &["--fault", "hang"]);
        write_servers(&home, &json!({"mcpServers": {"slow": slow, "hung": hung}}).to_string());
        let harness = Harness::open(&home);
        let asked = soon(&params.to_string(), harness.plain.ask(method, params.clone())).await;
        let result = asked.unwrap_or_else(|error| panic!("{params}: {error:?}"));
        assert_ne!(result["isError"], true, "{params}: {result}");
        if params["name"] == "ListMcpResources" {
            assert!(result.to_string().contains("test://notes/1"), "{result}");
        }
        harness.close().await;
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_waited_for_once() {
    let Some(python) = python() else { return };
    let home = home("hangs-once");
    let hung = entry(&python, &home, "hung", &["--fault", "hang"]);
    let good = entry(&python, &home, "good", &["--only", "echo"]);
    write_servers(&home, &json!({"mcpServers": {"hung": hung, "good": good}}).to_string());
    write_settings(&home, ALLOW);
    let settings = std::fs::read_to_string(home.join("config/config.toml")).unwrap();
    let settings = settings.replace("\"60s\"", "\"5s\"");
    std::fs::write(home.join("config/config.toml"), settings).unwrap();
    let harness = Harness::open(&home);
    let (first, notified) = soon("the first list", tools(&harness)).await;
    assert!(first.contains(&"mcp__good__echo".into()), "{first:?}");
    assert_eq!(notified.last().map(String::as_str), Some("waiting for hung"), "{notified:?}");
    let (second, notified) = soon("the second list", tools(&harness)).await;
    assert_eq!((second, notified), (first, Vec::new()), "nobody waits for it again");
    harness.close().await;
}

/// A list that no reading waits for would never be known, and a hub behind that server would stay hidden.
#[tokio::test]
async fn a_list_that_takes_longer_than_a_start_waits_is_read_all_the_same() {
    let Some(python) = python() else { return };
    let home = home("slow-resources");
    let slow = entry(&python, &home, "slow", &["--only", "echo", "--fault", "slow-resources"]);
    write_servers(&home, &json!({"mcpServers": {"slow": slow}}).to_string());
    let harness = Harness::open(&home);
    let (names, _) = soon("the first list", tools(&harness)).await;
    assert!(names.contains(&"mcp__slow__echo".into()), "{names:?}");
    let listed = async {
        let of_slow = |all: &[String]| all.iter().any(|uri| uri.starts_with("mcp://slow/"));
        while !of_slow(&harness.plain.list(Method::ResourcesList).await) {
            harness.plain.recorded.until(&Change::Resources).await;
        }
    };
    soon("its resources", listed).await;
    harness.close().await;
}

#[tokio::test]
async fn a_failed_server_says_why_to_whoever_names_it() {
    let Some(python) = python() else { return };
    let home = home("says-why");
    let broken = entry(&python, &home, "broken", &["--fault", "exit"]);
    write_servers(&home, &json!({"mcpServers": {"broken": broken}}).to_string());
    let harness = Harness::open(&home);
    let who = Principal::anonymous();
    let said = soon("the call", harness.call(&who, "mcp__broken__echo", json!({}))).await;
    assert!(said.contains("server `broken`") && said.contains("no configuration found"), "{said}");
    let read = harness.plain.ask(Method::ResourcesRead, json!({"uri": "mcp://broken/x"})).await;
    let (code, said) = read.unwrap_err();
    assert!(code == -31003 && said.contains("no configuration found"), "{code} {said}");
    harness.close().await;
}

#[tokio::test]
async fn a_mistyped_name_is_answered_with_the_nearest_ones() {
    let Some(python) = python() else { return };
    let home = home("mistyped");
    let good = entry(&python, &home, "good", &["--only", "echo"]);
    write_servers(&home, &json!({"mcpServers": {"good": good}}).to_string());
    let harness = Harness::open(&home);
    tools(&harness).await;
    for (method, name, said) in [
        (Method::ToolsCall, "mcp__good__ehco", "; did you mean `mcp__good__echo`?"),
        (Method::ToolsCall, "ListMcpResource", "; did you mean `ListMcpResources`"),
        (Method::ToolsCall, "nothing_like_any", ""),
        (Method::PromptsGet, "mcp__good__gret", "; did you mean `mcp__good__greet`?"),
    ] {
        let (code, words) = harness.plain.ask(method, json!({"name": name})).await.unwrap_err();
        assert_eq!(code, -32602);
        assert!(words.contains(&format!("{name}{said}")), "{words}");
        assert!(!said.is_empty() || words.ends_with(name), "{words}");
    }
    harness.close().await;
}

//! `hobnob chat -p`: one question through the binary, a local provider and a real server.

use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::chat_setup::offered;
use crate::cone_service::piece;
use crate::cone_tools::{SERVER, says, settings, wants};
use crate::faults_setup::{Setup, until};
use crate::model_server::{LINES, ModelServer, Request, Step, status};
use crate::program::within;

async fn setup(name: &str, provider: &ModelServer) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings(&settings(provider)).script("one", SERVER).write();
    Some(setup)
}

/// Runs the command to its end, with `input` on standard input.
async fn run(setup: &Setup, words: &[&str], input: &str) -> Output {
    let mut command = setup.hobnob(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
    within("chat", child.wait_with_output()).await.unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The messages of a request, one line each.
fn messages(request: &Request) -> Vec<String> {
    let messages = request.body["messages"].as_array().unwrap();
    let line = |it: &Value| {
        format!("{}: {}", it["role"].as_str().unwrap(), it["content"].as_str().unwrap())
    };
    messages.iter().map(line).collect()
}

#[tokio::test]
async fn a_question_is_answered_with_tools() {
    let calls = wants(&[
        ("mcp__one__say", json!({"m": "hi"})),
        ("mcp__one__no", json!({"m": "x"})),
        ("nonsense", json!({})),
    ]);
    let provider = ModelServer::start(vec![calls, says("It **said** hi.")]).await;
    let Some(setup) = setup("chat-tools", &provider).await else { return };
    let output = run(&setup, &["chat", "-p", "what does it say?"], "").await;
    assert_eq!(text(&output.stdout), "It **said** hi.\n", "{}", text(&output.stderr));
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("mcp__one__say"), "{}", text(&output.stderr));
    let seen = provider.seen();
    assert!(offered(&seen[0]).contains(&"mcp__one__say".to_owned()), "{:?}", offered(&seen[0]));
    assert!(offered(&seen[0]).contains(&"agent".to_owned()));
    let last = messages(&seen[1]);
    assert!(last[0].starts_with("system: You are the assistant of `hobnob chat`"), "{}", last[0]);
    assert_eq!(last[1], "user: what does it say?");
    let results = last[3..].join("\n");
    assert!(results.contains("tool: said hi"), "{results}");
    assert!(results.contains("denied by"), "{results}");
    assert!(results.contains("nonsense"), "{results}");

    let log = within("audit", setup.hobnob(&["audit", "--json"]).output()).await.unwrap();
    let log = text(&log.stdout);
    assert!(log.contains("mcp__one__say") && log.contains("mcp__one__no"), "{log}");
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_told_of_beside_the_answer() {
    let provider = ModelServer::start(vec![says("Nothing to say.")]).await;
    let Some(mut setup) = setup("chat-broken", &provider).await else { return };
    setup.server("broken", json!({"command": "/no/such/program"})).write();
    let output = run(&setup, &["chat", "-p", "hello"], "").await;
    assert_eq!(text(&output.stdout), "Nothing to say.\n");
    assert!(text(&output.stderr).contains("broken"), "{}", text(&output.stderr));
}

#[tokio::test]
async fn events_for_programs_end_with_the_result() {
    let calls = wants(&[("mcp__one__say", json!({"m": "hi"}))]);
    let provider = ModelServer::start(vec![calls, says("yes")]).await;
    let Some(setup) = setup("chat-json", &provider).await else { return };
    let output = run(&setup, &["chat", "--json"], "from a pipe\n").await;
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let expected = ["answered", "tool_use", "tool_result", "text", "answered", "end", "result"];
    assert_eq!(kinds, expected);
    assert_eq!(lines[1]["input"], json!({"m": "hi"}));
    assert_eq!((&lines[2]["output"], &lines[2]["is_error"]), (&json!("said hi"), &json!(false)));
    let result = &lines[6];
    assert_eq!((&result["text"], &result["reason"]), (&json!("yes"), &json!("complete")));
    assert_eq!((&result["requests"], &result["usage"]["output"]), (&json!(2), &json!(4)));
    assert_eq!(messages(&provider.seen()[0])[1], "user: from a pipe");
}

#[tokio::test]
async fn permissions_are_those_of_the_hub_and_of_the_command_line() {
    let direct = [("mcp__one__ask", json!({"m": "hi"})), ("mcp__one__no", json!({"m": "x"}))];
    let through = direct
        .clone()
        .map(|(tool, input)| ("call_tool", json!({"name": tool, "arguments": input})));
    let ways = [&direct, &through];
    for (words, expected, calls) in [
        (&[][..], "refused because nobody", &ways[..]),
        (&["--allow", "mcp__one__*"], "said hi", &ways),
        (&["--deny", "mcp__one__a*"], "`mcp__one__ask` is denied in this chat", &ways),
        (&["--plan"], "`mcp__one__ask` may change something", &ways),
        (&["--allow", "call_tool"], "refused because nobody", &ways),
        (&["--deny", "call_tool"], "`call_tool` is denied in this chat", &ways[1..]),
    ]
    .into_iter()
    .flat_map(|(words, expected, ways)| ways.iter().map(move |way| (words, expected, way)))
    {
        let provider = ModelServer::start(vec![wants(&calls[..]), says("ok")]).await;
        let Some(setup) = setup("chat-rules", &provider).await else { return };
        let output = run(&setup, &[&["chat", "-p", "go"], words].concat(), "").await;
        assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
        let seen = provider.seen();
        let results = messages(&seen[1]).join("\n");
        assert!(results.contains(expected), "{words:?}: {results}");
        // What a rule denies stays denied.
        assert!(!results.contains("said x"), "{words:?}: {results}");
        let plans = words.contains(&"--plan");
        assert_eq!(offered(&seen[0]).contains(&"mcp__one__say".to_owned()), !plans, "{words:?}");
    }
}

#[tokio::test]
async fn a_chat_goes_on_where_it_stopped() {
    let provider = ModelServer::start(vec![says("one"), says("two"), says("three")]).await;
    let Some(setup) = setup("chat-continue", &provider).await else { return };
    run(&setup, &["chat", "-p", "first"], "").await;
    run(&setup, &["chat", "-c", "-p", "second"], "").await;
    run(&setup, &["chat", "-p", "third"], "").await;
    let seen = provider.seen();
    assert_eq!(messages(&seen[1])[1..], ["user: first", "assistant: one", "user: second"]);
    assert_eq!(messages(&seen[2])[1..], ["user: third"]);
}

#[tokio::test]
async fn what_goes_wrong_is_said_and_has_a_code() {
    let provider = ModelServer::start(vec![status(400, "", r#"{"error":"no such thing"}"#)]).await;
    let Some(mut setup) = setup("chat-wrong", &provider).await else { return };
    let wrong = |output: Output, code: i32, words: &str| {
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
    };
    wrong(run(&setup, &["chat", "-p", "go"], "").await, 1, "no such thing");
    wrong(run(&setup, &["chat"], "").await, 2, "nothing to ask");
    wrong(run(&setup, &["chat", "-s", "no such name", "-p", "x"], "").await, 2, "a name has");
    wrong(run(&setup, &["chat", "-p", "x", "--allow", "["], "").await, 2, "--allow");
    setup.settings("").write();
    wrong(run(&setup, &["chat", "-p", "go"], "").await, 1, "set ANTHROPIC_API_KEY");
}

#[tokio::test]
async fn a_sub_agent_has_the_tools_of_its_parent() {
    let provider = ModelServer::start(vec![
        wants(&[("agent", json!({"task": "say hi", "name": "scout"}))]),
        wants(&[("mcp__one__say", json!({"m": "from below"}))]),
        says("it said so"),
        says("thanks"),
    ])
    .await;
    let Some(setup) = setup("chat-agent", &provider).await else { return };
    let output = run(&setup, &["chat", "-p", "go"], "").await;
    assert_eq!(text(&output.stdout), "thanks\n", "{}", text(&output.stderr));
    let seen = provider.seen();
    assert_eq!(messages(&seen[1])[1..], ["user: say hi"]);
    assert!(offered(&seen[1]).contains(&"mcp__one__say".to_owned()));
    assert!(!offered(&seen[1]).contains(&"agent".to_owned()));
    assert!(messages(&seen[2]).join("\n").contains("tool: said from below"));
    assert!(messages(&seen[3]).join("\n").contains("tool: it said so"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_signal_ends_the_turn_and_everything_it_started() {
    let calls = wants(&[("mcp__one__wait", json!({"m": "x"}))]);
    let holds = vec![Step::Head(LINES), piece("I will"), Step::Hold];
    let mut provider = ModelServer::start(vec![calls, holds]).await;
    let Some(setup) = setup("chat-signal", &provider).await else { return };
    let mark = setup.file("script.waits");
    let interrupt = |child: &tokio::process::Child| {
        let pid = child.id().unwrap().to_string();
        assert!(
            std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success()
        );
    };
    // While a tool runs.
    let mut child = setup.hobnob(&["chat", "-p", "go"]).stdin(Stdio::null()).spawn().unwrap();
    until("the tool runs", std::time::Duration::from_secs(60), || {
        std::path::Path::new(&mark).exists()
    })
    .await;
    interrupt(&child);
    assert_eq!(within("the end", child.wait()).await.unwrap().code(), Some(130));
    // While the model speaks.
    provider.seen();
    let mut child =
        setup.hobnob(&["chat", "-c", "-p", "again"]).stdin(Stdio::null()).spawn().unwrap();
    until("the model speaks", std::time::Duration::from_secs(60), || !provider.seen().is_empty())
        .await;
    interrupt(&child);
    provider.client_gone().await;
    assert_eq!(within("the end", child.wait()).await.unwrap().code(), Some(130));
}

/// A hook that blocks calls with `bad`, adds to questions and results, and logs its events.
const HOOK: &str = r#"
import json, os, sys
told = json.load(sys.stdin)
with open(sys.argv[1], "a") as log:
    tool = " " + told["tool"] if "tool" in told else ""
    through = " through " + told["through"] if "through" in told else ""
    log.write(told["event"] + tool + through + "\n")
if told["event"] == "question":
    print(json.dumps({"add": "be brief"}))
if told["event"] == "after_tool":
    print(json.dumps({"add": "checked: " + told["output"]}))
if told["event"] == "before_tool" and told["input"].get("m") == "bad":
    print("not today")
    sys.exit(2)
"#;

#[tokio::test]
async fn hooks_of_the_person_block_and_add() {
    let through = json!({"name": "mcp__one__say", "arguments": {"m": "bad"}});
    let calls = wants(&[
        ("mcp__one__say", json!({"m": "good"})),
        ("mcp__one__say", json!({"m": "bad"})),
        ("call_tool", through),
    ]);
    let provider = ModelServer::start(vec![calls, says("ok")]).await;
    let Some(mut setup) = setup("chat-hooks", &provider).await else { return };
    let log = setup.file("hooks.log");
    let command = json!(["python3", "-c", HOOK, log]);
    let events = ["session_start", "session_end", "question", "before_tool", "after_tool"];
    let hooks: Vec<String> = events.iter().map(|event| format!("{event} = {command}")).collect();
    let with_hooks = format!("{}\n[chat.hooks]\n{}\n", settings(&provider), hooks.join("\n"));
    setup.settings(&with_hooks).write();
    let output = run(&setup, &["chat", "-p", "go"], "").await;
    assert!(output.status.success(), "{}", text(&output.stderr));
    let seen = provider.seen();
    assert!(messages(&seen[0])[1].ends_with("[From a hook of the person] be brief"));
    let results = messages(&seen[1]).join("\n");
    assert!(results.contains("[From a hook of the person] checked: said good"), "{results}");
    assert!(results.contains("a hook of the person blocked this call: not today"), "{results}");
    assert!(!results.contains("said bad"), "{results}");
    let log = std::fs::read_to_string(log).unwrap();
    let mut told: Vec<&str> = log.lines().collect();
    assert_eq!((told.first(), told.last()), (Some(&"session_start"), Some(&"session_end")));
    told.sort_unstable();
    let expected = [
        "after_tool mcp__one__say",
        "before_tool mcp__one__say",
        "before_tool mcp__one__say",
        "before_tool mcp__one__say through call_tool",
        "question",
        "session_end",
        "session_start",
    ];
    assert_eq!(told, expected);

    // A hook that cannot run blocks the question.
    let broken = settings(&provider) + "\n[chat.hooks]\nquestion = [\"/nowhere/at-all\"]\n";
    setup.settings(&broken).write();
    let output = run(&setup, &["chat", "-p", "go"], "").await;
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(provider.seen().is_empty());
}

#[tokio::test]
async fn a_chat_stores_no_more_than_the_settings_allow() {
    let provider = ModelServer::start(vec![says("Hello.")]).await;
    let Some(mut setup) = Setup::new("chat-quota").await else { return };
    let limits = "[limits]\ntree_nodes_per_principal = 1\n";
    setup.settings(&format!("{}{limits}", settings(&provider))).script("one", SERVER).write();
    let output = run(&setup, &["chat", "-p", "hello"], "").await;
    let told = text(&output.stderr);
    assert!(!output.status.success(), "{}", text(&output.stdout));
    assert!(told.contains("you have 1 nodes of trees, and may have 1"), "{told}");
}

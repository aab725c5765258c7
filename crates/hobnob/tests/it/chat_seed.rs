//! The ten points by which `hobnob chat` is to be verified, each through a pseudo-terminal, with
//! real servers and a provider that speaks its real wire format.
//!
//! | point | test |
//! |---|---|
//! | 1 stdio transport | `servers_of_a_project_are_found_and_called_over_stdio` |
//! | 2 SSE transport | `servers_are_found_and_called_over_sse_and_http` |
//! | 3 tool visibility | `the_model_sees_the_tools_of_servers` |
//! | 4 sub-agent inheritance | `a_sub_agent_sees_and_uses_the_tools_of_servers` |
//! | 5 permission flow | `calls_wait_for_the_answer_of_the_person` |
//! | 6 permission rules | `a_rule_answers_for_the_person` |
//! | 7 server failure | `chat_failures::servers_that_fail_are_warned_about_and_skipped` |
//! | 8 graceful shutdown | `leaving_with_ctrl_c_ends_the_servers` |
//! | 9 resource tools | `resources_are_listed_and_read` |
//! | 10 the command `/mcp` | `mcp_shows_servers_states_and_tool_counts` |

use std::time::Duration;

use serde_json::{Value, json};

use crate::chat_setup::{
    ALL_ALLOWED, COLUMNS, CTRL_C, LEAVE, READY, ROWS, chat, chat_home, chat_settings, chat_with,
    offered, person_runs, results, screen,
};
use crate::cli_hostile::on_terminal;
use crate::cone_tools::{says, wants};
use crate::faults_setup::{Setup, until};
use crate::matrix_server::MatrixServer;
use crate::model_server::ModelServer;
use crate::peers::Peer;

const TIMEOUT: Duration = Duration::from_secs(30);

/// The person's steps for one question, which is answered with `Done.`.
const ONE_QUESTION: [(&str, &str); 3] = [(READY, "go\r"), ("Done.", ""), LEAVE];

fn echo(words: &str) -> (&'static str, Value) {
    ("mcp__one__echo", json!({"message": words}))
}

#[tokio::test]
async fn servers_of_a_project_are_found_and_called_over_stdio() {
    let Some(mut setup) = Setup::new("seed-stdio").await else { return };
    let published =
        Peer::find("server-filesystem").map(|peer| peer.node_words("mcp-server-filesystem"));
    let project = setup.home.join("project").canonicalize().unwrap();
    std::fs::write(project.join("hello.txt"), "from the published server").unwrap();
    let mut servers = json!({"mine": setup.entry("mine", &[])});
    let mut calls = vec![("mcp__mine__echo", json!({"message": "from ours"}))];
    if let Some(words) = &published {
        servers["fs"] = json!({"command": words[0], "args": [words[1], project]});
        calls.push(("mcp__fs__read_text_file", json!({"path": project.join("hello.txt")})));
    }
    let provider = ModelServer::start(vec![wants(&calls), says("Done.")]).await;
    setup.settings(&chat_settings(&provider, ALL_ALLOWED)).write();
    setup.put("project/.mcp.json", &json!({ "mcpServers": servers }).to_string());
    for name in servers.as_object().unwrap().keys() {
        person_runs(&setup, &["approve", name, "--yes"]).await;
    }
    chat(&setup, &ONE_QUESTION).await;
    let seen = provider.seen();
    for (tool, _) in &calls {
        assert!(offered(&seen[0]).iter().any(|it| it == tool), "{tool}: {:?}", offered(&seen[0]));
    }
    let results = results(&seen[1]).join("\n");
    assert!(results.contains("from ours"), "{results}");
    assert_eq!(results.contains("from the published server"), published.is_some(), "{results}");
}

#[tokio::test]
async fn servers_are_found_and_called_over_sse_and_http() {
    let remote = MatrixServer::open().await;
    let cases = [
        json!({"type": "sse", "url": remote.legacy()}),
        json!({"url": remote.legacy()}),
        json!({"url": remote.modern()}),
    ];
    for entry in cases {
        let call = ("mcp__remote__echo", json!({"text": "over the wire"}));
        let provider = ModelServer::start(vec![wants(&[call]), says("Done.")]).await;
        let Some(mut setup) = Setup::new("seed-sse").await else { return };
        let settings = chat_settings(&provider, ALL_ALLOWED);
        setup.settings(&settings).server("remote", entry.clone()).write();
        chat(&setup, &ONE_QUESTION).await;
        let seen = provider.seen();
        let tools = offered(&seen[0]);
        assert!(tools.iter().any(|it| it == "mcp__remote__echo"), "{entry}: {tools:?}");
        assert_eq!(results(&seen[1]), ["over the wire"], "{entry}");
    }
}

#[tokio::test]
async fn the_model_sees_the_tools_of_servers() {
    let provider =
        ModelServer::start(vec![wants(&[echo("without a question")]), says("Done.")]).await;
    // No rule allows the call: only the option does.
    let Some(setup) = chat_home("seed-sees", &provider, &[]).await else { return };
    let steps = [(READY, "what tools do you have?\r"), ("Done.", ""), LEAVE];
    let shown = chat_with(&setup, &steps, &["--dangerously-skip-permissions"]).await;
    assert!(!shown.contains("May it run?"), "{shown}");
    let seen = provider.seen();
    for tool in ["mcp__one__echo", "mcp__one__fail", "ListMcpResources", "ReadMcpResource", "agent"]
    {
        assert!(offered(&seen[0]).iter().any(|it| it == tool), "{tool}: {:?}", offered(&seen[0]));
    }
    let tools = seen[0].body["tools"].as_array().unwrap();
    let shown = tools.iter().find(|it| it["function"]["name"] == "mcp__one__echo").unwrap();
    assert_eq!(shown["function"]["description"], "Says it back", "{shown}");
    assert_eq!(shown["function"]["parameters"]["type"], "object", "{shown}");
    assert_eq!(results(&seen[1]), ["without a question"]);
}

#[tokio::test]
async fn a_sub_agent_sees_and_uses_the_tools_of_servers() {
    let provider = ModelServer::start(vec![
        wants(&[("agent", json!({"task": "say it back", "name": "scout"}))]),
        wants(&[echo("from below")]),
        says("It said so."),
        says("Done."),
    ])
    .await;
    let Some(setup) = chat_home("seed-agent", &provider, ALL_ALLOWED).await else { return };
    let shown = chat(&setup, &ONE_QUESTION).await;
    assert!(shown.contains("scout › mcp__one__echo"), "{shown}");
    let seen = provider.seen();
    assert!(offered(&seen[1]).iter().any(|it| it == "mcp__one__echo"), "{:?}", offered(&seen[1]));
    assert_eq!(results(&seen[2]), ["from below"]);
    assert_eq!(results(&seen[3]), ["It said so."]);
}

#[tokio::test]
async fn calls_wait_for_the_answer_of_the_person() {
    for (key, expected, calls) in [("y\r", "hi", 1), ("n\r", "refused by a person", 0)] {
        let provider = ModelServer::start(vec![wants(&[echo("hi")]), says("Done.")]).await;
        let Some(setup) = chat_home("seed-asks", &provider, &[]).await else { return };
        let steps = [
            (READY, "go\r"),
            ("would run its tool `echo`", ""),
            (r#"{"message":"hi"}"#, ""),
            ("May it run?", ""),
            ("> No", key),
            ("Done.", ""),
            LEAVE,
        ];
        chat(&setup, &steps).await;
        let results = results(&provider.seen()[1]);
        assert!(results[0].contains(expected), "{key:?}: {results:?}");
        assert_eq!(setup.noted("one", "call"), calls, "{key:?}");
    }
}

#[tokio::test]
async fn a_rule_answers_for_the_person() {
    let cases = [
        (&[("mcp__*", "allow")][..], "hi"),
        (&[("mcp__one__*", "allow")], "hi"),
        (&[("mcp__*", "deny")], "denied by"),
    ];
    for (rules, expected) in cases {
        let provider = ModelServer::start(vec![wants(&[echo("hi")]), says("Done.")]).await;
        let Some(setup) = chat_home("seed-rules", &provider, rules).await else { return };
        let shown = chat(&setup, &ONE_QUESTION).await;
        assert!(!shown.contains("May it run?"), "{rules:?}: {shown}");
        let results = results(&provider.seen()[1]);
        assert!(results[0].contains(expected), "{rules:?}: {results:?}");
    }
}

#[tokio::test]
async fn leaving_with_ctrl_c_ends_the_servers() {
    let nap = ("mcp__one__nap", json!({"ms": 600_000}));
    let provider =
        ModelServer::start(vec![wants(&[echo("up")]), says("Done."), wants(&[nap])]).await;
    let Some(setup) = chat_home("seed-leave", &provider, ALL_ALLOWED).await else { return };
    let steps = [
        (READY, "go\r"),
        ("Done.", ""),
        (READY, "again\r"),
        ("● mcp__one__nap", CTRL_C),
        ("interrupted", ""),
        (READY, CTRL_C),
        ("press Ctrl-C again to leave", ""),
        (READY, CTRL_C),
    ];
    chat(&setup, &steps).await;
    assert_eq!(setup.noted("one", "start"), 1);
    until("nothing is left", TIMEOUT, || setup.processes().is_empty()).await;
}

#[tokio::test]
async fn a_signal_to_end_ends_a_chat_that_waits_for_a_line() {
    let provider = ModelServer::start(vec![wants(&[echo("up")]), says("Done.")]).await;
    let Some(setup) = chat_home("seed-term", &provider, ALL_ALLOWED).await else { return };
    let steps =
        [(READY, "go\r"), ("Done.", ""), (READY, "half a li"), ("half", ""), ("signal:TERM", "")];
    let (code, shown) = on_terminal(&setup, (ROWS, COLUMNS), &steps, &["chat"]).await;
    assert_eq!(code, 130, "{shown}");
    assert!(shown.contains("\u{1b}[?2004l"), "{shown}");
    until("nothing is left", TIMEOUT, || setup.processes().is_empty()).await;
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let calls = [
        ("ListMcpResources", json!({})),
        ("ReadMcpResource", json!({"server": "one", "uri": "test://notes/1"})),
        ("ReadMcpResource", json!({"server": "one", "uri": "test://none"})),
    ];
    let provider = ModelServer::start(vec![wants(&calls), says("Done.")]).await;
    // The resource tools need no permission: no rule here allows them.
    let Some(setup) = chat_home("seed-resources", &provider, &[]).await else { return };
    let shown = chat(&setup, &ONE_QUESTION).await;
    assert!(!shown.contains("May it run?"), "{shown}");
    let results = results(&provider.seen()[1]).join("\n");
    for expected in ["test://notes/1", "version 0", "no such resource"] {
        assert!(results.contains(expected), "{expected}: {results}");
    }
}

#[tokio::test]
async fn mcp_shows_servers_states_and_tool_counts() {
    let provider = ModelServer::start(vec![says("Done.")]).await;
    let Some(mut setup) = chat_home("seed-mcp", &provider, ALL_ALLOWED).await else { return };
    setup.upstream("few", &["--only", "echo", "--only", "fail"]);
    setup.server("broken", json!({"command": "/no/such/program"})).write();
    let steps = [(READY, "/mcp\r"), ("one", ""), LEAVE];
    let shown = screen(&chat(&setup, &steps).await, crate::chat_setup::COLUMNS);
    let row = |name: &str| {
        let line = shown.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("{name}: {shown}")).split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(row("SERVER"), ["SERVER", "STATE", "TOOLS", "WHY"], "{shown}");
    assert_eq!(row("one")[1..3], ["ready", "23"], "{shown}");
    assert_eq!(row("few")[1..3], ["ready", "2"], "{shown}");
    assert_eq!(row("broken")[1], "failed", "{shown}");
}

//! What may fail around a chat, as the table of failures promises it, through a pseudo-terminal.
//!
//! | failure | test |
//! |---|---|
//! | `.mcp.json` missing | `without_servers_nothing_is_said_of_them` |
//! | `.mcp.json` cannot be parsed | `a_file_that_cannot_be_read_is_a_warning_with_its_place` |
//! | a server cannot be started | `servers_that_fail_are_warned_about_and_skipped` |
//! | the handshake fails | `servers_that_fail_are_warned_about_and_skipped` |
//! | `tools/list` fails | `servers_that_fail_are_warned_about_and_skipped` |
//! | a tool fails | `a_tool_that_fails_is_told_to_the_model` |
//! | a server dies during a call | `a_server_that_dies_fails_the_call_and_is_started_for_the_next` |
//! | Ctrl-C | `chat_seed::leaving_with_ctrl_c_ends_the_servers`, and all of `chat_cancel` |

use serde_json::{Value, json};

use crate::chat_setup::{
    ALL_ALLOWED, COLUMNS, LEAVE, READY, chat, chat_home, chat_settings, offered, results, screen,
};
use crate::cone_tools::{says, wants};
use crate::faults_setup::Setup;
use crate::model_server::ModelServer;

/// A server that refuses the handshake.
const REFUSES: &str = "import sys, json\nfor line in sys.stdin:\n  m = json.loads(line)\n  \
                       'id' in m and print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'error': \
                       {'code': -32000, 'message': 'go away'}}), flush=True)\n";

#[tokio::test]
async fn without_servers_nothing_is_said_of_them() {
    let provider = ModelServer::start(vec![says("Done.")]).await;
    let Some(mut setup) = Setup::new("fails-none").await else { return };
    setup.settings(&chat_settings(&provider, &[])).write();
    std::fs::remove_file(setup.home.join("config/mcp.json")).unwrap();
    let shown = chat(&setup, &[(READY, "go\r"), ("Done.", ""), LEAVE]).await;
    for word in ["warning", "error", "WARN", "ERROR", "mcp.json"] {
        assert!(!shown.contains(word), "{word}: {shown}");
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_a_warning_with_its_place() {
    for file in ["config/mcp.json", "project/.mcp.json"] {
        let provider = ModelServer::start(vec![says("Done.")]).await;
        let Some(mut setup) = Setup::new("fails-file").await else { return };
        setup.settings(&chat_settings(&provider, &[])).write();
        setup.put(file, "{\n  \"mcpServers\": {\n    oops\n");
        let shown = chat(&setup, &[(READY, "go\r"), ("Done.", ""), LEAVE]).await;
        let warned = shown.find("warning:").unwrap_or_else(|| panic!("{file}: {shown}"));
        assert!(shown[warned..].contains("mcp.json"), "{file}: {shown}");
        assert!(shown[warned..].contains(":3:"), "{file}: {shown}");
    }
}

#[tokio::test]
async fn servers_that_fail_are_warned_about_and_skipped() {
    type Case<'a> = (&'a str, fn(&Setup) -> Value, &'a str, &'a str);
    let cases: [Case<'_>; 5] = [
        ("missing", |_| json!({"command": "/no/such/program"}), "failed", "/no/such/program"),
        (
            "unset",
            |_| json!({"command": "x", "env": {"A": "${NO_SUCH_VARIABLE}"}}),
            "misconfigured",
            "NO_SUCH_VARIABLE",
        ),
        (
            "exits",
            |setup| setup.entry("exits", &["--fault", "exit"]),
            "failed",
            "no configuration found",
        ),
        (
            "refuses",
            |_| json!({"command": "python3", "args": ["-c", REFUSES]}),
            "failed",
            "go away",
        ),
        ("listless", |setup| setup.entry("listless", &["--fault", "tools"]), "ready", ""),
    ];
    for (name, entry, state, why) in cases {
        let call = ("mcp__one__echo", json!({"message": "hi"}));
        let provider = ModelServer::start(vec![wants(&[call]), says("Done.")]).await;
        let Some(mut setup) = chat_home("fails-server", &provider, ALL_ALLOWED).await else {
            return;
        };
        let entry = entry(&setup);
        setup.server(name, entry).write();
        let steps = [(READY, "go\r"), ("Done.", ""), (READY, "/mcp\r"), ("STATE", ""), LEAVE];
        let shown = chat(&setup, &steps).await;
        let screen = screen(&shown, COLUMNS);
        // The warning comes before the first line can be typed.
        let before = screen.split("> go").next().unwrap();
        let warned = before.contains("warning:") && before.contains(name);
        assert_eq!(warned, state != "ready", "{name}: {screen}");
        assert!(!warned || before.replace('\n', "").contains(why), "{name}: {screen}");
        let row = screen.lines().rev().find(|line| line.starts_with(name));
        assert!(row.is_some_and(|row| row.contains(state)), "{name}: {screen}");
        let seen = provider.seen();
        let skipped = !offered(&seen[0]).iter().any(|it| it.starts_with(&format!("mcp__{name}")));
        assert!(skipped, "{name}: {:?}", offered(&seen[0]));
        assert_eq!(results(&seen[1]), ["hi"], "{name}");
    }
}

#[tokio::test]
async fn a_tool_that_fails_is_told_to_the_model() {
    let calls = [
        ("mcp__one__fail", json!({})),
        ("mcp__one__refuse", json!({})),
        ("mcp__one__echo", json!({"message": "and the others go on"})),
    ];
    let provider = ModelServer::start(vec![wants(&calls), says("Done.")]).await;
    let Some(setup) = chat_home("fails-tool", &provider, ALL_ALLOWED).await else { return };
    let shown = chat(&setup, &[(READY, "go\r"), ("Done.", ""), LEAVE]).await;
    assert!(shown.contains("it failed") && shown.contains("refused by the server"), "{shown}");
    let results = results(&provider.seen()[1]).join("\n");
    for expected in ["it failed", "refused by the server", "and the others go on"] {
        assert!(results.contains(expected), "{expected}: {results}");
    }
}

#[tokio::test]
async fn a_server_that_dies_fails_the_call_and_is_started_for_the_next() {
    let echo = ("mcp__one__echo", json!({"message": "back again"}));
    let provider = ModelServer::start(vec![
        wants(&[("mcp__one__die", json!({}))]),
        says("It died."),
        wants(&[echo]),
        says("Done."),
    ])
    .await;
    let Some(setup) = chat_home("fails-dies", &provider, ALL_ALLOWED).await else { return };
    let steps = [(READY, "go\r"), ("It died.", ""), (READY, "again\r"), ("Done.", ""), LEAVE];
    chat(&setup, &steps).await;
    let seen = provider.seen();
    assert!(results(&seen[1])[0].contains("lost during the call"), "{:?}", results(&seen[1]));
    assert_eq!(results(&seen[3]).last().unwrap(), "back again");
    // The call may have run, so it is not repeated.
    assert_eq!(setup.noted("one", "dying"), 1);
}

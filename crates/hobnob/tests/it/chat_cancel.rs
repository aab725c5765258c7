//! Ctrl-C at each point of a turn: it stops everything that the turn has started, the conversation
//! stays complete, and the next turn works.
//!
//! | point | test |
//! |---|---|
//! | while the model speaks | `while_the_model_speaks` |
//! | while three tools run | `while_three_tools_run` |
//! | while a person is asked, and others wait to ask | `while_questions_wait` |
//! | while a server asks with a form | `in_a_form` |
//! | in sub-agents | `in_sub_agents` |

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::chat_setup::{
    ALL_ALLOWED, CTRL_C, LEAVE, READY, assert_whole, chat, chat_home, last_said, person_runs,
    results,
};
use crate::cone_service::piece;
use crate::cone_tools::{says, wants};
use crate::faults_setup::{Setup, until};
use crate::model_server::{LINES, ModelServer, Step};
use crate::shell_service::{mark, until_count};

const TIMEOUT: Duration = Duration::from_secs(40);

fn nap() -> (&'static str, Value) {
    ("mcp__one__nap", json!({"ms": 600_000}))
}

/// The person's steps: ask, stop the turn at `at`, wait for `checked`, ask again, and leave.
fn stopped<'a>(at: &'a [(&'a str, &'a str)], checked: &'a str) -> Vec<(&'a str, &'a str)> {
    let after = [
        ("interrupted", ""),
        (checked, ""),
        (READY, "next\r"),
        ("On we go.", ""),
        (READY, "/tree\r"),
        ("On we go.", ""),
        LEAVE,
    ];
    [&[(READY, "go\r")], at, &after].concat()
}

/// Creates the file that a step of the person waits for.
fn tell(file: &str) {
    std::fs::write(Path::new(file.strip_prefix("file:").unwrap()), "").unwrap();
}

/// Waits until no process of an ended chat is left.
async fn nothing_is_left(setup: &Setup) {
    until("nothing is left", TIMEOUT, || setup.processes().is_empty()).await;
}

#[tokio::test]
async fn while_the_model_speaks() {
    let holds = vec![Step::Head(LINES), piece("I am still "), piece("pondering\n\n"), Step::Hold];
    let mut provider = ModelServer::start(vec![holds, says("On we go.")]).await;
    let Some(setup) = chat_home("cancel-speaks", &provider, ALL_ALLOWED).await else { return };
    let checked = format!("file:{}", setup.file("checked"));
    // Only text that has arrived can be in the conversation.
    let at = [("pondering", CTRL_C)];
    let steps = stopped(&at, &checked);
    let checking = async {
        // The connection is closed, so the provider writes no more either.
        provider.client_gone().await;
        tell(&checked);
    };
    tokio::join!(chat(&setup, &steps), checking);
    let last = provider.seen().pop().unwrap();
    assert_whole(&last);
    let said = last.body["messages"].to_string();
    assert!(said.contains("I am still pondering") && said.contains("interrupted by the person"));
    assert_eq!(last_said(&last), "next");
    nothing_is_left(&setup).await;
}

#[tokio::test]
async fn while_three_tools_run() {
    let sleeps = mark();
    let run = ("shell_run", json!({"command": format!("sleep {sleeps} & sleep {sleeps}")}));
    let calls = wants(&[nap(), nap(), run]);
    let provider = ModelServer::start(vec![calls, says("On we go.")]).await;
    let rules = [("mcp__*", "allow"), ("shell_run", "allow")];
    let Some(setup) = chat_home("cancel-tools", &provider, &rules).await else { return };
    let project = setup.home.join("project").canonicalize().unwrap();
    person_runs(&setup, &["enable", "shell"]).await;
    person_runs(
        &setup,
        &["grant", "shell", "--as-root", "--in", project.to_str().unwrap(), "--line"],
    )
    .await;
    let (started, checked) = (setup.file("started"), format!("file:{}", setup.file("checked")));
    let started = format!("file:{started}");
    let at = [("shell_run", ""), (&*started, CTRL_C)];
    let steps = stopped(&at, &checked);
    let checking = async {
        until("both naps", TIMEOUT, || setup.noted("one", "napping") == 2).await;
        until_count(&sleeps, |count| 2 <= count).await;
        tell(&started);
        until("the server stops both", TIMEOUT, || setup.noted("one", "stopped") == 2).await;
        until_count(&sleeps, |count| count == 0).await;
        // The server itself stays for the next turn.
        assert!(setup.process("one").is_some());
        tell(&checked);
    };
    tokio::join!(chat(&setup, &steps), checking);
    let last = provider.seen().pop().unwrap();
    assert_whole(&last);
    let results = results(&last);
    assert_eq!(results.len(), 3, "{results:?}");
    assert!(results.iter().all(|it| it.contains("interrupted by the person")), "{results:?}");
    assert_eq!(setup.noted("one", "start"), 1);
    nothing_is_left(&setup).await;
}

#[tokio::test]
async fn while_questions_wait() {
    let echo = |words: &str| ("mcp__one__echo", json!({ "message": words }));
    let calls = wants(&[echo("first"), echo("second"), echo("third")]);
    let provider = ModelServer::start(vec![calls, says("On we go.")]).await;
    let Some(setup) = chat_home("cancel-asks", &provider, &[]).await else { return };
    let checked = setup.file("checked");
    std::fs::write(&checked, "").unwrap();
    let at = [("would run its tool `echo`", ""), ("> No", CTRL_C)];
    let checked = format!("file:{checked}");
    let shown = chat(&setup, &stopped(&at, &checked)).await;
    // The questions that waited for their turn are never asked.
    assert_eq!(shown.matches("would run its tool").count(), 1, "{shown}");
    assert_eq!(setup.noted("one", "call"), 0);
    let last = provider.seen().pop().unwrap();
    assert_whole(&last);
    assert_eq!(results(&last).len(), 3);
    nothing_is_left(&setup).await;
}

#[tokio::test]
async fn in_a_form() {
    let calls = wants(&[("mcp__one__elicit", json!({}))]);
    let provider = ModelServer::start(vec![calls, says("On we go.")]).await;
    let Some(setup) = chat_home("cancel-form", &provider, ALL_ALLOWED).await else { return };
    let checked = format!("file:{}", setup.file("checked"));
    // Esc before Ctrl-C changes nothing.
    let at = [("server `one` asks", ""), ("who", "\u{1b}"), ("", CTRL_C)];
    let steps = stopped(&at, &checked);
    let checking = async {
        // The server gets an answer, so it need not wait any longer.
        until("the server is told", TIMEOUT, || setup.noted("one", "answered") == 1).await;
        tell(&checked);
    };
    tokio::join!(chat(&setup, &steps), checking);
    let last = provider.seen().pop().unwrap();
    assert_whole(&last);
    assert_eq!(results(&last).len(), 1);
    nothing_is_left(&setup).await;
}

#[tokio::test]
async fn in_sub_agents() {
    let task = |name: &str| ("agent", json!({"task": "take a nap", "name": name}));
    let provider = ModelServer::start(vec![
        wants(&[task("first"), task("second")]),
        wants(&[nap()]),
        wants(&[nap()]),
        says("On we go."),
    ])
    .await;
    let Some(setup) = chat_home("cancel-agents", &provider, ALL_ALLOWED).await else { return };
    let started = format!("file:{}", setup.file("started"));
    let checked = format!("file:{}", setup.file("checked"));
    let at = [(&*started, CTRL_C)];
    let steps = stopped(&at, &checked);
    let checking = async {
        until("both naps", TIMEOUT, || setup.noted("one", "napping") == 2).await;
        tell(&started);
        until("the server stops both", TIMEOUT, || setup.noted("one", "stopped") == 2).await;
        tell(&checked);
    };
    let (shown, ()) = tokio::join!(chat(&setup, &steps), checking);
    // The branches of both are in the tree, beside the answer.
    assert!(shown.contains("first › mcp__one__nap"), "{shown}");
    let last = provider.seen().pop().unwrap();
    assert_whole(&last);
    assert_eq!(results(&last).len(), 2);
    nothing_is_left(&setup).await;
}

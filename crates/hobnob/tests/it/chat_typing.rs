//! Keys at any moment of a chat: while an answer comes, on a line with text and on an empty one,
//! while sub-agents work in the background; and signals that end it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;

use crate::chat_setup::{
    ALL_ALLOWED, COLUMNS, CTRL_C, LEAVE, READY, ROWS, chat, chat_home, last_said, screen,
};
use crate::cli_hostile::on_terminal;
use crate::cone_service::{end, piece};
use crate::cone_tools::{says, wants};
use crate::faults_setup::until;
use crate::model_server::{LINES, ModelServer, Request, Step};

const TIMEOUT: Duration = Duration::from_secs(40);

/// An answer that pauses until the test opens `gate`.
fn pausing(gate: &Arc<Notify>) -> Vec<Step> {
    let begin = [Step::Head(LINES), piece("I am still "), piece("thinking\n\n")];
    let rest = [Step::Wait(Arc::clone(gate)), piece("answer one")];
    [&begin[..], &rest, &end()].concat()
}

fn questions(provider: &ModelServer) -> Vec<String> {
    provider.seen().iter().map(|request: &Request| last_said(request).to_owned()).collect()
}

#[tokio::test]
async fn lines_typed_during_an_answer_are_sent_one_after_the_other() {
    let gate = Arc::<Notify>::default();
    let provider = ModelServer::start(vec![
        pausing(&gate),
        says("answer two"),
        says("answer three"),
        says("answer four"),
    ])
    .await;
    let Some(setup) = chat_home("typing-ahead", &provider, &[]).await else { return };
    let typed = setup.file("typed");
    let touch = format!("touch:{typed}");
    let steps = [
        (READY, "one\r"),
        ("I am still", "two\rthrew\u{7f}\u{7f}ee\rfo"),
        (&touch, ""),
        ("answer two", ""),
        ("answer three", ""),
        // The unfinished line is the draft of the next one.
        ("> fo", "ur\r"),
        ("answer four", ""),
        LEAVE,
    ];
    let releasing = async {
        until("the lines", TIMEOUT, || std::path::Path::new(&typed).exists()).await;
        gate.notify_one();
    };
    let (shown, ()) = tokio::join!(chat(&setup, &steps), releasing);
    assert_eq!(questions(&provider), ["one", "two", "three", "four"]);
    let screen = screen(&shown, COLUMNS);
    // No typed key is echoed into the answer.
    assert!(screen.contains("I am still thinking\n\nanswer one\n"), "{screen}");
    let order = ["> one", "answer one", "> two", "answer two", "> three", "answer three", "> four"];
    let places: Vec<_> = order.iter().map(|text| screen.find(text)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{screen}");
}

#[tokio::test]
async fn lines_that_wait_come_back_when_the_answer_is_stopped() {
    let nap = wants(&[("mcp__one__nap", json!({"ms": 600_000}))]);
    let provider = ModelServer::start(vec![nap, says("On we go.")]).await;
    let Some(setup) = chat_home("typing-stopped", &provider, ALL_ALLOWED).await else { return };
    let steps = [
        (READY, "one\r"),
        ("mcp__one__nap {", "two\rthr"),
        // The draft is shown beside the spinner.
        ("nap > thr", CTRL_C),
        ("interrupted", ""),
        ("thr", "ee\r"),
        ("On we go.", ""),
        LEAVE,
    ];
    chat(&setup, &steps).await;
    assert_eq!(questions(&provider), ["one", "two\nthree"]);
}

#[tokio::test]
async fn ctrl_c_clears_a_line_with_text_and_leaves_an_empty_one() {
    let provider = ModelServer::start(vec![says("An answer.")]).await;
    let Some(setup) = chat_home("typing-clear", &provider, &[]).await else { return };
    let steps = [
        (READY, "not this"),
        ("not this", CTRL_C),
        (READY, "but this\r"),
        ("An answer.", ""),
        (READY, CTRL_C),
        ("press Ctrl-C again to leave", ""),
        (READY, CTRL_C),
    ];
    chat(&setup, &steps).await;
    assert_eq!(questions(&provider), ["but this"]);
}

#[tokio::test]
async fn sub_agents_in_the_background_write_above_the_line() {
    let task = ("agent", json!({"task": "say hi", "name": "first", "background": true}));
    let gates = [Arc::<Notify>::default(), Arc::<Notify>::default()];
    let waits = |gate: &Arc<Notify>| {
        let calls = wants(&[("mcp__one__echo", json!({"message": "hi"}))]);
        [vec![Step::Wait(Arc::clone(gate))], calls].concat()
    };
    let provider = ModelServer::start(vec![
        wants(&[task]),
        waits(&gates[0]),
        waits(&gates[1]),
        says("All done."),
    ])
    .await;
    let Some(setup) = chat_home("typing-background", &provider, ALL_ALLOWED).await else { return };
    let typed = setup.file("typed");
    let touch = format!("touch:{typed}");
    let steps = [
        (READY, "go\r"),
        ("All done.", ""),
        (READY, "dra"),
        ("dra", ""),
        (&touch, ""),
        ("first › mcp__one__echo", ""),
        ("hi", "ft\r"),
        ("All done.", ""),
        LEAVE,
    ];
    let releasing = async {
        let mut seen = Vec::new();
        until("both requests", TIMEOUT, || {
            seen.extend(provider.seen());
            3 <= seen.len()
        })
        .await;
        // The requests come in any order; the sub-agent's question is its task.
        let is_sub_agents = |at: usize| last_said(&seen[at]) == "say hi";
        let (main, sub) = if is_sub_agents(1) { (1, 0) } else { (0, 1) };
        gates[main].notify_one();
        until("a draft", TIMEOUT, || std::path::Path::new(&typed).exists()).await;
        gates[sub].notify_one();
    };
    let (shown, ()) = tokio::join!(chat(&setup, &steps), releasing);
    let screen = screen(&shown, COLUMNS);
    assert!(screen.lines().any(|line| line.trim_end() == "> draft"), "{screen}");
    assert!(questions(&provider).contains(&"draft".to_owned()));
}

#[tokio::test]
async fn a_signal_to_end_ends_a_chat_at_an_answer_and_at_a_question() {
    let holds = vec![Step::Head(LINES), piece("I am still "), piece("thinking\n\n"), Step::Hold];
    let asks = wants(&[("mcp__one__echo", json!({"message": "hi"}))]);
    for (name, answer, seen) in
        [("typing-term-answer", holds, "thinking"), ("typing-term-question", asks, "> No")]
    {
        let provider = ModelServer::start(vec![answer]).await;
        let Some(setup) = chat_home(name, &provider, &[]).await else { return };
        let steps = [(READY, "go\r"), (seen, ""), ("signal:TERM", "")];
        let (code, shown) = on_terminal(&setup, (ROWS, COLUMNS), &steps, &["chat"]).await;
        assert_eq!(code, 130, "{name}: {shown}");
        until("nothing is left", TIMEOUT, || setup.processes().is_empty()).await;
    }
}

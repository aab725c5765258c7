//! Long chats and killed chats: each question reaches the model, early facts are still known late,
//! and no tool call runs twice.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::chat_setup::{
    ALL_ALLOWED, COLUMNS, LEAVE, READY, ROWS, assert_whole, chat_settings, chat_with, last_said,
    results,
};
use crate::cli_hostile::on_terminal;
use crate::cone_service::piece;
use crate::cone_tools::{says, wants};
use crate::faults_setup::{Setup, until};
use crate::model_server::{LINES, ModelServer, Step};

const TIMEOUT: Duration = Duration::from_secs(40);
/// The exit code of a killed program: the low byte of the negative signal.
const KILLED_CODE: i32 = 247;
const TURNS: usize = 200;
/// Facts that the person states in the first turns.
const FACTS: usize = 5;

#[tokio::test]
async fn two_hundred_turns_in_a_small_context() {
    let Some(mut setup) = Setup::new("chat-long").await else { return };
    let journal = setup.file("model.journal");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/upstreams/remembering_model.py");
    let mut model = tokio::process::Command::new("python3");
    model.arg(script).arg(&journal).stdout(Stdio::piped()).kill_on_drop(true);
    let mut model = model.spawn().unwrap();
    let mut port = String::new();
    BufReader::new(model.stdout.take().unwrap()).read_line(&mut port).await.unwrap();
    setup.settings(&format!(
        "[models]\ndefault = \"test/m\"\n[providers.test]\ndialect = \"ollama\"\n\
         url = \"http://127.0.0.1:{}\"\n[providers.test.models.m]\ncontext = 20000\n",
        port.trim()
    ));
    setup.write();
    let question = |turn: usize| match turn {
        // The last turns ask for the facts of the first turns.
        it if it < FACTS => format!("Keep in mind that fact {it} is value{it}x."),
        it if TURNS - FACTS <= it => format!("What is fact {}?", it + FACTS - TURNS),
        it => format!("Tell me more, part {it}."),
    };
    let questions: Vec<String> = (0..TURNS).map(question).collect();
    let typed: Vec<String> = questions.iter().map(|it| format!("{it}\r")).collect();
    let mut steps: Vec<(&str, &str)> = Vec::new();
    for text in &typed {
        steps.extend([(READY, &**text), ("tokens", "")]);
    }
    steps.push(LEAVE);
    let (code, shown) = on_terminal(&setup, (ROWS, COLUMNS), &steps, &["chat"]).await;
    assert_eq!(code, 0, "{shown}");
    let journal = std::fs::read_to_string(journal).unwrap();
    let lines: Vec<Value> = journal.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let said = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
    let asked = lines.iter().filter(|line| line["asked"] != "summary");
    // Each question reaches the model once and unchanged.
    assert_eq!(asked.map(|line| said(line, "asked")).collect::<Vec<_>>(), questions);
    assert!(lines.iter().filter(|line| line["asked"] == "summary").count() >= 3, "{journal}");
    let last = lines[lines.len() - FACTS..].iter().map(|line| said(line, "said"));
    let expected: Vec<String> = (0..FACTS).map(|it| format!("value{it}x.")).collect();
    assert_eq!(last.collect::<Vec<_>>(), expected, "{journal}");
    drop(model);
}

/// Kills a chat with `-s mine` once `seen` is on its screen and, if given, `file` exists.
async fn killed(setup: &Setup, seen: &str, file: Option<&str>) {
    let wait = file.map(|file| format!("file:{file}"));
    let mut steps = vec![(READY, "go\r"), (seen, "")];
    steps.extend(wait.as_deref().map(|wait| (wait, "")));
    steps.push(("signal:KILL", ""));
    let words = ["chat", "-s", "mine"];
    let (code, shown) = on_terminal(setup, (ROWS, COLUMNS), &steps, &words).await;
    assert_eq!(code, KILLED_CODE, "{shown}");
    until("nothing is left", TIMEOUT, || setup.processes().is_empty()).await;
}

#[tokio::test]
async fn a_killed_chat_goes_on_behind_its_last_complete_step_and_runs_nothing_twice() {
    let speaks = vec![Step::Head(LINES), piece("I am still "), piece("thinking\n\n"), Step::Hold];
    let run = |setup: &Setup, ms: u64| {
        let file = setup.file("ran");
        wants(&[("mcp__one__run", json!({"file": file, "ms": ms}))])
    };
    // Where the chat is killed, the tool's runs by then, and the results that the model gets later.
    for (place, runs, known) in [("question", 0, 0), ("call", 1, 1), ("answer", 1, 1)] {
        let Some(mut setup) = Setup::new(&format!("killed-{place}")).await else { return };
        let mut answers = match place {
            "question" => vec![speaks.clone()],
            "call" => vec![run(&setup, 600_000)],
            _ => vec![run(&setup, 0), speaks.clone()],
        };
        answers.push(says("On we go."));
        let provider = ModelServer::start(answers).await;
        setup.settings(&chat_settings(&provider, ALL_ALLOWED)).upstream("one", &[]).write();
        let ran = setup.file("ran");
        match place {
            "call" => killed(&setup, "mcp__one__run", Some(&ran)).await,
            _ => killed(&setup, "I am still", None).await,
        }
        provider.seen();
        let steps = [(READY, "and now?\r"), ("On we go.", ""), LEAVE];
        chat_with(&setup, &steps, &["-s", "mine"]).await;
        let last = provider.seen().pop().unwrap();
        assert_whole(&last);
        assert_eq!(last_said(&last), "and now?", "{place}");
        let results = results(&last);
        assert_eq!(results.len(), known, "{place}: {results:?}");
        match place {
            "call" => assert!(results[0].contains("interrupted"), "{results:?}"),
            "answer" => assert_eq!(results[0], "ran"),
            _ => {}
        }
        let ran = std::fs::read_to_string(ran).unwrap_or_default();
        assert_eq!(ran.lines().count(), runs, "{place}");
    }
}

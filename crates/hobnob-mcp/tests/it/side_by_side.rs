//! The same server written with this crate, with rmcp and with FastMCP: one client has the same
//! conversation with each, and the guide shows the files and counts their lines.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a helper that fails must fail the test that uses it, and one that skips says so"
)]

use crate::examples::{program, text};
use hobnob_mcp::{CallFailed, Client, EraHint};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Longer than a Python program takes to start on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

const CONVERSATION: [&str; 12] = [
    "tools: add, delete",
    "templates: notes://{name}",
    "prompts: summarize(name, words)",
    "add one: count 1",
    "add two: count 2",
    "read one: first",
    "prompt: Summarize in at most 5 words: second",
    "prompt without words: refused",
    "delete one, declined: kept",
    "delete one, confirmed: deleted",
    "read one: refused",
    "delete one: failed",
];

#[derive(Deserialize)]
struct Count {
    count: usize,
}

/// Starts a server with this command, has the conversation, and returns what the client saw.
async fn converse(words: &[PathBuf], era: EraHint) -> Vec<String> {
    let agrees = Arc::new(AtomicBool::new(false));
    let agreeing = Arc::clone(&agrees);
    let client = Client::builder().era(era).on_form(move |_| {
        let agrees = agreeing.load(Ordering::Relaxed);
        async move { agrees.then(|| json!({"confirmed": true})) }
    });
    let client = client.spawn(words).await.unwrap();
    let mut seen = Vec::new();

    let mut names: Vec<_> =
        client.tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    names.sort();
    seen.push(format!("tools: {}", names.join(", ")));
    let templates = client.resource_templates().await.unwrap();
    seen.push(format!("templates: {}", templates[0].uri_template));
    let prompts = client.prompts().await.unwrap();
    let arguments: Vec<_> = prompts[0].arguments.iter().map(|it| it.name.as_str()).collect();
    seen.push(format!("prompts: {}({})", prompts[0].name, arguments.join(", ")));

    for (name, note) in [("one", "first"), ("two", "second")] {
        let Count { count } =
            client.call("add", &json!({"name": name, "text": note})).await.unwrap();
        seen.push(format!("add {name}: count {count}"));
    }
    seen.push(format!("read one: {}", client.read_text("notes://one").await.unwrap()));
    let prompt = client.get_prompt("summarize", &json!({"name": "two", "words": 5})).await.unwrap();
    seen.push(format!("prompt: {}", prompt.messages[0].content.as_text().unwrap()));
    let prompt = client.get_prompt("summarize", &json!({"name": "two"})).await.map(drop);
    seen.push(format!("prompt without words: {}", kind(&prompt)));

    let one = json!({"name": "one"});
    let said = client.call::<_, String>("delete", &one).await;
    seen.push(format!("delete one, declined: {}", said.unwrap_or_else(|it| kind(&Err(it)).into())));
    agrees.store(true, Ordering::Relaxed);
    let said = client.call::<_, String>("delete", &one).await;
    seen.push(format!(
        "delete one, confirmed: {}",
        said.unwrap_or_else(|it| kind(&Err(it)).into())
    ));
    seen.push(format!("read one: {}", kind(&client.read_text("notes://one").await.map(drop))));
    seen.push(format!(
        "delete one: {}",
        kind(&client.call::<_, String>("delete", &one).await.map(drop))
    ));
    client.close().await;
    seen
}

fn kind(result: &Result<(), CallFailed>) -> &'static str {
    match result {
        Ok(()) => "done",
        Err(CallFailed::Tool(_)) => "failed",
        Err(CallFailed::Refused(_)) => "refused",
        Err(_) => "no answer",
    }
}

async fn check(words: &[PathBuf], era: EraHint, expected: &[&str]) {
    let seen = tokio::time::timeout(LIMIT, converse(words, era)).await.unwrap();
    assert_eq!(seen, expected, "{words:?} {era:?}");
}

/// The conversation with a server whose library asks only clients of older revisions.
fn without_questions() -> [&'static str; 12] {
    let mut expected = CONVERSATION;
    expected[8] = "delete one, declined: failed";
    expected[9] = "delete one, confirmed: failed";
    expected[10] = "read one: done";
    expected
}

#[tokio::test]
async fn ours_has_the_conversation_in_both_eras() {
    for era in [EraHint::Legacy, EraHint::Modern] {
        check(&[program("notes")], era, &CONVERSATION).await;
    }
}

#[tokio::test]
async fn rmcp_has_the_same_conversation_in_the_older_era() {
    check(&[program("notes_rmcp")], EraHint::Legacy, &CONVERSATION).await;
    check(&[program("notes_rmcp")], EraHint::Modern, &without_questions()).await;
}

#[tokio::test]
async fn fastmcp_has_the_same_conversation_in_the_older_era() {
    let Some(python) = fastmcp() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/notes_fastmcp.py");
    check(&[python.clone(), script.clone()], EraHint::Legacy, &CONVERSATION).await;
    check(&[python, script], EraHint::Modern, &without_questions()).await;
}

/// The Python with FastMCP, or `None` after printing why the test is skipped.
fn fastmcp() -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Roster {
        installed: BTreeMap<String, PathBuf>,
        missing: BTreeMap<String, String>,
    }
    let Some(folder) = std::env::var_os("HOBNOB_PEERS") else {
        eprintln!("SKIPPED: no peers here; `cargo xtask test` installs them");
        return None;
    };
    let file = Path::new(&folder).join("peers.json");
    let roster: Roster = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    if let Some(reason) = roster.missing.get("fastmcp") {
        eprintln!("SKIPPED: FastMCP could not be installed: {reason}");
        return None;
    }
    Some(roster.installed["fastmcp"].join("venv/bin/python"))
}

/// The number of lines that are not blank, and of types that the author declares.
fn count(file: &str) -> (usize, usize) {
    let lines = file.lines().filter(|line| !line.trim().is_empty());
    let is_type =
        |line: &&str| ["struct ", "enum ", "class "].iter().any(|it| line.starts_with(it));
    (lines.clone().count(), lines.filter(is_type).count())
}

#[test]
fn the_guide_shows_these_files_and_counts_them() {
    let guide = text("docs/src/writing-a-server.md");
    for (name, language, file) in [
        ("hobnob-mcp", "rust", "crates/hobnob-mcp/examples/notes.rs"),
        ("rmcp 3.8", "rust", "crates/hobnob-mcp/examples/notes_rmcp.rs"),
        ("FastMCP 4.1", "python", "crates/hobnob-mcp/examples/notes_fastmcp.py"),
    ] {
        let code = text(file);
        let block = format!("```{language}\n{code}```\n");
        assert!(guide.contains(&block), "copy {file} into docs/src/writing-a-server.md");
        let (lines, types) = count(&code);
        let row = format!("| {name} | {lines} | {types} |");
        assert!(guide.contains(&row), "docs/src/writing-a-server.md needs the row `{row}`");
    }
}

#[tokio::test]
async fn the_counter_of_the_migration_notes_counts_alike() {
    for name in ["counter_rmcp", "counter"] {
        let client = Client::spawn([program(name)]).await.unwrap();
        let mut seen = Vec::new();
        for by in [1, 2] {
            seen.push(client.call::<_, String>("add", &json!({"by": by})).await.unwrap());
        }
        assert_eq!(seen, ["the counter is at 1", "the counter is at 3"], "{name}");
        let failed = client.call::<_, String>("add", &json!({"by": 0})).await.unwrap_err();
        assert!(matches!(&failed, CallFailed::Tool(it) if it.text() == "add at least one"));
        client.close().await;
    }
}

//! The first ten minutes that `docs/src/chat.md` shows, typed on an empty home: with a key, with Ollama, and with
//! neither. The page has exactly what is on the screen then.

use serde_json::{Value, json};

use crate::chat_first_start::{LIST, events, newcomer, on_first_terminal};
use crate::chat_setup::{LEAVE, READY, screen};
use crate::cone_tools::says;
use crate::doc_pages_blocks::repository;
use crate::faults_setup::Setup;
use crate::model_server::{ModelServer, Step, status};

/// So wide that no line of the page depends on the length of a path.
const WIDE: u16 = 240;

/// The last line of the greeting.
const GREETED: &str = "Ctrl-D leaves";

/// An answer of Anthropic's API with one block.
fn anthropic(block: &Value, delta: &Value, reason: &str) -> Vec<Step> {
    let usage = json!({"input_tokens": 2_310, "output_tokens": 40});
    let message = json!({"id": "m", "type": "message", "role": "assistant", "content": [],
        "model": "m", "usage": usage});
    let all = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason},
            "usage": {"output_tokens": 40}}),
        json!({"type": "message_stop"}),
    ];
    let all: Vec<String> = all.iter().map(Value::to_string).collect();
    events(&all.iter().map(|it| &**it).collect::<Vec<_>>())
}

fn speaks(text: &str) -> Vec<Step> {
    let delta = json!({"type": "text_delta", "text": text});
    anthropic(&json!({"type": "text", "text": ""}), &delta, "end_turn")
}

fn calls(tool: &str, input: &Value) -> Vec<Step> {
    let block = json!({"type": "tool_use", "id": "call_1", "name": tool, "input": {}});
    let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
    anthropic(&block, &delta, "tool_use")
}

/// A home in which no chat was in the folder before.
async fn empty_home(name: &str) -> Option<Setup> {
    let setup = newcomer(name).await?;
    std::fs::remove_file(setup.home.join("state/chat-folders")).unwrap();
    let notes = setup.home.join("project/notes.txt");
    std::fs::write(notes, "remember the milk\n").unwrap();
    Some(setup)
}

/// The screen with the names that the page shows, which must be a block of the page.
fn assert_documented(setup: &Setup, shown: &str, addresses: &[(&str, &str)]) {
    let home = setup.home.canonicalize().unwrap();
    let mut screen = screen(shown, WIDE);
    let config = home.join("config").display().to_string();
    let project = home.join("project").display().to_string();
    let ours = [(&*config, "/home/me/.config/hobnob"), (&*project, "/home/me/shop")];
    for (found, shown) in ours.iter().chain(addresses) {
        screen = screen.replace(found, shown);
    }
    let lines: Vec<String> = screen.trim().lines().map(stable).collect();
    let expected = format!("```text\n$ hobnob chat\n{}\n```", lines.join("\n"));
    let page = std::fs::read_to_string(repository().join("docs/src/chat.md")).unwrap();
    assert!(page.contains(&expected), "docs/src/chat.md has no such block:\n{expected}");
}

/// A line without what differs from run to run: the name of the chat, counts of tools and times.
fn stable(line: &str) -> String {
    let line = line.trim_end();
    if let Some((before, _)) = line.split_once(" · chat-") {
        return format!("{before} · chat-20261119-093000-4711");
    }
    let words = line.split(' ').collect::<Vec<_>>();
    let mut shown: Vec<&str> = words.clone();
    for at in 1..words.len() {
        if words[at] == "tools" && words[at - 1].parse::<u32>().is_ok() {
            shown[at - 1] = "70";
        }
    }
    // Only root needs to say so.
    shown.join(" ").replace(", also as root", "")
}

#[tokio::test]
async fn with_a_key() {
    let path = json!({"path": "notes.txt"});
    let edit = json!({"path": "notes.txt",
        "edits": [{"old": "remember the milk\n", "new": "remember the milk\nand bread\n"}]});
    let provider = ModelServer::start(vec![
        calls("files_read", &path),
        speaks("It says: remember the milk."),
        calls("files_edit", &edit),
        speaks("Bread is on the list, too."),
    ])
    .await;
    let Some(setup) = empty_home("page-key").await else { return };
    let steps = [
        ("May the assistant work in this folder?", "\r"),
        (GREETED, ""),
        (READY, "what is in notes.txt?\r"),
        ("tokens", ""),
        (READY, "add bread\r"),
        ("> No", "1\r"),
        ("tokens", ""),
        LEAVE,
    ];
    let variables = [("ANTHROPIC_API_KEY", "k-1"), ("ANTHROPIC_BASE_URL", &*provider.url)];
    let shown = on_first_terminal(&setup, WIDE, &variables, &steps).await;
    assert_documented(&setup, &shown, &[]);
    let notes = std::fs::read_to_string(setup.home.join("project/notes.txt")).unwrap();
    assert_eq!(notes, "remember the milk\nand bread\n");
}

#[tokio::test]
async fn with_ollama() {
    let list = status(200, "content-type: application/json\r\n", LIST);
    let provider = ModelServer::start(vec![list, says("Roses, tulips and milk.")]).await;
    let Some(setup) = empty_home("page-ollama").await else { return };
    let steps = [
        ("May the assistant work in this folder?", "3\r"),
        (GREETED, ""),
        (READY, "what do we sell?\r"),
        ("tokens", ""),
        LEAVE,
    ];
    let shown = on_first_terminal(&setup, WIDE, &[("OLLAMA_HOST", &provider.url)], &steps).await;
    assert_documented(&setup, &shown, &[(&*provider.url, "http://127.0.0.1:11434")]);
}

#[tokio::test]
async fn with_neither() {
    let list = status(200, "content-type: application/json\r\n", r#"{"data": [{"id": "large"}]}"#);
    let answer = [
        r#"{"id":"c","model":"large","choices":[{"index":0,"delta":{"content":"Hello there."}}]}"#,
        r#"{"id":"c","model":"large","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
        // Without it the count would be an estimate, which depends on the length of the path.
        r#"{"id":"c","model":"large","choices":[],"usage":{"prompt_tokens":2310,"completion_tokens":40}}"#,
        "[DONE]",
    ];
    let provider = ModelServer::start(vec![list, events(&answer)]).await;
    let Some(setup) = empty_home("page-neither").await else { return };
    let address = format!("{}\r", provider.url);
    let steps = [
        ("May the assistant work in this folder?", "4\r"),
        ("Which models should answer?", "3\r"),
        ("Its address", &address),
        ("API key", "a-key\r"),
        ("Which model should answer?", "\r"),
        (GREETED, ""),
        (READY, "hello\r"),
        ("tokens", ""),
        LEAVE,
    ];
    let shown = on_first_terminal(&setup, WIDE, &[], &steps).await;
    assert_documented(&setup, &shown, &[(&*provider.url, "https://models.example.org/v1")]);
}

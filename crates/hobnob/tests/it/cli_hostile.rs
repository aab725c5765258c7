//! Text of strangers in every output: on a terminal, in tables and in JSON.

use std::process::{Output, Stdio};

use serde_json::Value;

use crate::faults_setup::Setup;
use crate::program::within;

/// What a terminal acts on, reorders or hides.
const HOSTILE: &str = "x\u{9b}2J\u{85}\u{202e}y\u{2066}\u{200b}\u{ad}\u{7f}z\u{e0041}";

/// A server whose every text is hostile.
const SERVER: &str = r#"
import json, sys
BAD = "x\x9b2J\x85\u202ey\u2066\u200b\xad\x7fz\U000e0041"
TOOL = {"name": "say", "title": BAD, "description": BAD,
        "inputSchema": {"type": "object", "properties": {BAD: {"description": BAD}}}}
OTHER = {"name": BAD, "description": BAD, "inputSchema": {"type": "object"}}
ANSWERS = {
    "initialize": {"protocolVersion": "2025-06-18", "instructions": BAD,
                   "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
                   "serverInfo": {"name": BAD, "version": BAD, "title": BAD}},
    "tools/list": {"tools": [TOOL, OTHER]},
    "resources/list": {"resources": [{"uri": "a:b", "name": BAD, "title": BAD,
                                      "description": BAD, "mimeType": BAD}]},
    "resources/templates/list": {"resourceTemplates": [{"uriTemplate": "a:{x}", "name": BAD,
                                                        "description": BAD}]},
    "prompts/list": {"prompts": [{"name": "ask", "title": BAD, "description": BAD,
                                  "arguments": [{"name": BAD, "description": BAD}]}]},
    "tools/call": {"content": [{"type": "text", "text": BAD}], "structuredContent": {BAD: BAD}},
    "resources/read": {"contents": [{"uri": "a:b", "text": BAD}]},
    "prompts/get": {"description": BAD,
                    "messages": [{"role": "user", "content": {"type": "text", "text": BAD}}]},
}
sys.stderr.write(BAD + "\n")
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    known = ANSWERS.get(message["method"])
    if known is None:
        reply = {"error": {"code": -32601, "message": BAD}}
    else:
        reply = {"result": known}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
"#;

async fn setup(name: &str) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.script("bad", SERVER);
    setup.script("b\u{202e}idi", SERVER);
    setup.write();
    Some(setup)
}

async fn run(setup: &Setup, words: &[&str]) -> Output {
    let output = setup.hobnob(words).stdin(Stdio::null()).output();
    within("the command", output).await.unwrap()
}

fn check_safe(words: &[&str], text: &[u8]) {
    let text = std::str::from_utf8(text).unwrap();
    let bad = |letter: char| HOSTILE.contains(letter) && !letter.is_ascii_alphanumeric();
    let found = text
        .chars()
        .find(|letter| bad(*letter) || letter.is_control() && !matches!(letter, '\n' | '\t'));
    assert_eq!(found, None, "{words:?}: {text:?}");
}

#[tokio::test]
async fn no_output_has_what_a_terminal_acts_on() {
    let Some(setup) = setup("hostile").await else { return };
    let (tables, raw): (&[&[&str]], &[&[&str]]) = (
        &[
            &["tools"],
            &["tools", "bad"],
            &["resources"],
            &["prompts"],
            &["list"],
            &["status"],
            &["doctor"],
            &["approve"],
            &["audit"],
        ],
        // Their results are for programs too, so only a terminal gets them made safe.
        &[&["call", "bad/say"], &["read", "mcp://bad/a:b"], &["prompt", "bad/ask"]],
    );
    for words in tables.iter().chain(raw) {
        let mut all = vec!["--json"];
        all.extend(*words);
        let output = run(&setup, &all).await;
        check_safe(&all, &output.stdout);
        check_safe(&all, &output.stderr);
        for document in serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>() {
            document.unwrap_or_else(|error| panic!("{all:?}: {error}"));
        }
        let output = run(&setup, words).await;
        check_safe(words, &output.stderr);
        if tables.contains(words) {
            check_safe(words, &output.stdout);
        }
    }
    // JSON escapes the text, which is otherwise unchanged.
    let output = run(&setup, &["--json", "tools"]).await;
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let said = listed["tools"].as_array().unwrap().iter().filter(|tool| tool["title"] == HOSTILE);
    assert_eq!(said.count(), 2, "{listed}");
    let output = run(&setup, &["--json", "call", "bad/say"]).await;
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["content"][0]["text"], HOSTILE);
}

/// Runs a command on a terminal of this size and without colours; what it showed.
pub(crate) async fn on_terminal(
    setup: &Setup,
    size: (u16, u16),
    steps: &[(&str, &str)],
    words: &[&str],
) -> (i32, String) {
    on_terminal_with(setup, &[("TERM", "xterm"), ("NO_COLOR", "1")], size, steps, words).await
}

/// Runs a command on a terminal of this size, with these variables, and without those that are empty; what it
/// showed.
pub(crate) async fn on_terminal_with(
    setup: &Setup,
    variables: &[(&str, &str)],
    size: (u16, u16),
    steps: &[(&str, &str)],
    words: &[&str],
) -> (i32, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/upstreams/terminal.py");
    let command = setup.hobnob(words);
    let mut terminal = tokio::process::Command::new("python3");
    terminal.arg(script).arg(size.0.to_string()).arg(size.1.to_string());
    terminal.arg(serde_json::to_string(steps).unwrap());
    terminal.arg(command.as_std().get_program()).args(command.as_std().get_args());
    for (key, value) in command.as_std().get_envs() {
        match value {
            Some(value) => terminal.env(key, value),
            None => terminal.env_remove(key),
        };
    }
    terminal.env_remove("NO_COLOR");
    for (key, value) in variables {
        match value.is_empty() {
            true => terminal.env_remove(key),
            false => terminal.env(key, value),
        };
    }
    terminal.current_dir(setup.home.join("project"));
    let output = within("the terminal", terminal.output()).await.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(errors.is_empty(), "{errors}\n{shown}");
    (output.status.code().unwrap(), shown)
}

#[tokio::test]
async fn a_person_at_a_terminal_sees_the_whole_call_by_pages() {
    let Some(mut setup) = setup("pages").await else { return };
    setup.settings("").write();
    let end = "; rm -rf /home/me";
    for (size, length) in [((24, 80), 5000), ((8, 20), 300), ((40, 200), 40_000)] {
        let given = format!("text={}{end}", "0123456789".repeat(length / 10));
        let skipping = 20_000 < length;
        let (up, enter) = ("\u{1b}[A", "\r");
        let yes = format!("{up}{up}{enter}");
        let mut steps = vec![("May it run?", yes.as_str())];
        if skipping {
            steps.insert(0, ("-- page 1 of", "s"));
        }
        let (code, shown) = on_terminal(&setup, size, &steps, &["call", "bad/say", &given]).await;
        assert_eq!(code, 0, "{size:?} {shown}");
        // Without the words below each page, which are wiped away, and without line breaks.
        let pages = shown.split("\u{1b}[2K").map(|it| it.split("-- page").next().unwrap());
        let flat: String = pages.flat_map(str::chars).filter(|it| !it.is_whitespace()).collect();
        assert_eq!(flat.contains("SHA-256"), 16 << 10 < length, "{size:?} {shown}");
        assert_eq!(flat.contains(";rm-rf/home/me"), !skipping, "{size:?} {shown}");
        assert_eq!(flat.contains("(skipped"), skipping, "{size:?} {shown}");
        // Control characters in the result are made visible, too.
        assert!(shown.contains("x\\u{9b}2J"), "{size:?} {shown}");
    }
    let steps = [("May it run?", "\r")];
    let (code, shown) = on_terminal(&setup, (24, 80), &steps, &["call", "bad/say"]).await;
    assert_eq!(code, 4, "Enter alone refuses: {shown}");
}

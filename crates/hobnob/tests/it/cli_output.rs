//! What reaches standard output: exactly the text of a result in a file, a closed line on a
//! terminal, and no complaint when the reader has gone.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::cli_config_home::Home;
use crate::cli_terminal::on_terminal_with;
use crate::program::PROGRAM;

/// A server whose only tool answers with what is in a file.
const SCRIPT: &str = r#"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case "$line" in
  *'"method":"initialize"'*)
    reply '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"one","version":"1"}}' ;;
  *'"method":"tools/list"'*)
    reply '{"tools":[{"name":"answer","description":"Answers","inputSchema":{"type":"object"}}]}' ;;
  *'"method":"tools/call"'*) reply "$(cat "$1")" ;;
  *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"what?"}}\n' "$id" ;;
  esac
done
"#;

fn home() -> Home {
    let home = Home::new();
    home.write("server.sh", SCRIPT);
    let words = [home.path("server.sh"), home.path("result.json")];
    let servers = json!({"mcpServers": {"one": {"command": "sh", "args": words}}});
    home.write("hobnob/config/mcp.json", &servers.to_string());
    let allow = "[[permissions]]\ntool = \"*\"\naction = \"allow\"\n";
    home.write("hobnob/config/config.toml", allow);
    home
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

#[test]
fn a_redirected_result_is_exactly_its_text() {
    let home = home();
    let picture = json!({"type": "image", "data": "AP8=", "mimeType": "image/png"});
    let link = json!({"type": "resource_link", "uri": "note://x", "name": "x"});
    let inside = json!({"type": "resource", "resource": {"uri": "note://y", "text": "inside"}});
    let data = json!({"a": [1, 2]});
    let cases = [
        (json!({"content": [text("no line break")]}), "no line break", ""),
        (json!({"content": [text("one\n")]}), "one\n", ""),
        (
            json!({"content": [text("\u{1b}[31mred\u{1b}[0m\u{202e}")]}),
            "\u{1b}[31mred\u{1b}[0m\u{202e}",
            "",
        ),
        (json!({"content": [text("a"), text("b\n"), text("c")]}), "a\nb\nc", ""),
        (json!({"content": [text("words")], "structuredContent": data}), "words", ""),
        (
            json!({"content": [text("{\"a\":[1,2]}")], "structuredContent": data}),
            "{\"a\":[1,2]}",
            "",
        ),
        (
            json!({"content": [], "structuredContent": data}),
            "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n",
            "",
        ),
        (
            json!({"content": [text("see"), picture, link]}),
            "see",
            "[image, image/png, 2 bytes; save it with --save DIR]\n[resource x: mcp://one/note://x]\n",
        ),
        (json!({"content": [inside]}), "inside", ""),
        (json!({"content": [text("")]}), "", ""),
    ];
    for (result, stdout, stderr) in cases {
        home.write("result.json", &result.to_string());
        let run = home.ok(&["call", "one/answer"]);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (stdout, stderr), "{result}");
        let whole = home.json(0, &["call", "one/answer"]);
        let count = |it: &Value| it["content"].as_array().unwrap().len();
        assert_eq!(count(&whole), count(&result), "--json has everything");
        assert_eq!(whole["structuredContent"], result["structuredContent"]);
    }
}

#[test]
fn text_on_a_terminal_ends_with_its_line() {
    let home = home();
    let plain = [("NO_COLOR", "1")];
    let shown = |result: &Value, words: &[&str]| {
        home.write("result.json", &result.to_string());
        let run = on_terminal_with(&home, 80, &[], words, &plain);
        assert_eq!(run.code, 0, "{}", run.stdout);
        run.stdout.rsplit('\r').next().unwrap().replace("\u{1b}[2K", "").to_owned()
    };
    let call = ["call", "one/answer"];
    for words in ["same", "same\n"] {
        assert_eq!(shown(&json!({"content": [text(words)]}), &call), "same\n");
        let run = ["run", "one.answer"];
        assert_eq!(shown(&json!({"content": [text(words)]}), &run), "same\n");
    }
    // What a person reads is indented where the text only repeats the data.
    let data = json!({"content": [text("{\"a\":1}")], "structuredContent": {"a": 1}});
    assert_eq!(shown(&data, &call), "{\n  \"a\": 1\n}\n");
    assert_eq!(shown(&json!({"content": [text("\u{1b}[2J")]}), &call), "\\u{1b}[2J\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_on_a_terminal_ends_with_its_line() {
    let home = home();
    let folder = home.path("granted");
    std::fs::create_dir(&folder).unwrap();
    home.ok(&["enable", "shell"]);
    home.ok(&["grant", "shell", "--as-root", "--in", folder.to_str().unwrap(), "--line"]);
    let words = ["run", "shell.execute", "command=printf 'half a line'"];
    assert_eq!(home.ok(&words).stdout, "half a line", "a program gets what there is");
    let run = on_terminal_with(&home, 80, &[], &words, &[("NO_COLOR", "1")]);
    assert!(run.stdout.ends_with("half a line\n"), "{:?}", run.stdout);
    let words = ["run", "shell.execute", "command=printf 'a\\n'; exit 3"];
    let run = on_terminal_with(&home, 80, &[], &words, &[("NO_COLOR", "1")]);
    assert_eq!(run.code, 3);
    assert!(run.stdout.ends_with("a\n") && !run.stdout.ends_with("\n\n"), "{:?}", run.stdout);
}

#[test]
fn memories_are_exported_to_standard_output_by_a_dash() {
    let home = home();
    home.ok(&["memory", "capture", "Orders are kept in PostgreSQL"]);
    let plain = home.ok(&["memory", "export"]).stdout;
    let dash = home.ok(&["memory", "export", "-"]).stdout;
    assert_eq!(plain, dash);
    let line: Value = serde_json::from_str(dash.trim_end()).unwrap();
    assert_eq!(line["content"], "Orders are kept in PostgreSQL", "{line}");
    assert!(!home.path("project/-").exists(), "no file has this name");
    let file = home.path("memories.jsonl");
    let run = home.ok(&["memory", "export", file.to_str().unwrap()]);
    assert!(run.stdout.starts_with("wrote 1 memory to "), "{}", run.stdout);
}

/// Every command that prints something by itself, with a reader that has gone.
#[test]
fn a_closed_pipe_is_a_quiet_end() {
    let home = home();
    home.write("result.json", &json!({"content": [text(&"long\n".repeat(100_000))]}).to_string());
    home.ok(&["tools"]);
    home.ok(&["memory", "capture", "Something"]);
    let commands: [&[&str]; 20] = [
        &["--help"],
        &["--version"],
        &["list"],
        &["show", "one"],
        &["status"],
        &["tools"],
        &["--json", "tools"],
        &["resources"],
        &["prompts"],
        &["call", "one/answer"],
        &["--json", "call", "one/answer"],
        &["run", "one.answer"],
        &["run", "schema"],
        &["read", "hobnob://status"],
        &["memory", "list"],
        &["memory", "export", "-"],
        &["grants"],
        &["audit"],
        &["completions", "bash"],
        &["completions", "bash", "--fixed"],
    ];
    for words in commands {
        let mut command = home.command(words);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{words:?}");
    }
    // As it is typed.
    let line = format!("'{PROGRAM}' tools | head -1");
    let mut shell = Command::new("bash");
    shell.args(["-o", "pipefail", "-c", &line]).current_dir(home.path("project"));
    let output = shell.env("HOBNOB_HOME", home.path("hobnob")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 1);
}

//! `allow`, `ask`, `deny`, `add-json` and `show`: what they write, show and refuse.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::json;

use crate::cli_config_home::{Home, read_json};

#[test]
fn rules_are_written_for_what_was_typed() {
    let home = Home::new();
    home.write("hobnob/config/config.toml", "# mine\n");
    home.ok(&["add", "files", "--", "server"]);
    let cases = [
        ("allow", "files/read_*", json!({"server": "files", "tool": "read_*"})),
        ("deny", "files", json!({"server": "files", "tool": "*"})),
        ("ask", "mcp__files__write", json!({"server": "files", "tool": "write"})),
        ("deny", "memory_*", json!({"tool": "memory_*"})),
    ];
    for (verb, typed, expected) in &cases {
        for change in ["added", "unchanged"] {
            let written = home.json(0, &[verb, typed]);
            assert_eq!(written[0]["change"], change, "{verb} {typed}: {written}");
            assert_eq!(written[0]["action"], *verb);
            for key in ["server", "tool"] {
                assert_eq!(written[0][key], expected[key], "{verb} {typed}: {written}");
            }
        }
    }
    let changed = home.ok(&["allow", "files", "files/read_*"]);
    assert!(changed.stdout.starts_with("files/*: allow (was: deny), in "), "{}", changed.stdout);
    assert!(changed.stdout.contains("files/read_*: allow (as before)"), "{}", changed.stdout);
    let text = fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap();
    assert!(text.starts_with("# mine\n\n[[permissions]]\n"), "{text}");
    assert_eq!(text.matches("[[permissions]]").count(), cases.len(), "{text}");
}

#[test]
fn a_rule_that_another_one_overrules_says_so() {
    let home = Home::new();
    home.ok(&["add", "files", "--", "server"]);
    let by_name = "[[permissions]]\ntool = \"mcp__files__write\"\naction = \"deny\"\n";
    home.write("hobnob/config/config.toml", by_name);
    for typed in ["files/write", "mcp__files__write"] {
        let run = home.ok(&["allow", typed]);
        let words = "this rule does not decide about files/write: denied by rule ";
        assert!(run.stderr.contains(words), "{typed}: {}", run.stderr);
        assert!(run.stderr.contains("mcp__files__write"), "{typed}: {}", run.stderr);
        let written = home.json(0, &["allow", typed]);
        assert!(written[0]["overruled"].is_string(), "{typed}: {written}");
    }
    for typed in ["files/*", "files"] {
        let run = home.ok(&["allow", typed]);
        assert_eq!(run.stderr, "", "{typed}");
    }
    // The server never ran, and that is all there is to say.
    let run = home.ok(&["allow", "files/read"]);
    assert!(!run.stderr.contains("does not decide"), "{}", run.stderr);
    assert!(run.stderr.contains("the tools of files are not known yet"), "{}", run.stderr);
}

#[test]
fn a_program_that_hobnob_started_writes_no_rules() {
    let home = Home::new();
    for verb in ["allow", "ask", "deny"] {
        let mut command = home.command(&[verb, "anything"]);
        let output = command.env("HOBNOB_INSTANCES", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("changed by a person"));
    }
    assert!(!home.path("hobnob/config/config.toml").exists());
}

#[test]
fn an_entry_is_taken_as_json() {
    let home = Home::new();
    let entry = json!({"command": "server", "args": ["a b"], "env": {"K": "${K:-x}"}});
    let added = home.json(0, &["add-json", "one", &entry.to_string()]);
    assert_eq!(added["starts"][0], "server 'a b'");
    assert_eq!(read_json(&home.own())["mcpServers"]["one"], entry);
    let whole = json!({"mcpServers": {"other-name": {"url": "https://host/mcp"}}}).to_string();
    let mut piped = home.command(&["add-json", "two", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    piped.stdin.take().unwrap().write_all(whole.as_bytes()).unwrap();
    assert!(piped.wait().unwrap().success());
    assert_eq!(read_json(&home.own())["mcpServers"]["two"], json!({"url": "https://host/mcp"}));
    for (typed, reason) in [
        ("{", "not JSON"),
        ("[]", "a JSON object"),
        (r#"{"mcpServers": {"a": {}, "b": {}}}"#, "several servers"),
        ("{}", "command"),
    ] {
        let refused = home.run(&["add-json", "three", typed]);
        assert_eq!(refused.code, 2, "{typed}: {}", refused.stderr);
        assert!(refused.stderr.contains(reason), "{typed}: {}", refused.stderr);
    }
    assert!(read_json(&home.own())["mcpServers"].get("three").is_none());
}

#[test]
fn one_server_is_shown_without_its_secrets() {
    let home = Home::new();
    let variables =
        ["--env", "TOKEN=very-secret", "--env", "KEY=${PATH}", "--env", "K=${K:-very-secret}"];
    home.ok(&[&["add", "one"], &variables[..], &["--", "server", "--flag"]].concat());
    let shown = home.ok(&["show", "one"]).stdout;
    assert!(shown.contains("server --flag") && shown.contains("never run"), "{shown}");
    let whole = home.json(0, &["show", "one"]);
    assert_eq!(whole["server"]["state"], "on", "{whole}");
    let starts = json!(["server --flag", "with K=…", "with KEY=${PATH}", "with TOKEN=…"]);
    assert_eq!(whole["starts"], starts, "{whole}");
    for text in [shown, whole.to_string()] {
        assert!(!text.contains("very-secret"), "{text}");
    }
    let unknown = home.run(&["show", "two"]);
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
    assert!(unknown.stderr.contains("configured: one"), "{}", unknown.stderr);
}

//! Arguments become requests, or are refused before any grant is asked.

use super::{ExecuteArguments, RunArguments, StartArguments, shown};
use hobnob_policy::{CommandText, CommandWish};
use serde_json::{Value, json};
use std::time::Duration;

fn run(arguments: Value) -> Result<CommandWish, String> {
    serde_json::from_value::<RunArguments>(arguments).unwrap().into_wish(Duration::from_secs(60))
}

fn problem(arguments: Value) -> String {
    run(arguments).err().unwrap()
}

#[test]
fn a_command_is_words_or_a_line() {
    let wish = run(json!({"argv": ["ls", "-l", "$HOME; *"], "cwd": "p", "stdin": "in",
        "env": {"B": "2", "A": "1"}, "timeout_ms": 5}));
    let wish = wish.unwrap();
    let words = ["ls", "-l", "$HOME; *"].map(str::to_owned).to_vec();
    assert!(wish.command == CommandText::Words(words));
    assert_eq!(wish.folder.as_deref(), Some("p"));
    assert_eq!(wish.input, b"in");
    assert_eq!(wish.environment, [("A".into(), "1".into()), ("B".into(), "2".into())]);
    assert_eq!(wish.timeout, Duration::from_millis(5));
    let wish = run(json!({"command": "ls | wc"})).unwrap();
    assert!(wish.command == CommandText::Line("ls | wc".into()));
    assert_eq!(wish.timeout, Duration::from_secs(60));
    let execute: ExecuteArguments = serde_json::from_value(json!({"command": "ls"})).unwrap();
    assert!(
        execute.into_wish(Duration::from_secs(60)).unwrap().command
            == CommandText::Line("ls".into())
    );
    let start: StartArguments = serde_json::from_value(json!({"argv": ["cat"]})).unwrap();
    assert!(start.into_wish().unwrap().input.is_empty());
}

#[test]
fn nonsense_is_refused() {
    assert!(problem(json!({})).contains("give `argv`"));
    assert!(problem(json!({"argv": ["a"], "command": "a"})).contains("not both"));
    assert!(problem(json!({"argv": ["a"], "timeout_ms": 0})).contains("at least 1"));
    assert!(problem(json!({"argv": ["a"], "timeout_ms": 600_001})).contains("600000 at most"));
    let long = "x".repeat((1 << 20) + 1);
    assert!(problem(json!({"argv": ["a"], "stdin": long})).contains("`stdin`"));
    assert!(problem(json!({"argv": ["a"], "env": {"A": &long[..70_000]}})).contains("`env`"));
}

#[test]
fn a_long_command_is_shown_in_short() {
    assert_eq!(shown(&CommandText::Words(vec!["ls".into(), "-l".into()])), "ls -l");
    let long = shown(&CommandText::Line("ü".repeat(500)));
    assert!(long.len() < 210 && long.ends_with('…'), "{long}");
}

//! What Tab completes, and where Enter begins another line.

use super::{ChatWords, is_incomplete};
use std::fs;

#[test]
fn commands_prompts_files_and_resources_are_completed() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/main.rs"), "").unwrap();
    fs::write(folder.path().join(".secret"), "").unwrap();
    let words = ChatWords::new(folder.path());
    let servers = vec!["one".into(), "other".into()];
    words.set(vec!["mcp__x__review".into()], vec!["memory://all".into()], servers);
    let complete = |line: &str| words.complete(line);
    assert_eq!(complete("/mo"), (1, vec!["model".to_owned()]));
    assert_eq!(complete("/mcp_"), (1, vec!["mcp__x__review".to_owned()]));
    assert_eq!(complete("/model x"), (8, vec![]));
    assert_eq!(complete("/mcp re"), (5, vec!["reconnect".to_owned()]));
    assert_eq!(complete("/mcp login "), (11, vec!["one".to_owned(), "other".to_owned()]));
    assert_eq!(complete("/mcp reconnect on"), (15, vec!["one".to_owned()]));
    assert_eq!(complete("/mcp nothing o"), (14, vec![]));
    assert_eq!(complete("look at @s"), (9, vec!["src/".to_owned()]));
    assert_eq!(complete("look at @src/m"), (9, vec!["src/main.rs".to_owned()]));
    assert_eq!(complete("@mem"), (1, vec!["memory://all".to_owned()]));
    assert_eq!(complete("@.s"), (1, vec![".secret".to_owned()]));
    assert_eq!(complete("mail@s"), (6, vec![]));
}

#[test]
fn a_line_goes_on_after_a_backslash_and_in_a_fence() {
    assert!(is_incomplete("one \\") && is_incomplete("```rust\nfn"));
    assert!(!is_incomplete("one") && !is_incomplete("```\ncode\n```"));
}

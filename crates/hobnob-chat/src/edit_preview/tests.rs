//! Which calls are edits, and what they change.

use super::{EditPreview, is_diff};
use hobnob_llm::{ToolInput, ToolUse};
use serde_json::{Value, json};
use std::path::Path;

fn preview(tool: &str, arguments: &Value, project: &Path) -> Option<(String, String)> {
    let input = ToolInput::parse(&arguments.to_string()).unwrap();
    let call = ToolUse { id: "1".into(), name: tool.into(), input };
    let EditPreview { arguments, lines } = EditPreview::of(&call, project)?;
    Some((arguments, lines.join("\n")))
}

#[test]
fn edits_are_recognised_by_the_names_of_their_arguments() {
    let rest = r#"{"path":"a.rs"}"#;
    let swapped = "-one\n+two";
    let cases = [
        (json!({"path": "a.rs", "old_string": "one", "new_string": "two"}), Some((rest, swapped))),
        (
            json!({"path": "a.rs", "edits": [{"oldText": "one", "newText": "two"}]}),
            Some((rest, swapped)),
        ),
        (
            json!({"path": "a.rs", "edits": [{"old": "one", "new": "two"}, {"old": "x", "new": ""}]}),
            Some((rest, "-one\n+two\n ⋮\n-x")),
        ),
        // What the lines do not show stays among the arguments.
        (
            json!({"edits": [{"old": "one", "new": "two", "all": true}]}),
            Some((r#"{"edits":[{"all":true}]}"#, swapped)),
        ),
        (json!({"path": "a.rs", "content": "two\n"}), Some((rest, "+two"))),
        (
            json!({"patch": "--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two"}),
            Some(("{}", "--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two")),
        ),
        (json!({"path": "a.rs", "content": "AAAA", "encoding": "base64"}), None),
        (json!({"content": "no file is named"}), None),
        (json!({"old": 1, "new": 2}), None),
        (json!({"edits": [{"old": "one"}]}), None),
        (json!({"patch": "not a diff"}), None),
        (json!({}), None),
    ];
    for (arguments, expected) in cases {
        let expected = expected.map(|(rest, lines)| (rest.to_owned(), lines.to_owned()));
        assert_eq!(preview("mcp__x__edit", &arguments, Path::new("/")), expected, "{arguments}");
    }
}

#[test]
fn only_our_own_tool_compares_with_a_file_of_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let before: String = (1..=9).map(|line| format!("line {line}\n")).collect();
    std::fs::write(folder.path().join("a.txt"), &before).unwrap();
    let write = json!({"path": "a.txt", "content": before.replace("line 5", "LINE 5")});
    let (_, lines) = preview("files_write", &write, folder.path()).unwrap();
    assert_eq!(lines, " line 3\n line 4\n-line 5\n+LINE 5\n line 6\n line 7");
    let (_, lines) = preview("mcp__far__write", &write, folder.path()).unwrap();
    assert_eq!(lines.lines().filter(|line| line.starts_with('+')).count(), 9, "{lines}");
    let folder_itself = json!({"path": ".", "content": "x"});
    assert_eq!(preview("files_write", &folder_itself, folder.path()).unwrap().1, "+x");
}

#[test]
fn a_diff_has_a_hunk() {
    assert!(is_diff("changed 1 place\n--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y"));
    assert!(!is_diff("- one\n+ two\n@@ -"));
    assert!(!is_diff("@@ nothing"));
}

//! Counting calls, up to the limit and beyond it.

use super::{MAX_TOOLS, ToolUses};

#[test]
fn calls_are_counted_for_each_tool_of_each_server() {
    let uses = ToolUses::default();
    let asked = [("git", "log"), ("git", "diff"), ("files", "log")];
    assert_eq!(uses.of(asked.into_iter()), [0; 0]);
    uses.count("git", "log");
    uses.count("git", "log");
    uses.count("files", "log");
    assert_eq!(uses.of(asked.into_iter()), [2, 0, 1]);
}

#[test]
fn what_is_called_least_is_forgotten_when_there_are_too_many() {
    let uses = ToolUses::default();
    for _ in 0..4 {
        uses.count("often", "used");
    }
    for number in 0..2 * MAX_TOOLS {
        uses.count("seldom", &number.to_string());
    }
    let last = (2 * MAX_TOOLS - 1).to_string();
    let asked = [("often", "used"), ("seldom", "0"), ("seldom", last.as_str())];
    // Halved twice, and still counted.
    assert_eq!(uses.of(asked.into_iter()), [1, 0, 1]);
    assert!(uses.counts().names <= MAX_TOOLS);
}

#[test]
fn nothing_is_added_while_all_of_them_are_used_often() {
    let uses = ToolUses::default();
    for number in 0..MAX_TOOLS {
        for _ in 0..9 {
            uses.count("often", &number.to_string());
        }
    }
    uses.count("new", "one");
    assert_eq!(uses.of([("new", "one"), ("often", "7")].into_iter()), [0, 4]);
}

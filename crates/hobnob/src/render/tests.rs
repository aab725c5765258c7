//! What is shown, without a terminal.

use super::{Block, Cell, Table, one_line, safe, unified};

#[test]
fn strangers_cannot_move_the_cursor() {
    assert_eq!(safe("a\x1b[2Jb\nc"), "a\\u{1b}[2Jb\nc");
    assert_eq!(one_line(" a\n\n b\tc\r\x07"), "a b c \\u{7}");
    let mut block = Block::new();
    block.pair("key\u{202e}", "value\u{200b}");
    assert_eq!(block.to_text(), "key\\u{202e}  value\\u{200b}\n");
}

#[test]
fn a_row_is_one_line_without_a_terminal() {
    let mut table = Table::new(&["NAME", "WHAT"]);
    assert!(table.is_empty());
    table.row([Cell::from("a"), Cell::from("first\nsecond")]);
    table.row([Cell::from("longer"), Cell::from("x".repeat(300))]);
    let text = table.to_text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "NAME    WHAT");
    assert_eq!(lines[1], "a       first second");
    assert_eq!(lines[2], format!("longer  {}", "x".repeat(300)));
    assert_eq!(lines.len(), 3);
}

#[test]
fn blocks_line_up() {
    let mut block = Block::new();
    block.pair("a", "1\n2").maybe("none", None).maybe("longer", Some("3")).pair("empty", "");
    assert_eq!(block.to_text(), "a       1\n        2\nlonger  3\nempty\n");
}

#[test]
fn a_diff_shows_what_would_change() {
    assert_eq!(unified("f", "a\n", "a\n"), "");
    let text = unified("f", "a\nb\n", "a\nc\x1b\n");
    assert!(text.starts_with("--- f (before)\n+++ f (after)\n"), "{text}");
    assert!(text.ends_with(" a\n-b\n+c\\u{1b}\n"), "{text}");
}

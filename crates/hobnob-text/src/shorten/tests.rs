//! Texts and what is left of them after a cut.

use super::*;

#[test]
fn texts_are_cut_between_characters() {
    for (text, limit, first, ellipsized) in [
        ("", 0, "", ""),
        ("a", 0, "", "…"),
        ("añb", 2, "añ", "añ…"),
        ("añb", 3, "añb", "añb"),
        ("漢字", 9, "漢字", "漢字"),
    ] {
        assert_eq!(first_chars(text, limit), first);
        assert_eq!(ellipsize(text, limit), ellipsized);
    }
}

#[test]
fn escapes_do_not_count_toward_the_limit() {
    assert_eq!(escaped_start("a\n\u{1b}ü\"x", 4), "a\\n\\u{1b}ü");
}

#[test]
fn lines_are_one_short_line() {
    assert_eq!(&*plain_line(" a\r\n\u{1b}[31mb ", 300), "a   [31mb");
    assert_eq!(plain_line(&"ü".repeat(1000), 300).chars().count(), 300);
    assert_eq!(single_spaced("  a\n\tb  c "), "a b c");
}

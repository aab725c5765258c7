//! Text as it arrives: the parts that are shown at once, and those that wait and how long.

use hobnob_markdown::{Colour, Style};

use crate::terminal::{text, written};

/// Checks the text that each piece shows, without styles; the last one is the end of the text.
fn check(colour: Colour, pieces: &[&str], expected: &[&str]) {
    let written = written(Style::Terminal { colour, width: 20 }, pieces.iter().copied());
    let shown: Vec<String> = written.iter().map(|it| text(it)).collect();
    assert_eq!(shown, expected, "{colour:?} {pieces:?}");
}

fn check_both(pieces: &[&str], expected: &[&str]) {
    check(Colour::Off, pieces, expected);
    check(Colour::On, pieces, expected);
}

#[test]
fn the_first_piece_is_shown_at_once() {
    check_both(&["H", "el", "lo"], &["H", "el", "lo", "\n"]);
    check_both(&["Hello", " wor", "ld", " again"], &["Hello", "", "", " world", " again\n"]);
    check_both(&["漢", "字", "だ"], &["漢", "", "字", "だ\n"]);
}

#[test]
fn a_word_in_a_line_waits_for_its_end() {
    check_both(
        &["one two three four", "teen", " five"],
        &["one two three", "", "\nfourteen", " five\n"],
    );
    // A word that is longer than a line is shown as soon as it is too long.
    check_both(&["a bbbbbbbbbbbbbbbbbbbb", "b"], &["a", "\nbbbbbbbbbbbbbbbbbbbb", "\nb\n"]);
}

#[test]
fn a_selector_that_makes_the_last_character_wider_moves_it() {
    let line = "a".repeat(19);
    let check_cut = |pieces: &[&str]| {
        let style = Style::Terminal { colour: Colour::On, width: 20 };
        let expected = [&line, "\n⚠\u{fe0f}b\n"].concat();
        assert_eq!(text(&written(style, pieces.iter().copied()).concat()), expected, "{pieces:?}");
    };
    check_cut(&[&line, "⚠", "\u{fe0f}", "b"]);
    check_cut(&[&line, "⚠\u{fe0f}b"]);
}

#[test]
fn marks_of_blocks_wait_for_one_character() {
    check_both(&["-", " ", "a"], &["", "", "• a", "\n"]);
    check_both(&["12", ".", " ", "a"], &["", "", "", "12. a", "\n"]);
    check_both(&["12", ".5"], &["", "12.5", "\n"]);
    check_both(&[">", " ", "a"], &["", "", "│ a", "\n"]);
    check_both(&["--", "-", "\n"], &["", "", &format!("{}\n", "─".repeat(20)), ""]);
    check_both(&["-", "-v"], &["", "--v", "\n"]);
    check(Colour::Off, &["#", "# ", "a"], &["", "##", "", " a\n"]);
    check(Colour::On, &["#", "# ", "a"], &["", "", "a", "\n"]);
}

#[test]
fn marks_inside_a_line_wait_for_their_partner() {
    check(Colour::On, &["*", "a b", "*", " "], &["", "", "", "a b", "\n"]);
    check(Colour::Off, &["*", "a b", "*", " "], &["", "*a", "", " b*", "\n"]);
    check(Colour::On, &["**a b", "\n"], &["", "**a b\n", ""]);
    check(Colour::On, &["`a b", "` ", "c"], &["", "a b", "", " c\n"]);
    check(Colour::On, &["[a", "](b", ") c"], &["", "", "a (b)", " c\n"]);
    check(Colour::On, &["[a", "] c"], &["", "[a]", " c\n"]);
    check(Colour::On, &["a * b", " "], &["a *", " b", "\n"]);
}

#[test]
fn a_mark_without_a_partner_waits_no_longer_than_its_limit() {
    let long = "word ".repeat(500);
    let written = written(Style::Terminal { colour: Colour::On, width: 20 }, ["*", &long]);
    assert_eq!(written[0], "");
    assert!(text(&written[1]).starts_with("*word word word word\n"), "{:?}", written[1]);
}

#[test]
fn code_waits_for_its_line_and_a_table_for_its_end() {
    check_both(&["```\nlet", " a", "\n", "```\n"], &["```\n", "", "let a\n", "```\n", ""]);
    let long = "x".repeat(1024);
    check_both(&["```\n", &long, "y"], &["```\n", &long, "", "y\n"]);
    check_both(
        &["|a|b|\n", "|-|-|\n", "|cc|d|\n", "\n"],
        &["", "", "", "a  │ b\n───┼──\ncc │ d\n", ""],
    );
    check_both(&["|a|", "\n", "b"], &["", "", "|a|\nb", "\n"]);
}

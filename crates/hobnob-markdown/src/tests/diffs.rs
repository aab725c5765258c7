//! Diffs: their lines and their colours.

use crate::{Colour, Style, render_diff, render_unified, signed_lines, unified};

const COLOURED: Style = Style::Terminal { colour: Colour::On, width: 80 };
const PLAIN: Style = Style::Terminal { colour: Colour::Off, width: 80 };

#[test]
fn a_diff_shows_what_would_change() {
    assert_eq!(unified("f", "a\n", "a\n"), "");
    let text = unified("f", "a\nb\n", "a\nc\x1b\n");
    assert!(text.starts_with("--- f (before)\n+++ f (after)\n"), "{text}");
    assert!(text.ends_with(" a\n-b\n+c\\u{1b}\n"), "{text}");
}

#[test]
fn a_diff_has_hunks_with_lines_around_them() {
    let before: String = (1..=20).map(|line| format!("{line}\n")).collect();
    let after = before.replace("\n3\n", "\nthree\n").replace("\n20\n", "\n20\n21");
    let expected = "--- f (before)\n+++ f (after)\n\
        @@ -1,6 +1,6 @@\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n\
        @@ -18,3 +18,4 @@\n 18\n 19\n 20\n+21\n\\ No newline at end of file\n";
    assert_eq!(unified("f", &before, &after), expected);
}

#[test]
fn a_diff_has_colours_where_they_are_allowed() {
    let lines = "--- f (before)\n+++ f (after)\n@@ -1,2 +1,2 @@\n a \n-b\n+c\\u{1b}\n";
    assert_eq!(render_diff("f", "a \nb\n", "a \nc\x1b\n", Style::Piped), lines);
    assert_eq!(render_diff("f", "a \nb\n", "a \nc\x1b\n", PLAIN), lines);
    let coloured = render_diff("f", "a \nb\n", "a \nc\x1b\n", COLOURED);
    assert!(
        coloured.ends_with("\n a \n\x1b[31m-b\x1b[0m\n\x1b[32m+c\\u{1b}\x1b[0m\n"),
        "{coloured:?}"
    );
    assert_eq!(render_unified("+\x1b[0m", COLOURED), "\x1b[32m+\\u{1b}[0m\x1b[0m\n");
}

#[test]
fn a_name_is_never_a_line_of_the_diff() {
    let text = unified("f\n-gone\t", "a", "b");
    assert!(text.starts_with("--- f -gone  (before)\n+++ f -gone  (after)\n@@"), "{text}");
}

#[test]
fn a_change_that_is_too_large_is_shown_as_old_and_new() {
    // The line in the middle is in both texts; looking for it would take too long.
    let lines = |name: &str| {
        let line =
            |line: usize| if line == 10_000 { "same\n".into() } else { format!("{name}{line}\n") };
        format!("a\n{}z\n", (0..=20_000).map(line).collect::<String>())
    };
    let (before, after) = (lines("old"), lines("new"));
    let signs: String = signed_lines(&before, &after).iter().map(|line| line.0).collect();
    let expected = format!(" {}{} ", "-".repeat(20_001), "+".repeat(20_001));
    assert!(signs == expected, "{} lines", signs.len());
}

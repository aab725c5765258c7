//! Lines that arrive in pieces cut anywhere.

use super::{LineSplitter, MAX_LINE_BYTES, SplitLine};

fn lines(pieces: &[&str]) -> Vec<String> {
    let mut splitter = LineSplitter::default();
    let mut found = Vec::new();
    let mut take = |line: SplitLine<'_>| {
        found.push(match line {
            SplitLine::Whole(line) => line.to_owned(),
            SplitLine::TooLong => "too long".into(),
        });
    };
    for piece in pieces {
        splitter.push(piece, &mut take);
    }
    splitter.finish(&mut take);
    found
}

#[test]
fn lines_are_the_same_wherever_pieces_are_cut() {
    let text = "{\"a\":1}\r\n\n  \n{\"ü\":\"🦀\"}\nlast";
    let expected = ["{\"a\":1}", "{\"ü\":\"🦀\"}", "last"];
    assert_eq!(lines(&[text]), expected);
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for first in &places {
        for second in places.iter().filter(|it| first <= *it) {
            let pieces = [&text[..*first], &text[*first..*second], &text[*second..]];
            assert_eq!(lines(&pieces), expected, "{first} {second}");
        }
    }
}

#[test]
fn a_line_without_end_is_forgotten_and_the_next_one_counts() {
    let half = "x".repeat(MAX_LINE_BYTES / 2 + 1);
    assert_eq!(lines(&["a\n", &half, &half, &half, "\nb\n"]), ["a", "too long", "b"]);
    assert_eq!(lines(&[&half, &half]), ["too long"]);
    let exact = "y".repeat(MAX_LINE_BYTES);
    assert_eq!(lines(&[&exact, "\nb"]), [exact.as_str(), "b"]);
}

//! Where files are cut.

use super::{Cuts, PartSize, Parts};
use std::io::BufReader;

const SIZE: PartSize = PartSize { target: 10, max: 100 };

/// Cuts the text, and compares the parts and the number of lines before each.
fn check(cuts: Cuts, text: &str, expected: &[(u64, &str)]) {
    let mut parts = Parts::new(text.as_bytes(), cuts, SIZE);
    let mut found = Vec::new();
    while let Some(part) = parts.next().unwrap() {
        found.push(part);
    }
    let found: Vec<(u64, &str)> = found.iter().map(|(before, part)| (*before, &**part)).collect();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn markdown_is_cut_before_every_kind_of_header() {
    for header in ["id: 1", "namespace: a", "tag: x\nnamespace: a", "\n  scope: user", "nonsense"] {
        for end in ["\n", "\r\n"] {
            let one = format!("---\n{header}\n---\n\nSome content\n\\---\n----\n\n");
            let one = one.replace('\n', end);
            let lines = one.matches('\n').count() as u64;
            let expected = [(0, one.as_str()), (lines, &one), (2 * lines, &one)];
            check(Cuts::Headers, &one.repeat(3), &expected);
        }
    }
}

#[test]
fn what_is_short_or_has_no_header_stays_whole() {
    check(Cuts::Headers, "", &[(0, "")]);
    check(Cuts::Headers, "---\na:\n---\n", &[(0, "---\na:\n---\n")]);
    let prose = "no header in all of this\nand it is long enough\n";
    check(Cuts::Headers, prose, &[(0, prose)]);
    let before = format!("{prose}---\nnamespace: a\n---\nb");
    check(Cuts::Headers, &before, &[(0, prose), (2, "---\nnamespace: a\n---\nb")]);
}

#[test]
fn other_texts_are_cut_at_any_line() {
    let lines = "{\"one\": 1}\n{}\n{\"two\": 222}\r\nlast";
    let expected = [(0, "{\"one\": 1}\n"), (1, "{}\n{\"two\": 222}\r\n"), (3, "last")];
    check(Cuts::Lines, lines, &expected);
}

#[test]
fn no_more_is_held_than_one_memory_may_have() {
    let long = "a".repeat(SIZE.max + 1);
    let half = "a".repeat(60) + "\n";
    for (cuts, text, problem) in [
        (Cuts::Lines, &*long, "line 1 is in a memory of more than 100 bytes"),
        (Cuts::Headers, &half.repeat(2), "line 2 is in a memory of more than 100 bytes"),
    ] {
        let error = Parts::new(text.as_bytes(), cuts, SIZE).next().unwrap_err();
        assert_eq!(error.to_string(), problem, "{text}");
    }
    let broken = Parts::new(&b"{}\n\xFF"[..], Cuts::Lines, SIZE).next().unwrap_err();
    assert_eq!(broken.to_string(), "line 2 is not UTF-8");
    // A file without a line break and without an end.
    let endless = BufReader::new(std::io::repeat(0));
    Parts::new(endless, Cuts::Lines, SIZE).next().unwrap_err();
}

//! Where files are cut.

use super::parts;

/// The parts of it all, each no longer than a section and a little more.
fn check(format: &str, text: &str, expected: &[(u64, &str)]) {
    let found = parts(text, format, 10);
    assert_eq!(found, expected, "{text:?}");
    let all: String = found.iter().map(|(_, part)| *part).collect();
    assert_eq!(all, text);
}

#[test]
fn markdown_is_cut_before_every_kind_of_header() {
    for header in ["id: 1", "namespace: a", "tag: x\nnamespace: a", "\n  scope: user", "nonsense"] {
        for end in ["\n", "\r\n"] {
            let one = format!("---\n{header}\n---\n\nSome content\n\\---\n----\n\n");
            let one = one.replace('\n', end);
            let lines = one.matches('\n').count() as u64;
            let expected = [(0, one.as_str()), (lines, &one), (2 * lines, &one)];
            check("markdown", &one.repeat(3), &expected);
        }
    }
}

#[test]
fn what_is_short_or_has_no_header_stays_whole() {
    check("markdown", "", &[(0, "")]);
    check("markdown", "---\na:\n---\n", &[(0, "---\na:\n---\n")]);
    let prose = "no header in all of this\nand it is long enough\n";
    check("markdown", prose, &[(0, prose)]);
    let before = format!("{prose}---\nnamespace: a\n---\nb");
    check("markdown", &before, &[(0, prose), (2, "---\nnamespace: a\n---\nb")]);
}

#[test]
fn other_texts_are_cut_at_any_line() {
    let lines = "{\"one\": 1}\n{}\n{\"two\": 222}\r\nlast";
    let expected = [(0, "{\"one\": 1}\n"), (1, "{}\n{\"two\": 222}\r\n"), (3, "last")];
    check("jsonl", lines, &expected);
}

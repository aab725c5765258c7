//! Hostile documents: the work is counted, and is linear in the length of the text.

use hobnob_text::display_safe;

use crate::{Colour, MarkdownStream, Style, steps};

/// Steps per shown character that the worst document needs. A hidden character is shown as eight.
const PER_CHARACTER: u64 = 10;

/// The texts that hostile documents repeat, and their beginnings.
const HOSTILE: &[(&str, &str)] = &[
    ("", "*"),
    ("", "["),
    ("", "> "),
    ("", ">"),
    ("", "`"),
    ("", "~"),
    ("", "_"),
    ("", "- "),
    ("", "* "),
    ("", "1. "),
    ("", "|"),
    ("", "#"),
    ("", "\\"),
    ("", "a"),
    ("", " "),
    ("", "\n"),
    ("", "\t"),
    ("", "漢"),
    ("", "e\u{301}\u{301}\u{301}"),
    ("a a a\u{301}", "\u{301}"),
    ("", "**a"),
    ("", "*a_b~~c"),
    ("", "*a b_ "),
    ("", "*a ] "),
    ("_a ", "*b* "),
    ("**a **a **a ***a ", "b* "),
    ("", "[a]("),
    ("", "[a](b) "),
    ("", "`a``b"),
    ("", "- a\n  "),
    ("", "> - "),
    ("", "|a\n"),
    ("|a|b|\n|-|-|\n", "|c|d|\n"),
    ("|a|b|\n|-|-|\n", "|c"),
    ("", "|a|\n|-|\n"),
    ("```rust\n", "\"/*"),
    ("```rust\n", "let a = \"b\\\" c"),
    ("```\n", "a\n"),
    ("", "```\n"),
    ("", "https://a"),
    ("x ", "https://a"),
    ("", "\x1b[31m"),
    ("", "\u{fe0f}"),
];

fn steps_of(begin: &str, repeated: &str, characters: usize, colour: Colour) -> u64 {
    let count = characters / repeated.chars().count();
    let mut stream = MarkdownStream::new(Style::Terminal { colour, width: 80 });
    steps::taken();
    stream.push(begin);
    let piece = repeated.repeat(count.min(100));
    (0..count / 100).for_each(|_| drop(stream.push(&piece)));
    drop(stream.finish());
    steps::taken()
}

/// The complaints about all hostile documents.
fn complaints(complaint: impl Fn(&str, &str, Colour) -> Option<String>) -> Vec<String> {
    let cases = HOSTILE.iter().flat_map(|case| [(case, Colour::Off), (case, Colour::On)]);
    let found = cases.filter_map(|((begin, repeated), colour)| {
        let found = complaint(begin, repeated, colour)?;
        Some(format!("{begin:?} {repeated:?} {colour:?}: {found}"))
    });
    found.collect()
}

#[test]
fn work_grows_with_the_text_and_not_faster() {
    let found = complaints(|begin, repeated, colour| {
        let once = steps_of(begin, repeated, 50_000, colour);
        let twice = steps_of(begin, repeated, 100_000, colour);
        let shown = |times| display_safe(&repeated.repeat(times)).chars().count() as u64;
        let repetitions = 50_000 / repeated.chars().count() as u64;
        let limit = repetitions * (shown(3) - shown(2)) * PER_CHARACTER;
        let linear = once < limit && twice < once * 5 / 2;
        (!linear).then(|| format!("{once}, then {twice} steps"))
    });
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn what_is_held_back_is_bounded() {
    // A table is held back longest: 64 KiB, which its layout can make a few times larger.
    const LIMIT: usize = 512 * 1024;
    let found = complaints(|begin, repeated, colour| {
        let mut stream = MarkdownStream::new(Style::Terminal { colour, width: 80 });
        stream.push(begin);
        stream.push(&repeated.repeat(700_000 / repeated.len()));
        let held = stream.finish().len();
        (LIMIT <= held).then(|| format!("{held} bytes"))
    });
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn ten_megabytes_on_one_line_are_read_once() {
    let steps = steps_of("", "*a ", 10_000_000, Colour::On);
    assert!(steps < 10_000_000 * 8, "{steps}");
}

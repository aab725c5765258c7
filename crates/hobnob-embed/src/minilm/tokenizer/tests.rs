//! The rules of the uncased BERT tokenizer, each with a small vocabulary.

use proptest::prelude::*;

use super::{MAX_TEXT_CHARS, Tokenizer};
use crate::minilm::words::words;

const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\n##a\naffable\nunaff\n,\n$\n\
                          ##un\nü\n##\n#\n北\nx\n##x\n";

fn pieces(text: &str) -> Vec<&'static str> {
    let tokenizer = Tokenizer::read(VOCABULARY).unwrap();
    let lines: Vec<_> = VOCABULARY.lines().collect();
    tokenizer.encode(text, usize::MAX).pieces.into_iter().map(|id| lines[id as usize]).collect()
}

#[test]
fn the_longest_piece_comes_first() {
    for (text, expected) in [
        ("", &[][..]),
        ("unaffable", &["unaff", "##able"]),
        ("affable", &["affable"]),
        ("unun", &["un", "##un"]),
        ("una", &["un", "##a"]),
        // One unknown piece makes the whole word unknown.
        ("unaffablez", &["[UNK]"]),
        ("z un", &["[UNK]", "un"]),
        ("un,un", &["un", ",", "un"]),
        // Text that looks like a special token is ordinary text.
        ("##a", &["#", "#", "[UNK]"]),
        ("[SEP]", &["[UNK]", "[UNK]", "[UNK]"]),
        ("北x北", &["北", "x", "北"]),
    ] {
        assert_eq!(pieces(text), expected, "{text:?}");
    }
}

#[test]
fn long_words_and_texts_are_bounded() {
    let hundred = "x".repeat(100);
    assert_eq!(pieces(&hundred).len(), 100);
    assert_eq!(pieces(&format!("{hundred}x un")), ["[UNK]", "un"]);
    let tokenizer = Tokenizer::read(VOCABULARY).unwrap();
    assert_eq!(tokenizer.encode(&"un ".repeat(10), 3).pieces.len(), 3);
    assert_eq!(tokenizer.encode(&"unun ".repeat(10), 3).pieces.len(), 3);
    // Text beyond the limit has no effect.
    let far = format!("{}un", " ".repeat(MAX_TEXT_CHARS - 1));
    assert_eq!(tokenizer.encode(&far, 9).pieces, tokenizer.encode("u", 9).pieces);
    assert_eq!(tokenizer.encode(&"ü".repeat(MAX_TEXT_CHARS + 5), 9).pieces.len(), 1);
}

#[test]
fn words_know_their_pieces() {
    let tokenizer = Tokenizer::read(VOCABULARY).unwrap();
    let words = |text, limit| tokenizer.encode(text, limit).words;
    let unun = || (Box::from("unun"), 0..2);
    assert_eq!(words("Unun, una", 9), [unun(), (Box::from("una"), 3..5)]);
    assert_eq!(words("unun $ una", 4), [unun(), (Box::from("una"), 3..4)]);
    assert_eq!(words("unun una", 2), [unun()]);
}

#[test]
fn a_vocabulary_needs_its_marks() {
    for mark in ["[UNK]", "[CLS]", "[SEP]"] {
        assert!(Tokenizer::read(&VOCABULARY.replace(mark, "other")).is_none(), "{mark}");
    }
    assert_eq!(Tokenizer::read(VOCABULARY).unwrap().len(), VOCABULARY.lines().count());
}

#[test]
fn words_are_small_and_bare() {
    for (text, expected) in [
        ("", &[][..]),
        (" \t\r\n\u{3000}\u{a0}", &[]),
        ("Hello, World!", &["hello", ",", "world", "!"]),
        ("Ünïcödé İSTANBUL Ångström", &["unicode", "istanbul", "angstrom"]),
        ("ΑΣ Σίσυφος", &["ασ", "σισυφος"]),
        ("e\u{301}\u{301}", &["e"]),
        // Spacing combining marks are part of their word.
        ("हिन्दी", &["हिनदी"]),
        ("snake_case $5+3", &["snake", "_", "case", "$", "5", "+", "3"]),
        ("“a”—«b»…", &["“", "a", "”", "—", "«", "b", "»", "…"]),
        ("漢字かな", &["漢", "字", "かな"]),
        ("\u{20000}a\u{2F81A}", &["\u{20000}", "a", "\u{51AC}"]),
        ("가", &["\u{1100}\u{1161}"]),
        // Invisible characters are dropped.
        ("a\u{0}b\u{fffd}c\u{200b}d\u{ad}e\u{e000}f\u{7f}", &["abcdef"]),
        ("😀👍", &["😀👍"]),
    ] {
        let found: Vec<_> = words(text).collect();
        assert_eq!(found, expected, "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_text_has_pieces(text in any::<String>(), limit in 0..40_usize) {
        let tokenizer = Tokenizer::read(VOCABULARY).unwrap();
        let ids = tokenizer.encode(&text, limit).pieces;
        prop_assert!(ids.len() <= limit);
        prop_assert!(ids.iter().all(|id| (*id as usize) < tokenizer.len()));
    }

    #[test]
    fn words_have_no_spaces_and_no_capitals(text in "\\PC*") {
        for word in words(&text) {
            prop_assert!(!word.is_empty());
            prop_assert!(!word.contains(char::is_whitespace), "{word:?}");
        }
    }
}

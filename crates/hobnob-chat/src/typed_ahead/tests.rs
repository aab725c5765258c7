//! Keys, lines and drafts.

use super::*;

/// The lines that wait and the draft after these keys, byte by byte.
fn after(keys: &str) -> (Vec<String>, String) {
    let typed = TypedAhead::default();
    for byte in keys.as_bytes() {
        typed.push_keys(&[*byte]);
    }
    (std::iter::from_fn(|| typed.next_line()).collect(), typed.take_draft())
}

#[test]
fn keys_become_lines_and_a_draft() {
    let cases: &[(&str, &[&str], &str)] = &[
        ("", &[], ""),
        ("how are", &[], "how are"),
        ("one\rtwo\nthr", &["one", "two"], "thr"),
        ("\r \r", &[], " "),
        ("grüße 🦀\r", &["grüße 🦀"], ""),
        ("grüße\u{7f}\u{8}n", &[], "grün"),
        ("two words\u{17}more", &[], "two more"),
        ("wide\u{3000}space  \u{17}", &[], "wide\u{3000}"),
        ("gone\u{15}new", &[], "new"),
        // Arrows, function keys and other controls write nothing.
        ("a\u{1b}[A\u{1b}[1;5Cb\u{1b}OPc\u{1b}xd\te\u{4}", &[], "abcde"),
        // What is pasted is not sent by the line breaks in it.
        ("\u{1b}[200~one\r\ttwo\u{1b}[201~ three\r", &["one\n\ttwo three"], ""),
        ("one\\\rtwo\r", &["one\\\ntwo"], ""),
        ("one\u{1b}\rtwo\r", &["one\ntwo"], ""),
        ("```\rcode\r```\r", &["```\ncode\n```"], ""),
    ];
    for (keys, lines, draft) in cases {
        let (found, rest) = after(keys);
        let found: Vec<&str> = found.iter().map(|it| &**it).collect();
        assert_eq!((&found[..], &*rest), (*lines, *draft), "{keys:?}");
    }
}

#[test]
fn lines_beyond_the_limit_stay_in_the_draft() {
    let (lines, draft) = after(&"x\r".repeat(MAX_LINES + 2));
    assert_eq!((lines.len(), &*draft), (MAX_LINES, "x\nx\n"));
}

#[test]
fn bytes_that_are_no_text_are_left_out() {
    let typed = TypedAhead::default();
    assert_eq!(typed.push_keys(b"a\xff\xc3(b"), "ab");
}

#[test]
fn what_was_not_sent_becomes_one_draft() {
    let typed = TypedAhead::default();
    typed.push_keys(b"one\rtwo\rthr");
    typed.back_to_draft(Some("zero".to_owned()));
    assert_eq!(typed.next_line(), None);
    assert_eq!(typed.take_draft(), "zero\none\ntwo\nthr");
    typed.back_to_draft(None);
    assert_eq!(typed.take_draft(), "");
}

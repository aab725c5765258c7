//! Texts as a person sees them before a decision.

use crate::{visible, visible_json};

#[test]
fn nothing_that_is_decided_about_is_invisible() {
    for (text, expected) in [
        (r#"{"message":"rm -rf /","n":1e400}"#, r#"{"message":"rm -rf /","n":1e400}"#),
        ("{ \"a\" :\n\t[ 1 , 2 ]\r\n}", r#"{"a":[1,2]}"#),
        (r#"{"a  b":"c \" d\\"  , "e":" "}"#, r#"{"a  b":"c \" d\\","e":" "}"#),
        ("{\"a\":\"x\u{202e}y\u{200b}\u{200b}z\"}", r#"{"a":"x\u{202e}y\u{200b×2}z"}"#),
        ("{\"a\":\"\u{9b}2J\u{a0}\u{3000}\u{2028}\"}", r#"{"a":"\u{9b}2J\u{a0}\u{3000}\u{2028}"}"#),
        ("\"a\u{301}\u{302}\u{303}\u{303}\"", "\"a\u{301}\u{302}\\u{303×2}\""),
        ("\"☺\u{fe0f} \u{e0041}\u{f0000}\"", "\"☺\\u{fe0f} \\u{e0041}\\u{f0000}\""),
        (r#""\u202e\u0000""#, r#""\u202e\u0000""#),
        ("\"Zażółć gęślą, 日本語, हिन्दी\"", "\"Zażółć gęślą, 日本語, हिन्दी\""),
    ] {
        assert_eq!(visible_json(text), expected);
    }
    let pushed = format!("\"a{}b        c\"", " ".repeat(5000));
    assert_eq!(visible_json(&pushed), "\"a\\u{20×5000}b        c\"");
    let pushed = format!("{{{}\"a\":1}}", " \n".repeat(5000));
    assert_eq!(visible_json(&pushed), "{\"a\":1}");
    assert_eq!(visible("a\nb\tc\u{1b}"), "a\\u{a}b\\u{9}c\\u{1b}");
}

/// Two texts that differ in more than white space between tokens never look the same.
#[test]
fn different_arguments_never_look_the_same() {
    let parts = ["\"", "a", " ", "\\\\", "\u{200b}", "\u{202e}", "\u{301}", "\\u", "{", "×", "}"];
    let mut rng = fastrand::Rng::with_seed(5);
    let mut seen = std::collections::HashMap::new();
    for _ in 0..20_000 {
        let inner: String =
            (0..rng.usize(1..6)).map(|_| parts[rng.usize(1..parts.len())]).collect();
        let text = format!("\"{inner}\"");
        if serde_json::from_str::<String>(&text).is_err() {
            continue;
        }
        if let Some(other) = seen.insert(visible_json(&text), text.clone()) {
            assert_eq!(other, text);
        }
    }
    assert!(500 < seen.len(), "{}", seen.len());
}

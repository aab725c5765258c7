//! JSON that is shown has the same value, and nothing that a terminal acts on.

use std::borrow::Cow;

use crate::{display_safe, json_safe};

#[test]
fn json_keeps_its_value_and_loses_its_tricks() {
    for text in
        ["plain", "ä漢👍", "a\u{9b}2J\u{202e}\u{200b}\u{7f}", "\u{e0041}\u{2028}\u{fe0f}\u{ad}"]
    {
        let value = serde_json::json!({text: [text, {"deep": text}]});
        for json in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let safe = json_safe(&json);
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
            assert_eq!(display_safe(&safe), safe);
            assert!(!safe.chars().any(|letter| letter.is_control() && letter != '\n'), "{safe}");
        }
    }
    assert!(matches!(json_safe("{\"a\":1}"), Cow::Borrowed(_)));
}

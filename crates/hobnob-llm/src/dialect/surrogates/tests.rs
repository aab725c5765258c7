//! Which escapes are replaced.

use std::borrow::Cow;

use super::replace_unpaired;

#[test]
fn only_halves_are_replaced() {
    for (text, repaired) in [
        (r#""plain \n \u00fc \\ud83d""#, None),
        (r#""\ud83d\ude00 \uD83D\uDE00""#, None),
        (r#""\ud83d""#, Some(r#""\ufffd""#)),
        (r#""\ude00\ud83d\ud83d\ude00x""#, Some(r#""\ufffd\ufffd\ud83d\ude00x""#)),
        (r#""\ud83d\n\ü\ud8""#, Some(r#""\ufffd\n\ü\ud8""#)),
        (r#""\\\ud83d""#, Some(r#""\\\ufffd""#)),
        ("\\ud83d\\", Some("\\ufffd\\")),
        ("\\ud+12 \\ud8ü", None),
    ] {
        let found = replace_unpaired(text);
        assert_eq!(found, repaired.unwrap_or(text), "{text}");
        assert_eq!(matches!(found, Cow::Owned(_)), repaired.is_some(), "{text}");
    }
}

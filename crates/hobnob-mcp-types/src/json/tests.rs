//! Compares the cursor with `serde_json` on what is valid JSON, and re-reads what was written.

use super::*;

fn scan(text: &str) -> Result<(), JsonError> {
    let mut cursor = Cursor::new(text);
    cursor.value()?;
    cursor.finish()
}

#[test]
fn agrees_with_serde_json_on_what_is_json() {
    let cases = [
        "{}",
        "[]",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1",
        "-1.5e+10",
        "1e5",
        "\"\"",
        "\"a\\nb\"",
        "\"\\u0041\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\udc00\"",
        "\"\\ud83d\\u0041\"",
        "01",
        "1.",
        ".5",
        "1e",
        "+1",
        "--1",
        "nul",
        "truee",
        "tru",
        "\"",
        "\"\\x\"",
        "\"\t\"",
        "\"\u{7f}\"",
        "[1,]",
        "[,1]",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "{\"a\":}",
        "[1 2]",
        " [ 1 , { \"a\" : [ ] } ] ",
        "\u{feff}{}",
        "",
        " ",
        "[1]x",
        "\"é😀\"",
        "{\"é\":\"\\u00e9\"}",
        "\"0123456789abcdef0123456789abcdef\\\"tail\"",
        "\"0123456789abcde\u{1}\"",
        "NaN",
        "1E400",
        "-",
        "\"\\u00g0\"",
        "\"\\u00",
        "[[[[]]]]",
        "{\"a\":{\"b\":{\"c\":[1,2,{\"d\":null}]}}}",
    ];
    for case in cases {
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(case).is_ok();
        // serde_json does not check surrogates in values it skips; reading a real string does.
        let theirs = theirs
            && (case.contains("E400") || serde_json::from_str::<serde_json::Value>(case).is_ok());
        assert_eq!(scan(case).is_ok(), theirs, "{case}");
    }
}

#[test]
fn refuses_equal_keys_at_every_level() {
    let many: Vec<String> = (0..40).map(|n| format!("\"k{n}\":1")).collect();
    let cases = [
        ("{\"a\":1,\"b\":2}".to_owned(), true),
        ("{\"a\":1,\"a\":2}".to_owned(), false),
        ("{\"a\":1,\"\\u0061\":2}".to_owned(), false),
        ("{\"x\":{\"a\":1,\"a\":2}}".to_owned(), false),
        ("[{\"a\":1},{\"a\":2}]".to_owned(), true),
        ("{\"a\":{\"a\":{\"a\":1}}}".to_owned(), true),
        (format!("{{{}}}", many.join(",")), true),
        (format!("{{{},\"k3\":0}}", many.join(",")), false),
    ];
    for (text, fine) in cases {
        assert_eq!(scan(&text).is_ok(), fine, "{text}");
    }
}

#[test]
fn refuses_what_nests_too_deep() {
    let nest = |open: &str, close: &str, n: usize| open.repeat(n) + "1" + &close.repeat(n);
    assert!(scan(&nest("[", "]", MAX_DEPTH)).is_ok());
    assert!(matches!(scan(&nest("[", "]", MAX_DEPTH + 1)), Err(JsonError::TooDeep(_))));
    assert!(matches!(scan(&nest("{\"a\":", "}", 100_000)), Err(JsonError::TooDeep(_))));
    assert!(matches!(scan(&"[".repeat(100_000)), Err(JsonError::TooDeep(_))));
}

#[test]
fn writes_strings_that_read_back() {
    let all: String = (0u32..0x250).filter_map(char::from_u32).collect();
    for text in ["", "plain", "a\"b\\c\nd\re\tf\u{8}\u{c}\u{1f}", "é😀\u{2028}", &all] {
        let mut out = String::new();
        write_string(&mut out, text);
        assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
    }
}

#[test]
fn the_first_special_byte_is_found_wherever_it_is() {
    for length in (0..70).chain([127, 128, 129, 191, 192, 193, 275]) {
        let plain = "é".repeat(length);
        let plain = &plain.as_bytes()[..length];
        assert_eq!(plain_prefix(plain), length);
        for at in 0..length {
            for special in (0..0x20).chain([b'"', b'\\']) {
                let mut text = plain.to_vec();
                text[at] = special;
                // A second one behind it changes nothing.
                if let Some(last) = text.last_mut().filter(|_| at + 1 < length) {
                    *last = b'"';
                }
                assert_eq!(plain_prefix(&text), at, "{special:#x} in {length} bytes");
            }
        }
    }
}

#[test]
fn every_other_byte_is_plain() {
    for byte in (0x20..=u8::MAX).filter(|byte| ![b'"', b'\\'].contains(byte)) {
        assert_eq!(plain_prefix(&[byte; 277]), 277, "{byte:#x}");
    }
}

#[test]
fn objects_are_read_and_rewritten_as_text() {
    let text = r#" {"a": 1.10, "b": {"c": [12345678901234567890123]}, "d": "x"} "#;
    assert_eq!(field(text, "a"), Some("1.10"));
    assert_eq!(field(text, "b"), Some(r#"{"c": [12345678901234567890123]}"#));
    assert_eq!(field(text, "c"), None);
    assert_eq!(entries("[1]").len(), 0);
    let mut out = String::new();
    let mut writer = ObjectWriter::new(&mut out);
    writer.string("z", "q\"").members_of(text).members_of("{}").raw("n", "null");
    writer.end();
    let expected =
        r#"{"z":"q\"","a": 1.10, "b": {"c": [12345678901234567890123]}, "d": "x","n":null}"#;
    assert_eq!(out, expected);
}

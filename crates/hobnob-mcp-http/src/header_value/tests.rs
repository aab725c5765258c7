//! Text and header value side by side; and header values that must not decode.

use super::*;

#[test]
fn texts_travel_and_come_back() {
    let cases = [
        ("", ""),
        ("execute_sql", "execute_sql"),
        ("file:///a b.txt", "file:///a b.txt"),
        ("tab\tinside", "tab\tinside"),
        ("~!\"#$%", "~!\"#$%"),
        (" leading", "=?base64?IGxlYWRpbmc=?="),
        ("trailing ", "=?base64?dHJhaWxpbmcg?="),
        ("\ttab", "=?base64?CXRhYg==?="),
        ("two\nlines", "=?base64?dHdvCmxpbmVz?="),
        ("nul\0", "=?base64?bnVsAA==?="),
        ("\u{7f}", "=?base64?fw==?="),
        ("Zürich", "=?base64?WsO8cmljaA==?="),
        ("日本", "=?base64?5pel5pys?="),
        ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
        ("=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="),
        ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
        // The markers are case-sensitive and both are required, so these are plain.
        ("=?BASE64?YQ==?=", "=?BASE64?YQ==?="),
        ("=?base64?YQ==", "=?base64?YQ=="),
        ("YQ==?=", "YQ==?="),
    ];
    for (text, value) in cases {
        assert_eq!(encode(text), value, "encoding {text:?}");
        assert_eq!(decode(value.as_bytes()).as_deref(), Ok(text), "decoding {value:?}");
    }
}

#[test]
fn an_empty_encoded_value_is_the_empty_text() {
    assert_eq!(decode(b"=?base64??=").as_deref(), Ok(""));
}

#[test]
fn overlapping_markers_are_plain_text() {
    assert_eq!(decode(b"=?base64?=").as_deref(), Ok("=?base64?="));
}

#[test]
fn values_that_carry_no_text_are_refused() {
    let cases: &[&[u8]] = &[
        b"=?base64?YQ?=",
        b"=?base64?YQ=?=",
        b"=?base64?YR==?=",
        b"=?base64?Y Q==?=",
        b"=?base64?_-8=?=",
        b"=?base64?/w==?=",
        b"=?base64?\xff?=",
        b"Z\xc3\xbcrich",
        b"a\x01b",
        b"a\x7f",
        b" padded",
        b"padded\t",
    ];
    for value in cases {
        assert!(decode(value).is_err(), "{}", value.escape_ascii());
    }
}

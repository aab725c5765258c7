//! The text is the same however its bytes are cut.

use super::{TextValidity, Utf8Stream};

fn read(pieces: &[&[u8]]) -> (String, TextValidity) {
    let mut stream = Utf8Stream::default();
    let mut text: String = pieces.iter().map(|piece| stream.push(piece)).collect();
    text.push_str(&stream.finish());
    (text, stream.validity())
}

#[test]
fn characters_may_be_cut_anywhere() {
    let cases: [(&[u8], &str, TextValidity); 7] = [
        (b"", "", TextValidity::Valid),
        ("aü😀z\0\n".as_bytes(), "aü😀z\0\n", TextValidity::Valid),
        (b"a\xffb", "a\u{fffd}b", TextValidity::Replaced),
        (b"\xf0\x9f\x98", "\u{fffd}", TextValidity::Replaced),
        (b"\xf0\x9f\x98x", "\u{fffd}x", TextValidity::Replaced),
        (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}", TextValidity::Replaced),
        (b"\xc3\xc3\xa4", "\u{fffd}ä", TextValidity::Replaced),
    ];
    for (bytes, text, validity) in cases {
        let expected = (text.to_owned(), validity);
        assert_eq!(read(&[bytes]), expected, "{bytes:?}");
        for cut in 0..bytes.len() {
            assert_eq!(read(&[&bytes[..cut], &bytes[cut..]]), expected, "{bytes:?} at {cut}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(&single), expected, "{bytes:?} byte by byte");
    }
}

#[test]
fn text_is_not_held_back() {
    let mut stream = Utf8Stream::default();
    assert_eq!(stream.push(b"ready\xc3"), "ready");
    assert_eq!(stream.push(b"\xbc"), "ü");
    assert_eq!(stream.finish(), "");
}

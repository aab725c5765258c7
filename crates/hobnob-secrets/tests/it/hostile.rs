//! Texts made to cost time or to crash; the tests pass if each scan ends.

use hobnob_secrets::{Anonymiser, AnonymiserKey, KnownNames, PersonalData, ScanScope, Scanner};

const SIZE: usize = 1 << 20;

fn scan(piece: &str, size: usize) {
    let scanner = Scanner::new(ScanScope::default().with(PersonalData::NationalId));
    let text = piece.repeat(size / piece.len());
    let (redacted, findings) = scanner.redact(&text);
    assert!(redacted.len() <= text.len() * 8, "{piece:?}: {} findings", findings.len());
}

#[test]
fn a_mebibyte_of_one_thing_is_scanned() {
    for piece in ["a", "=", "7", "-----BEGIN", "-----BEGIN PRIVATE KEY-----", "7 "] {
        scan(piece, SIZE);
    }
}

#[test]
fn many_beginnings_without_an_end_are_scanned() {
    let pieces = [
        "-----BEGIN PRIVATE KEY-----A",
        "PuTTY-User-Key-File-",
        "eyJ",
        "eyJ.",
        "@",
        "a@",
        "://",
        "://a:b@",
        "password",
        "password=",
        "password:\"",
        "token=a",
        "key ",
        "bearer ",
        "Authorization: ",
        "AKIA",
        "sk-",
        "1-",
        "4111 ",
        "+",
        "(0",
        ".",
        "aaaaaa.",
        "🔑",
        "密码：",
        "\u{202e}",
        "\\n",
        "\"",
        "'",
        "sig=",
        "[redacted: ",
        "\0",
        "-u a:",
        "DE89 ",
        "pw",
        ":AA",
        "Q~",
        "\u{fe0f}",
        "a\u{200b}",
        "ﷺ",
        "Ａ＠",
        "@\u{ad}a",
        "é",
        "ß=",
        "AccountKey=",
    ];
    for piece in pieces {
        scan(piece, SIZE / 16);
    }
}

fn mask(piece: &str, size: usize) {
    let known = KnownNames::new(["alice".to_owned()], ["web-01".to_owned()]);
    let anonymiser = Anonymiser::new(AnonymiserKey::new(&[7; 32]), known);
    let text = piece.repeat(size / piece.len());
    let masked = anonymiser.mask(&text);
    // A token has up to 18 bytes, a mark up to 32, and the shortest find one.
    assert!(masked.len() <= text.len() * 32, "{piece:?}: {}", masked.len());
}

#[test]
fn a_mebibyte_of_one_thing_is_anonymised() {
    let pieces = ["@", "user ", "a", ":", "alice/"];
    for piece in pieces {
        mask(piece, SIZE);
    }
}

/// Each is one word, or words with many finds: the cost of a find must not depend on its position.
#[test]
fn many_finds_in_a_long_line_are_anonymised() {
    let pieces = [
        "a@b.co1/",
        "1.2.3.4/",
        "a%40b.co/",
        "::1:",
        "1:2:3:4:5:6:7:8:",
        "aa:bb:cc:dd:ee:ff/",
        "S-1-5-21-1-2-3-",
        "/home/x",
        "c:\\users\\x y",
        "CORP\\bob ",
        "/~a/",
        "://a:",
        "://a:b@",
        "USER-GHJKLMNPQRST",
        "[redacted: ",
        "user user",
        "for x from 1 ",
        "(to x) y on ",
        "'a'@'",
        "user=\"a b",
        "user:user:",
        "1.1.1.1 - a [10/",
        "ip-1-2-3-4-",
        "password=",
        "{\"user\":\"a\\nCORP\\b\",",
        "version 1.2.3.4 ",
        "user=日本",
        "sessionid=",
    ];
    for piece in pieces {
        mask(piece, SIZE / 32);
    }
}

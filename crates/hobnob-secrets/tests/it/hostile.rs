//! Texts made to cost time or to break; that each scan ends is the test.

use hobnob_secrets::{PersonalData, ScanScope, Scanner};

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

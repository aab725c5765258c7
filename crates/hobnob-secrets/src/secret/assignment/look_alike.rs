//! Values that look as mixed as secrets but are not: paths, numbers, patterns, code, names.
//!
//! `judge` excludes them before it looks at the composition of a value.

use crate::composition::{Composition, reads_like_word};

/// Names of algorithms, encodings and types, which mix letters and digits.
const TECHNICAL: &str = "\
    sha1 sha2 sha3 sha256 sha384 sha512 md5 base64 base32 base58 pbkdf2 argon2 oauth2 oauth1 \
    aes128 aes256 rs256 hs256 es256 ps256 utf8 utf16 int8 int16 int32 int64 float32 float64 \
    varchar x509 ed25519 x25519 secp256 http2 latin1";

/// Whether the value's form shows that it is something other than a secret.
pub(crate) fn is_other_thing(value: &str) -> bool {
    is_number(value)
        || is_literal(value)
        || is_version(value)
        || is_place(value)
        || is_pattern(value)
        || is_address_on_chain(value)
        || is_identifier_path(value)
}

/// Whether a value begins with a sign of code or of a settings file.
pub(crate) fn begins_code(value: &str) -> bool {
    value.starts_with(|it: char| "&*!(<[{|@%?\\+=~-".contains(it))
}

/// Whether an unquoted value is a call, a path or an index expression.
pub(crate) fn is_expression(value: &str) -> bool {
    if value.contains("::") || value.contains("->") {
        return true;
    }
    let name = |it: char| it.is_ascii_alphanumeric() || "_.$?!".contains(it);
    let rest = value.trim_start_matches(name);
    rest.len() < value.len() && rest.starts_with(['(', '[', '{'])
}

/// Whether the value is the name of an algorithm, an encoding or a type.
pub(crate) fn is_technical(value: &str) -> bool {
    let squashed: String = value
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|it| it.to_ascii_lowercase())
        .collect();
    squashed.len() < 24 && TECHNICAL.split(' ').any(|it| squashed.contains(it))
}

/// Whether the characters are in the order of a keyboard or of the alphabet.
pub(crate) fn is_sequence(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["12345678", "01234567", "abcdefgh", "87654321"].iter().any(|it| lower.contains(it))
}

/// Digits with the signs of numbers, dates, times and network addresses.
fn is_number(value: &str) -> bool {
    value.bytes().all(|it| it.is_ascii_digit() || b".:,-/+TZ_ %".contains(&it))
}

/// A number literal of code: `4096u32`, `0x8004_004A`.
fn is_literal(value: &str) -> bool {
    let short_hex = |it: &str| {
        it.len() <= 20 && it.bytes().all(|it| it.is_ascii_hexdigit() || b"_uil".contains(&it))
    };
    let number = value.trim_end_matches(|it: char| it.is_ascii_digit() || it == '_');
    let typed = number.trim_end_matches(['u', 'i', 'f', 'L', 'U']);
    value.strip_prefix("0x").or(value.strip_prefix("0X")).is_some_and(short_hex)
        || (typed.len() < number.len() && is_number(typed))
}

fn is_version(value: &str) -> bool {
    let number = value.trim_start_matches(['v', 'V', '^', '~', '=', '>', '<']);
    let mut parts = number.split('.');
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    parts.next().is_some_and(digits) && parts.next().is_some_and(digits) && value.len() < 32
}

/// Whether it is a path, a URL or a file.
fn is_place(value: &str) -> bool {
    let drive = value.as_bytes().get(1..3).is_some_and(|it| it == b":\\" || it == b":/");
    let relative = ["./", "../", "~/", "/", "\\"].iter().any(|it| value.starts_with(it));
    let words = || value.split(['/', '\\', '.']).any(reads_like_word);
    value.contains("://") || drive || (relative && words())
}

/// Whether it is a regular expression or a format string.
fn is_pattern(value: &str) -> bool {
    ["[a-z", "[A-Z", "[0-9", "[^", "\\d", "\\w", "\\s", "(?", ".*", ".+", "%s", "%d", "%v"]
        .iter()
        .any(|it| value.contains(it))
}

/// The public address of a contract or an account on a blockchain.
fn is_address_on_chain(value: &str) -> bool {
    value.strip_prefix("0x").is_some_and(|it| it.len() == 40)
}

/// Identifiers separated by dots: `config.database.password2`.
fn is_identifier_path(value: &str) -> bool {
    let part = |it: &str| {
        it.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && it.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && (it.len() < 4 || is_technical(it) || Composition::of(it).is_mostly_words())
    };
    value.contains('.') && value.split('.').all(part)
}

//! Checks whether a word can be the name of an account or a machine, where the context expects one.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::text::listed_in_any_case;

/// What may stand at a position where a name is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// A name of any form, even a number or a word.
    AnyName,
    /// A name, a number or an id: `user=bob`, `user=1000`.
    Value,
    /// A name or a word of a sentence: `user bob`, `user settings`.
    Word,
}

/// Maximum length of a name.
pub(super) const MAX_NAME: usize = 64;

/// Names that identify no person: accounts that every machine has, and words for "no name".
const IMPERSONAL_NAMES: &str = "\
    root nobody system null none nil unknown localhost local unset true false yes no daemon \
    any all undefined login cron never anonymous everyone authority network nt window font \
    builtin workgroup redacted filtered hidden ipv4 ipv6 n na self preauth dwm-1 dwm-2 \
    umfd-0 umfd-1 x-access-token oauth2";

/// Ordinary words that stand where names do.
const SENTENCE: &str = "\
    a access account accounts action active activity actor added admins after agent agents and are \
    as at attempt attempts authentication authorization been before but by cache can changed class \
    client clients code command config configuration connection connections context could count \
    created creation credentials data database defined deleted denied details device directory \
    disabled disconnected does each email enabled entry error event events exists expired failed \
    failure field file files for from function group groups guide had has have header hello home \
    host hostname id identity ids if in info information initiated input interface into invalid is \
    it its key keys level limit list locked logged login logins management manager message method \
    missing mode model module must name names namespace node not now object of ok on one only or order \
    out output page parameter parameters parent password path peer permission permissions policy \
    pool port preferences privileges process processes profile program property protocol provider \
    query reason record records registration removed reply request requested requests required \
    resource response result role roles rule scope server service services session sessions set \
    settings should signature slice some source space specified state status storage store success \
    successfully summary supplied table target task tasks test the their this thread to token \
    tokens type types unit unspecified update updates use user username users using validation \
    value values version was were when which while who whose will with within without would you \
    your";

/// The length in bytes of the possible name at the start of a word. Windows domains end with a
/// backslash, and Windows machine names with a dollar sign.
pub(super) fn name_length(word: &str) -> usize {
    let part = |it: char| it.is_alphanumeric() || matches!(it, '.' | '_' | '-' | '+' | '$' | '\\');
    let head = &word[..word.floor_char_boundary(MAX_NAME + 1)];
    let end = head.find(|it| !part(it)).unwrap_or(head.len());
    match word[..end].trim_end_matches(['.', '-', '\\', '+']).len() {
        length if length <= MAX_NAME => length,
        _ => 0,
    }
}

/// Whether a value is the name of an account.
pub(super) fn is_user(value: &str, expected: Expected) -> bool {
    if is_impersonal(value) || !value.contains(char::is_alphanumeric) {
        return false;
    }
    let named = || value.starts_with(|it: char| it.is_alphabetic() || it == '_') && !is_id(value);
    match expected {
        Expected::AnyName => true,
        Expected::Value => named(),
        Expected::Word => named() && !is_word_of_sentence(value),
    }
}

/// Whether a value is the name of a machine, which may begin with a digit.
pub(super) fn is_host(value: &str, expected: Expected) -> bool {
    let named = value.contains(|it: char| it.is_alphabetic()) && !is_id(value);
    let spoken = expected == Expected::Word && is_word_of_sentence(value);
    named && !is_impersonal(value) && !spoken
}

/// Whether a name exists on every machine, or says that there is no name.
pub(super) fn is_impersonal(name: &str) -> bool {
    name.is_empty() || listed_in_any_case(IMPERSONAL_NAMES, name)
}

fn is_word_of_sentence(value: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| SENTENCE.split(' ').collect());
    WORDS.contains(value.to_ascii_lowercase().as_str())
}

/// Whether it is an id of a record: many hexadecimal digits, maybe with dashes, or a hex literal.
fn is_id(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_hexdigit).count();
    let dashes = value.bytes().filter(|it| *it == b'-').count();
    let long = 12 <= digits && digits + dashes == value.len();
    long && value.contains(|it: char| it.is_ascii_digit()) || value.starts_with("0x")
}

//! The connector between a name and its value: a sign, a call, a tag, a flag, or a few words.
//!
//! `find` parses it after the name and passes it to `value`.

use crate::text::{
    after, base64, before, blank, byte, byte_before, run_end, slice, stands, stands_in_any_case,
};

use super::name::{Name, ValueKind};

/// The start of a value, and how it is connected to its name.
#[derive(Clone, Copy)]
pub(crate) struct Connector {
    pub(crate) value: usize,
    pub(crate) kind: ConnectorKind,
}

impl Connector {
    /// Whether it gives a value and does not merely mention one: after `=`, or in quotes or tags.
    pub(crate) fn is_sign(&self, text: &str) -> bool {
        let given = match self.kind {
            ConnectorKind::Assigned | ConnectorKind::Environment => true,
            ConnectorKind::Element => return true,
            ConnectorKind::Argument
            | ConnectorKind::Fallback
            | ConnectorKind::InSentence
            | ConnectorKind::LaterInSentence
            | ConnectorKind::NextWord => false,
        };
        let quoted = after(text, self.value, 2).trim_start_matches('\\').starts_with(['"', '\'']);
        let head = before(text, self.value, 8);
        let signs = head.trim_end_matches([' ', '\t']);
        let name = signs.trim_end_matches(['=', '>']);
        // In `password= user=x` the next name is not the value.
        let empty = signs.len() < head.len() && !name.ends_with([' ', '\t']);
        given && (quoted || name.len() < signs.len() && !empty)
    }
}

/// How a value is connected to its name, which decides where it ends and how certain it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectorKind {
    /// With a sign, in code or in a settings file.
    Assigned,
    /// `NAME=value` on a line of its own.
    Environment,
    /// A call; only a quoted text can be the value.
    Argument,
    /// The default in `${NAME:-value}` of a shell.
    Fallback,
    /// The content of an XML element, `<name>value</name>`.
    Element,
    /// In a sentence, after a verb such as "is".
    InSentence,
    /// In a sentence, with other words between.
    LaterInSentence,
    /// In a sentence, right after the name.
    NextWord,
}

/// Maximum gap between a name, a sign and a value, in bytes.
const MAX_GAP: usize = 40;
/// A run of at least this length is not a word of a sentence.
const MIN_TOKEN_LENGTH: usize = 20;
/// Signs that assign or compare; longer ones first.
const SIGNS: [&str; 11] = ["===", "||=", "==", ":=", "=>", "?=", "!=", "=", ":", "：", "|"];
/// Verbs that connect a name to its value.
const VERBS: [&str; 9] = ["is", "was", "to", "ist", "lautet", "est", "es", "is:", "è"];

/// Parses the connector after a name.
pub(crate) fn read(text: &str, name: &Name) -> Option<Connector> {
    let closed = run_end(text, name.range.end, closes, 4);
    let at = run_end(text, closed, blank, MAX_GAP);
    if let Some(value) = labelled(text, at) {
        return Some(connector(text, value, ConnectorKind::Assigned));
    }
    if stands(text, at, ":-") && before(text, name.range.start, 2) == "${" {
        return Some(Connector { value: at + 2, kind: ConnectorKind::Fallback });
    }
    if let Some(sign) = SIGNS.iter().find(|sign| stands(text, at, sign)) {
        return assigned(text, name, at, sign);
    }
    let quoted = slice(text, name.range.end..closed).contains(['"', '\'', '`']);
    match byte(text, at)? {
        b'>' if byte_before(text, name.range.start) == Some(b'<') => {
            Some(Connector { value: at + 1, kind: ConnectorKind::Element })
        }
        b'(' if !name.is_ambiguous() => Some(connector(text, at + 1, ConnectorKind::Argument)),
        b',' if quoted => Some(connector(text, at + 1, ConnectorKind::Argument)),
        _ if closed < at => spaced(text, name, at),
        _ => None,
    }
}

fn connector(text: &str, at: usize, kind: ConnectorKind) -> Connector {
    Connector { value: run_end(text, at, |it| blank(it) || it == b'*', MAX_GAP), kind }
}

/// Characters that may close a name before the sign: quotes, brackets, emphasis.
fn closes(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'[' | b']' | b')' | b'*')
}

fn assigned(text: &str, name: &Name, at: usize, sign: &str) -> Option<Connector> {
    let end = at + sign.len();
    // `a::b` is a path, `token://` the scheme of a URL, and `//token:` the user in one.
    let path = matches!(byte(text, end), Some(b':' | b'/'));
    if sign == ":" && (path || before(text, name.range.start, 3) == "://") {
        return None;
    }
    let value = if sign == ":" { typed(text, end).unwrap_or(end) } else { end };
    let tight = sign == "=" && at == name.range.end && !byte(text, end).is_some_and(blank);
    let alone = tight && begins_line(text, name.range.start);
    Some(connector(
        text,
        value,
        if alone { ConnectorKind::Environment } else { ConnectorKind::Assigned },
    ))
}

/// The end of `type =` after a colon, as in `token: &str = "…"`.
fn typed(text: &str, from: usize) -> Option<usize> {
    let of_type = |it: u8| it.is_ascii_alphanumeric() || b" &<>[]:;,?|'_".contains(&it);
    let end = run_end(text, from, of_type, MAX_GAP);
    let spaced = byte_before(text, end) == Some(b' ') && byte(text, end) == Some(b'=');
    (spaced && from + 2 < end && byte(text, end + 1) != Some(b'=')).then_some(end + 1)
}

/// Whether only a command that sets variables precedes the name on its line.
fn begins_line(text: &str, name: usize) -> bool {
    let line = before(text, name, 32).rsplit('\n').next().unwrap_or_default();
    let command = line.trim().to_ascii_lowercase();
    ["", "export", "set", "setx", "env", "-", "#", "-e", "$env:"].contains(&command.as_str())
}

/// The end of a label `value:` where name and value are separate fields.
fn labelled(text: &str, at: usize) -> Option<usize> {
    // An entry of an Apple property list.
    if stands(text, at, "</key>") {
        let string = run_end(text, at + "</key>".len(), |it| it.is_ascii_whitespace(), MAX_GAP);
        return stands(text, string, "<string>").then(|| string + "<string>".len());
    }
    let between = |it: u8| it.is_ascii_whitespace() || matches!(it, b',' | b'"' | b'\'');
    let start = run_end(text, at, between, MAX_GAP);
    let apart = at < start || byte_before(text, at).is_some_and(blank);
    if !apart || !stands_in_any_case(text, start, "value") {
        return None;
    }
    let closed = run_end(text, start + "value".len(), |it| matches!(it, b'"' | b'\''), 1);
    let sign = run_end(text, closed, blank, 4);
    matches!(byte(text, sign), Some(b':' | b'=')).then_some(sign + 1)
}

/// A connector without a sign: after a flag, in SQL, in netrc, in a sentence.
fn spaced(text: &str, name: &Name, at: usize) -> Option<Connector> {
    if let Some(value) = typed(text, at - 1) {
        return Some(connector(text, value, ConnectorKind::Assigned));
    }
    let password = name.value_kind == ValueKind::Password;
    if text[name.range.clone()].starts_with("--") || (password && is_netrc(text, name)) {
        return Some(Connector { value: at, kind: ConnectorKind::Assigned });
    }
    let quote = matches!(byte(text, at), Some(b'"' | b'\''));
    // After a word in lower case, the quote may also close a text.
    let constant = !text[name.range.clone()].contains(|it: char| it.is_ascii_lowercase());
    let opens = byte(text, at + 1).is_some_and(|it| !b",;)+: ".contains(&it));
    if quote && opens && (password || constant) {
        return Some(Connector { value: at, kind: ConnectorKind::Argument });
    }
    if !password && MIN_TOKEN_LENGTH <= run_end(text, at, base64, MIN_TOKEN_LENGTH) - at {
        return Some(Connector { value: at, kind: ConnectorKind::InSentence });
    }
    let first = clause(text, at).split(' ').next().unwrap_or_default();
    if VERBS.contains(&first) && !name.is_ambiguous() {
        return Some(connector(text, at + first.len(), ConnectorKind::InSentence));
    }
    let speaks = password && !name.is_ambiguous();
    speaks.then_some(Connector { value: at, kind: ConnectorKind::NextWord })
}

/// A connector some words later, if the first candidate is no secret: «password for the staging
/// database is …», «password was changed to …»
pub(crate) fn read_on(text: &str, name: &Name, first: Connector) -> Option<Connector> {
    let spoken = matches!(first.kind, ConnectorKind::InSentence | ConnectorKind::NextWord);
    if !spoken || name.value_kind != ValueKind::Password {
        return None;
    }
    let mut end = first.value;
    for word in clause(text, first.value).split_inclusive(' ') {
        end += word.len();
        let word = word.trim_end();
        if VERBS.contains(&word) || word.ends_with(':') {
            return Some(connector(text, end, ConnectorKind::LaterInSentence));
        }
    }
    None
}

/// The words from a position up to the end of the line or a sign.
fn clause(text: &str, at: usize) -> &str {
    let ends = ['\n', '\r', '.', ',', ';', '(', '"', '='];
    after(text, at, MAX_GAP).split(ends).next().unwrap_or_default()
}

fn is_netrc(text: &str, name: &Name) -> bool {
    let before = before(text, name.range.start, 128);
    before.contains("login ") && before.contains("machine ")
}

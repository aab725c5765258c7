//! What stands between a name and its value: a sign, a call, a tag, a flag, or a few words.

use crate::text::{
    after, base64, before, blank, byte, byte_before, run_end, slice, stands, stands_in_any_case,
};

use super::name::{Holds, Name};

/// Where a value begins, and how it was given.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    pub(crate) value: usize,
    pub(crate) manner: Manner,
}

/// How a value is given, which decides where it ends and how sure one can be of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// With a sign, in code or in a file of settings.
    Assigned,
    /// `NAME=value` on a line of its own.
    Environment,
    /// Only a text in quotes can be the value: the argument of a call.
    Argument,
    /// `${NAME:-value}`
    Fallback,
    /// `<name>value</name>`
    Element,
    /// In a sentence.
    Spoken,
    /// In a sentence, with words between.
    SpokenAfar,
    /// In a sentence, right after the name.
    Beside,
}

/// The widest gap between a name, a sign and a value.
const GAP: usize = 40;
/// No word of a sentence is as long.
const UNSPEAKABLE: usize = 20;
/// Signs that assign or compare; longer ones first.
const SIGNS: [&str; 11] = ["===", "||=", "==", ":=", "=>", "?=", "!=", "=", ":", "：", "|"];
/// Words that say what something is.
const VERBS: [&str; 9] = ["is", "was", "to", "ist", "lautet", "est", "es", "is:", "è"];

/// The link after a name.
pub(crate) fn read(text: &str, name: &Name) -> Option<Link> {
    let closed = run_end(text, name.range.end, closes, 4);
    let at = run_end(text, closed, blank, GAP);
    if let Some(value) = labelled(text, at) {
        return Some(link(text, value, Manner::Assigned));
    }
    if stands(text, at, ":-") && before(text, name.range.start, 2) == "${" {
        return Some(Link { value: at + 2, manner: Manner::Fallback });
    }
    if let Some(sign) = SIGNS.iter().find(|sign| stands(text, at, sign)) {
        return assigned(text, name, at, sign);
    }
    let quoted = slice(text, name.range.end..closed).contains(['"', '\'', '`']);
    match byte(text, at)? {
        b'>' if byte_before(text, name.range.start) == Some(b'<') => {
            Some(Link { value: at + 1, manner: Manner::Element })
        }
        b'(' if !name.is_ambiguous() => Some(link(text, at + 1, Manner::Argument)),
        b',' if quoted => Some(link(text, at + 1, Manner::Argument)),
        _ if closed < at => spaced(text, name, at),
        _ => None,
    }
}

fn link(text: &str, at: usize, manner: Manner) -> Link {
    Link { value: run_end(text, at, |it| blank(it) || it == b'*', GAP), manner }
}

/// What closes a name before the sign: quotes, brackets, emphasis.
fn closes(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'[' | b']' | b')' | b'*')
}

fn assigned(text: &str, name: &Name, at: usize, sign: &str) -> Option<Link> {
    let end = at + sign.len();
    // `a::b` is a path, `token://` the scheme of a URL, and `//token:` the user in one.
    let path = matches!(byte(text, end), Some(b':' | b'/'));
    if sign == ":" && (path || before(text, name.range.start, 3) == "://") {
        return None;
    }
    let value = if sign == ":" { typed(text, end).unwrap_or(end) } else { end };
    let tight = sign == "=" && at == name.range.end && !byte(text, end).is_some_and(blank);
    let alone = tight && begins_line(text, name.range.start);
    Some(link(text, value, if alone { Manner::Environment } else { Manner::Assigned }))
}

/// The end of `type =` after a colon, as in `token: &str = "…"`.
fn typed(text: &str, from: usize) -> Option<usize> {
    let of_type = |it: u8| it.is_ascii_alphanumeric() || b" &<>[]:;,?|'_".contains(&it);
    let end = run_end(text, from, of_type, GAP);
    let spaced = byte_before(text, end) == Some(b' ') && byte(text, end) == Some(b'=');
    (spaced && from + 2 < end && byte(text, end + 1) != Some(b'=')).then_some(end + 1)
}

/// Whether nothing but a command that sets variables is before the name on its line.
fn begins_line(text: &str, name: usize) -> bool {
    let line = before(text, name, 32).rsplit('\n').next().unwrap_or_default();
    let command = line.trim().to_ascii_lowercase();
    ["", "export", "set", "setx", "env", "-", "#", "-e", "$env:"].contains(&command.as_str())
}

/// The end of a label `value:` where name and value are fields of their own.
fn labelled(text: &str, at: usize) -> Option<usize> {
    // A property list of Apple's.
    if stands(text, at, "</key>") {
        let string = run_end(text, at + "</key>".len(), |it| it.is_ascii_whitespace(), GAP);
        return stands(text, string, "<string>").then(|| string + "<string>".len());
    }
    let between = |it: u8| it.is_ascii_whitespace() || matches!(it, b',' | b'"' | b'\'');
    let start = run_end(text, at, between, GAP);
    let apart = at < start || byte_before(text, at).is_some_and(blank);
    if !apart || !stands_in_any_case(text, start, "value") {
        return None;
    }
    let closed = run_end(text, start + "value".len(), |it| matches!(it, b'"' | b'\''), 1);
    let sign = run_end(text, closed, blank, 4);
    matches!(byte(text, sign), Some(b':' | b'=')).then_some(sign + 1)
}

/// A link without a sign: after a flag, in SQL, in netrc, in a sentence.
fn spaced(text: &str, name: &Name, at: usize) -> Option<Link> {
    if let Some(value) = typed(text, at - 1) {
        return Some(link(text, value, Manner::Assigned));
    }
    let password = name.holds == Holds::Password;
    if text[name.range.clone()].starts_with("--") || (password && is_netrc(text, name)) {
        return Some(Link { value: at, manner: Manner::Assigned });
    }
    let quote = matches!(byte(text, at), Some(b'"' | b'\''));
    // After a word in lower case, the quote may as well close a text.
    let constant = !text[name.range.clone()].contains(|it: char| it.is_ascii_lowercase());
    let opens = byte(text, at + 1).is_some_and(|it| !b",;)+: ".contains(&it));
    if quote && opens && (password || constant) {
        return Some(Link { value: at, manner: Manner::Argument });
    }
    if !password && UNSPEAKABLE <= run_end(text, at, base64, UNSPEAKABLE) - at {
        return Some(Link { value: at, manner: Manner::Spoken });
    }
    let first = clause(text, at).split(' ').next().unwrap_or_default();
    if VERBS.contains(&first) && !name.is_ambiguous() {
        return Some(link(text, at + first.len(), Manner::Spoken));
    }
    let speaks = password && !name.is_ambiguous();
    speaks.then_some(Link { value: at, manner: Manner::Beside })
}

/// The link some words on, where what stands at the first one is no secret:
/// «password for the staging database is …», «password was changed to …»
pub(crate) fn read_on(text: &str, name: &Name, first: Link) -> Option<Link> {
    let spoken = matches!(first.manner, Manner::Spoken | Manner::Beside);
    if !spoken || name.holds != Holds::Password {
        return None;
    }
    let mut end = first.value;
    for word in clause(text, first.value).split_inclusive(' ') {
        end += word.len();
        let word = word.trim_end();
        if VERBS.contains(&word) || word.ends_with(':') {
            return Some(link(text, end, Manner::SpokenAfar));
        }
    }
    None
}

/// The words from a place on, up to the end of the line or a sign.
fn clause(text: &str, at: usize) -> &str {
    let ends = ['\n', '\r', '.', ',', ';', '(', '"', '='];
    after(text, at, GAP).split(ends).next().unwrap_or_default()
}

fn is_netrc(text: &str, name: &Name) -> bool {
    let before = before(text, name.range.start, 128);
    before.contains("login ") && before.contains("machine ")
}

//! The value after a connector: the text in quotes, or the text up to where its form ends.
//!
//! `find` parses it, and `judge` decides whether it is a secret.

use std::ops::Range;

use crate::text::{after, byte, run_end, slice, stands};

use super::connector::{Connector, ConnectorKind};

/// A value and its form.
pub(crate) struct Value<'text> {
    pub(crate) text: &'text str,
    pub(crate) range: Range<usize>,
    pub(crate) form: ValueForm,
}

/// The form of a value, which is how it is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueForm {
    /// In quotes or tags: the whole content is the value.
    Quoted,
    /// A line `NAME=value`: most likely a text too.
    Plain,
    /// Without quotes, where it may also be code.
    Bare,
    /// A word of a sentence, after a verb.
    InSentence,
    /// A word of a sentence, some words after the name.
    LaterInSentence,
    /// The word after the name.
    NextWord,
}

/// Maximum length of a value.
const MAX_VALUE: usize = 2048;
/// Maximum length of a call's name around a value.
const MAX_CALLEE: usize = 40;

/// Characters that end a clause or a statement rather than a value.
const TRAILING: [char; 7] = ['.', ',', ';', ':', ')', ']', '}'];

/// Parses the value at a connector.
pub(crate) fn read(text: &str, connector: Connector) -> Option<Value<'_>> {
    let quote = opening(text, connector.value).or_else(|| opening(text, wrapped(text, connector)?));
    if let Some(quote) = quote {
        let inside = quote.inside + coded(text, quote.inside);
        let range = inside..quote.end(text)?;
        return Some(Value { text: text.get(range.clone())?, range, form: ValueForm::Quoted });
    }
    let (ends, form): (fn(char) -> bool, _) = match connector.kind {
        ConnectorKind::Argument => return None,
        ConnectorKind::Element => (is_tag, ValueForm::Quoted),
        ConnectorKind::Fallback => (is_brace, ValueForm::Quoted),
        ConnectorKind::Environment => (ends_plain, ValueForm::Plain),
        ConnectorKind::Assigned => (ends_bare, ValueForm::Bare),
        ConnectorKind::InSentence => (ends_bare, ValueForm::InSentence),
        ConnectorKind::LaterInSentence => (ends_bare, ValueForm::LaterInSentence),
        ConnectorKind::NextWord => (ends_bare, ValueForm::NextWord),
    };
    let start = connector.value + coded(text, connector.value);
    let whole = text.get(start..until(text, start, ends)?)?;
    let value = match form {
        ValueForm::Quoted => whole,
        ValueForm::Plain => before_next(whole).trim_end_matches(TRAILING),
        ValueForm::Bare
        | ValueForm::InSentence
        | ValueForm::LaterInSentence
        | ValueForm::NextWord => whole.trim_end_matches(TRAILING),
    };
    Some(Value { text: value, range: start..start + value.len(), form })
}

/// The length of an encoding prefix such as `base64:`.
fn coded(text: &str, at: usize) -> usize {
    if stands(text, at, "base64:") { "base64:".len() } else { 0 }
}

/// The start of the argument of a call that wraps the value: `[]byte("…")`, `Some("…")`.
fn wrapped(text: &str, connector: Connector) -> Option<usize> {
    let callee = |it: u8| it.is_ascii_alphanumeric() || b"_.:<>[]-".contains(&it);
    let end = run_end(text, connector.value, callee, MAX_CALLEE);
    let name = slice(text, connector.value..end);
    let calls = match byte(text, end)? {
        // A method more likely fetches the value from elsewhere.
        b'(' => !name.is_empty() && (!name.contains('.') || name.ends_with(".from")),
        b' ' => name.ends_with("SecureString"),
        _ => false,
    };
    let assigned = matches!(connector.kind, ConnectorKind::Assigned | ConnectorKind::Environment);
    (calls && assigned).then_some(end + 1)
}

/// The value up to the next parameter of a query: `…&name=`.
fn before_next(value: &str) -> &str {
    let is_next = |rest: &str| {
        let name = rest.bytes().take_while(|it| it.is_ascii_alphanumeric() || *it == b'_').count();
        0 < name && rest[name..].starts_with('=')
    };
    let mut signs = value.match_indices('&').map(|(at, _)| at);
    signs.find(|at| is_next(&value[at + 1..])).map_or(value, |at| &value[..at])
}

/// A quote that opens a text.
struct Quote {
    inside: usize,
    mark: char,
    escaped: bool,
}

/// The quote at a position, after a prefix letter that some languages allow.
fn opening(text: &str, at: usize) -> Option<Quote> {
    let prefix = after(text, at, 3).bytes().take_while(|it| b"rbfuRBFUL@$#".contains(it)).count();
    let escaped = byte(text, at + prefix) == Some(b'\\');
    let at = at + prefix + usize::from(escaped);
    let mark = match byte(text, at)? {
        b'"' => '"',
        b'\'' => '\'',
        b'`' => '`',
        _ => return None,
    };
    Some(Quote { inside: at + 1, mark, escaped })
}

impl Quote {
    /// The end of the text: the same quote, on the same line.
    fn end(&self, text: &str) -> Option<usize> {
        let rest = after(text, self.inside, MAX_VALUE);
        let mut escape = false;
        for (at, character) in rest.char_indices() {
            match character {
                '\n' => return None,
                it if it == self.mark && escape == self.escaped => {
                    return Some(self.inside + at - usize::from(self.escaped));
                }
                it => escape = it == '\\' && !escape,
            }
        }
        None
    }
}

/// The position of the first character that ends a value; `None` beyond the limit.
fn until(text: &str, from: usize, ends: fn(char) -> bool) -> Option<usize> {
    let rest = after(text, from, MAX_VALUE);
    match rest.find(ends) {
        Some(length) => Some(from + length),
        None if from + rest.len() == text.len() => Some(text.len()),
        None => None,
    }
}

fn is_tag(character: char) -> bool {
    matches!(character, '<' | '>' | '\n')
}

fn is_brace(character: char) -> bool {
    matches!(character, '}' | '\n')
}

fn ends_plain(character: char) -> bool {
    character.is_whitespace() || matches!(character, '"' | '\'' | '`')
}

fn ends_bare(character: char) -> bool {
    ends_plain(character) || matches!(character, ',' | ';' | '<' | '>' | '&' | '|' | '\\' | '}')
}

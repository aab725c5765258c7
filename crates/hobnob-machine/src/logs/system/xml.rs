//! The subset of XML that Windows events use: elements, attributes and text of one event.
//!
//! No entities are declared and nothing is fetched; malformed XML yields less, never more.

use std::borrow::Cow;

/// The text of the first element of this name, including the text of inner elements.
pub(crate) fn element_text<'xml>(xml: &'xml str, name: &str) -> Option<Cow<'xml, str>> {
    let (tag, rest) = open_tag(xml, name)?;
    if tag.ends_with('/') {
        return Some(Cow::Borrowed(""));
    }
    let end = rest.find(&format!("</{name}"))?;
    Some(unescape(&rest[..end]))
}

/// The texts of all elements of this name.
pub(crate) fn element_texts(xml: &str, name: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = xml;
    while let Some((_, after)) = open_tag(rest, name) {
        let Some(text) = element_text(rest, name) else { break };
        texts.push(text.into_owned());
        rest = after;
    }
    texts
}

/// An attribute of the first element of this name.
pub(crate) fn attribute<'xml>(xml: &'xml str, element: &str, name: &str) -> Option<Cow<'xml, str>> {
    let (tag, _) = open_tag(xml, element)?;
    let mut rest = tag;
    loop {
        let (before, after) = rest.split_once('=')?;
        let quote = after.trim_start().chars().next().filter(|it| matches!(it, '"' | '\''))?;
        let (value, next) = after.trim_start()[1..].split_once(quote)?;
        if before.split_whitespace().last() == Some(name) {
            return Some(unescape(value));
        }
        rest = next;
    }
}

/// The inside of the tag that opens an element, and the text after it.
fn open_tag<'xml>(xml: &'xml str, name: &str) -> Option<(&'xml str, &'xml str)> {
    let mut rest = xml;
    loop {
        let at = rest.find('<')?;
        rest = &rest[at + 1..];
        let Some(after) = rest.strip_prefix(name) else { continue };
        if after.starts_with(['>', '/', ' ', '\t', '\r', '\n']) {
            let end = after.find('>')?;
            return Some((&after[..end], &after[end + 1..]));
        }
    }
}

fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let known = after.split_once(';').filter(|(name, _)| name.len() <= 8);
        match known.and_then(|(name, next)| Some((entity(name)?, next))) {
            Some((letter, next)) => {
                out.push(letter);
                rest = next;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

//! Makes text of others safe to print: each character that a terminal would act on, reorder or hide
//! is shown as `\u{…}`.
//!
//! Nothing is dropped silently, so a person sees everything that a model sees.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::display_hazard::display_hazard;
use crate::shorten::single_spaced;

#[cfg(test)]
mod tests;

/// Replaces each character that a terminal would act on, reorder or hide by its escape. Line breaks
/// and tabs stay.
#[must_use]
pub fn display_safe(text: &str) -> Cow<'_, str> {
    let Some(start) = first_hazard(text) else { return Cow::Borrowed(text) };
    let mut safe = String::with_capacity(text.len() + 32);
    safe.push_str(&text[..start]);
    let mut pieces = SafePieces { before: text[..start].chars().next_back() };
    pieces.push(&text[start..], &mut safe);
    Cow::Owned(safe)
}

/// [`display_safe`] on one line: every run of white space becomes one space.
#[must_use]
pub fn safe_line(text: &str) -> String {
    display_safe(&single_spaced(text)).into_owned()
}

/// [`display_safe`] for a text that comes in pieces: the output does not depend on where the text
/// was cut.
#[derive(Debug, Clone, Default)]
pub struct SafePieces {
    /// The last character of the previous piece: decides about a selector that comes next.
    before: Option<char>,
}

impl SafePieces {
    /// Appends the next piece of the text to `safe`, with its hazards escaped.
    pub fn push(&mut self, piece: &str, safe: &mut String) {
        for letter in piece.chars() {
            match display_hazard(self.before, letter) {
                // Writing to a string cannot fail.
                Some(_) => drop(write!(safe, "\\u{{{:x}}}", u32::from(letter))),
                None => safe.push(letter),
            }
            self.before = Some(letter);
        }
    }
}

fn first_hazard(text: &str) -> Option<usize> {
    let mut before = None;
    for (at, letter) in text.char_indices() {
        if display_hazard(before, letter).is_some() {
            return Some(at);
        }
        before = Some(letter);
    }
    None
}

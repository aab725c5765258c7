//! Text that a person approves or refuses: nothing in it is invisible. Look-alike letters stay.
//!
//! Stricter than [`display_safe`](crate::display_safe), which is for text that is only read: this
//! file also escapes line breaks, unusual spaces and stacked marks. An escaped character is shown
//! as `\u{HEX}`, and a run of it as `\u{HEX×COUNT}`. JSON has no such escape, so in JSON text
//! nothing else can look like it.

use std::fmt::Write as _;

use crate::display_hazard::is_display_hazard;
use crate::shorten::ellipsize;

#[cfg(test)]
mod tests;

/// Longest run of spaces that is shown as it is; a longer one could push text out of sight.
const MAX_SPACES: usize = 8;
/// Combining marks on one letter that are shown as they are; more would cover the text around them.
const MAX_MARKS: usize = 2;
const MAX_NAME_CHARS: usize = 256;

/// The text on one line, with every character visible.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut writer = Writer::with_capacity(text.len());
    text.chars().for_each(|letter| writer.push(letter));
    writer.finish()
}

/// A name that a stranger chose, for use between backticks: every character is visible, the length
/// is limited, and the name cannot end its own quotation.
#[must_use]
pub fn quotable_name(text: &str) -> String {
    ellipsize(&visible(text).replace('`', "\\u{60}"), MAX_NAME_CHARS).into_owned()
}

/// JSON text on one line, each token unchanged. The white space between tokens is left out: it
/// means nothing and could push tokens out of sight.
#[must_use]
pub fn visible_json(text: &str) -> String {
    let mut writer = Writer::with_capacity(text.len());
    let mut place = Place::Between;
    for letter in text.chars() {
        let next = place.after(letter);
        if place != Place::Between || !matches!(letter, ' ' | '\n' | '\r' | '\t') {
            writer.push(letter);
        }
        place = next;
    }
    writer.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Between,
    InString,
    AfterBackslash,
}

impl Place {
    fn after(self, letter: char) -> Self {
        match (self, letter) {
            (Self::Between, '"') | (Self::AfterBackslash, _) => Self::InString,
            (Self::Between, _) | (Self::InString, '"') => Self::Between,
            (Self::InString, '\\') => Self::AfterBackslash,
            (Self::InString, _) => Self::InString,
        }
    }
}

/// Copies visible characters and escapes all others; a run of one character becomes one escape.
struct Writer {
    out: String,
    /// The character of the current run and the length of the run.
    run: Option<(char, usize)>,
    marks: usize,
}

impl Writer {
    fn with_capacity(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes), run: None, marks: 0 }
    }

    fn push(&mut self, letter: char) {
        self.marks = if is_mark(letter) { self.marks + 1 } else { 0 };
        let hidden = is_unseen(letter) || MAX_MARKS < self.marks;
        match &mut self.run {
            Some((before, count)) if *before == letter => *count += 1,
            _ => {
                self.end_run();
                match letter == ' ' || hidden {
                    true => self.run = Some((letter, 1)),
                    false => self.out.push(letter),
                }
            }
        }
    }

    fn end_run(&mut self) {
        let Some((letter, count)) = self.run.take() else { return };
        let code = u32::from(letter);
        // Writing to a string cannot fail.
        let _ = match (letter, count) {
            (' ', few) if few <= MAX_SPACES => {
                self.out.extend(std::iter::repeat_n(' ', few));
                Ok(())
            }
            (_, 1) => write!(self.out, "\\u{{{code:x}}}"),
            (_, many) => write!(self.out, "\\u{{{code:x}×{many}}}"),
        };
    }

    fn finish(mut self) -> String {
        self.end_run();
        self.out
    }
}

/// Whether a reader would not see the character, or would take it for another.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\n' | '\t')
        || is_display_hazard(letter)
        || (letter.is_whitespace() && letter != ' ')
        || matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e000}'..='\u{f8ff}')
        || u32::from(letter) >= 0xe_0000
}

/// Whether the character is a combining mark, drawn over the letter before it.
fn is_mark(letter: char) -> bool {
    matches!(
        letter,
        '\u{300}'..='\u{36f}'
            | '\u{483}'..='\u{489}'
            | '\u{591}'..='\u{5bd}'
            | '\u{610}'..='\u{61a}'
            | '\u{64b}'..='\u{65f}'
            | '\u{e31}'
            | '\u{e34}'..='\u{e3a}'
            | '\u{e47}'..='\u{e4e}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}'
    )
}

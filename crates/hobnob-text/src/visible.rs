//! Text that a person decides about: nothing in it is invisible, and no two texts look the same.
//!
//! Stricter than [`display_safe`](crate::display_safe), which is for text that is only read:
//! here line breaks, unusual spaces and stacked marks are made visible too. A character that is not
//! shown as it is becomes `\u{HEX}`, and a run of it `\u{HEX×COUNT}`. JSON has no such escape, so
//! in JSON text nothing else can look like it.

use std::fmt::Write as _;

use crate::display_hazard::is_display_hazard;
use crate::shorten::ellipsize;

#[cfg(test)]
mod tests;

/// Spaces in a row that are shown as they are; more of them could push text out of sight.
const SPACES: usize = 8;
/// Marks on one letter that are shown as they are; more of them cover what is around.
const MARKS: usize = 2;
/// Characters of a quoted name.
const NAME_CHARS: usize = 256;

/// One line in which every character is visible.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut writer = Writer::with_capacity(text.len());
    text.chars().for_each(|letter| writer.push(letter));
    writer.finish()
}

/// A name that strangers chose, to stand between backticks: visible, not too long, and unable to end its
/// own quotation.
#[must_use]
pub fn quotable_name(text: &str) -> String {
    ellipsize(&visible(text).replace('`', "\\u{60}"), NAME_CHARS).into_owned()
}

/// JSON text on one line: every token exactly as it stands, without the white space between
/// tokens, which means nothing and could push them out of sight.
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

/// Where in JSON text a character stands.
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

/// Writes letters as they are and everything else as escapes, runs of it as one.
struct Writer {
    out: String,
    /// The character that may be part of a run, and how often it came.
    run: Option<(char, usize)>,
    marks: usize,
}

impl Writer {
    fn with_capacity(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes), run: None, marks: 0 }
    }

    fn push(&mut self, letter: char) {
        self.marks = if is_mark(letter) { self.marks + 1 } else { 0 };
        let hidden = is_unseen(letter) || MARKS < self.marks;
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
            (' ', few) if few <= SPACES => {
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

/// Whether a reader does not see it, or takes it for something else.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\n' | '\t')
        || is_display_hazard(letter)
        || (letter.is_whitespace() && letter != ' ')
        || matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e000}'..='\u{f8ff}')
        || u32::from(letter) >= 0xe_0000
}

/// Marks that are drawn over the letter before them.
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

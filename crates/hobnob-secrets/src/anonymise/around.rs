//! A word with its context: the words before it, and the text between and after them. The
//! recognisers of names use it.

use std::ops::Range;

use super::names::name_length;

/// How many preceding words are kept.
pub(super) const KEPT_WORDS: usize = 4;

/// A word and its context.
pub(super) struct Around<'text> {
    pub(super) text: &'text str,
    /// The ranges of the preceding words, nearest first; empty where there is none.
    pub(super) words: &'text [Range<usize>; KEPT_WORDS],
    pub(super) word: Range<usize>,
}

/// The text between a word and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    Blank,
    /// Blanks and an opening quote: `user "bob"`.
    Quoted,
    /// The same with a bracket, in which numbers and words may stand as well: `user [bob]`.
    Bracketed,
    /// An assignment sign followed only by blanks: `user=bob`, `user: bob`.
    Assigned,
    /// An assignment sign and a quote: `"user":"bob"`, `user=<bob>`.
    AssignedQuoted,
    /// Only an opening bracket: `imap(bob)`.
    Called,
    Other,
}

impl<'text> Around<'text> {
    /// The preceding word: the nearest one for 0, the one before it for 1.
    pub(super) fn previous(&self, back: usize) -> &'text str {
        &self.text[self.words[back].clone()]
    }

    /// The preceding word without the signs of a key, such as `user` for `user:`.
    pub(super) fn key(&self, back: usize) -> &'text str {
        self.previous(back).trim_matches([':', '\\'])
    }

    /// The text between two consecutive words: before the word for 0, one word earlier for 1.
    pub(super) fn between(&self, back: usize) -> &'text str {
        let end = if back == 0 { self.word.start } else { self.words[back - 1].start };
        self.text.get(self.words[back].end..end).unwrap_or_default()
    }

    /// Whether a preceding word is the first of its line.
    pub(super) fn begins_line(&self, back: usize) -> bool {
        let start = self.words[back].start;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    /// The byte right before the word.
    pub(super) fn opening(&self) -> u8 {
        self.word.start.checked_sub(1).map_or(b' ', |at| self.text.as_bytes()[at])
    }

    /// The text after this byte.
    pub(super) fn after(&self, end: usize) -> &'text str {
        &self.text[end..]
    }

    /// The text after the name that the word begins with.
    pub(super) fn after_name(&self) -> &'text str {
        self.after(self.word.start + name_length(&self.text[self.word.clone()]))
    }

    pub(super) fn gap(&self) -> Gap {
        let gap = self.between(0).as_bytes();
        match gap {
            _ if self.words[0].is_empty() => return Gap::Other,
            b" " if !self.previous(0).ends_with(':') => return Gap::Blank,
            b"(" => return Gap::Called,
            _ if 10 < gap.len() => return Gap::Other,
            _ => {}
        }
        let (mut assigned, mut opened) = (self.previous(0).ends_with(':'), None);
        for (at, byte) in gap.iter().enumerate() {
            match byte {
                b' ' | b'\t' | b'\\' => {}
                // In `ruser= rhost=x` the next key is not the value.
                b'=' if is_empty_value(gap, at) => return Gap::Other,
                b'=' | b':' => (assigned, opened) = (true, None),
                b'>' if 0 < at && gap[at - 1] == b'=' => {}
                b'>' if self.is_tag(gap) => (assigned, opened) = (true, None),
                b'"' | b'\'' | b'`' => opened = Some(Gap::Quoted),
                b'<' if assigned => opened = Some(Gap::Quoted),
                b'(' | b'[' => opened = Some(Gap::Bracketed),
                _ => return Gap::Other,
            }
        }
        match (assigned, opened) {
            (true, None) => Gap::Assigned,
            (true, Some(_)) => Gap::AssignedQuoted,
            (false, None) => Gap::Blank,
            // `"a" "b"` are two texts, and `it's` is one.
            (false, Some(opened)) if matches!(gap[0], b' ' | b'\t') => opened,
            (false, Some(_)) => Gap::Other,
        }
    }

    /// The end of an element or attribute: `<User>bob`, `<Data Name='User'>bob`.
    fn is_tag(&self, gap: &[u8]) -> bool {
        let before = self.words[0].start.checked_sub(1).map(|at| self.text.as_bytes()[at]);
        match gap {
            b">" => before == Some(b'<'),
            b"'>" | b"\">" => matches!(before, Some(b'\'' | b'"')),
            _ => false,
        }
    }
}

fn is_empty_value(gap: &[u8], sign: usize) -> bool {
    let blank =
        |at: Option<usize>| at.and_then(|at| gap.get(at)).is_some_and(|it| b" \t".contains(it));
    blank(Some(sign + 1)) && !blank(sign.checked_sub(1))
}

//! Text of strangers on its way to a person's eyes: made visible, and looked at for tricks.
//!
//! Nothing is dropped in silence: what a terminal would act on or hide is shown as `\u{…}`, so a
//! person sees all that a model sees.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A trick that a text seems to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suspicion {
    /// Characters that are not seen: zero width, tags, fillers, stacked variation selectors.
    HiddenUnicode,
    /// Characters that reorder what is seen.
    BidiControl,
    /// Characters that a terminal acts on.
    TerminalControl,
    /// A comment that a renderer would hide.
    HtmlComment,
    /// Words that address the model instead of describing the tool.
    Instructions,
}

impl Suspicion {
    /// The kind in one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HiddenUnicode => "hidden-unicode",
            Self::BidiControl => "bidi-control",
            Self::TerminalControl => "terminal-control",
            Self::HtmlComment => "html-comment",
            Self::Instructions => "instructions",
        }
    }
}

/// Words in lower case that speak to a model. Tags are matched without their closing bracket.
const INSTRUCTIONS: [&str; 14] = [
    "<important",
    "<system>",
    "<system_prompt",
    "<instruction",
    "<secret",
    "<|im_start|>",
    "[inst]",
    "ignore previous instructions",
    "ignore all previous",
    "ignore the above",
    "disregard previous",
    "do not tell the user",
    "don't tell the user",
    "do not mention this",
];

/// The text with everything made visible that a terminal would act on, reorder or hide.
#[must_use]
pub fn display_safe(text: &str) -> Cow<'_, str> {
    let Some(start) = first_trick(text) else { return Cow::Borrowed(text) };
    let mut safe = String::with_capacity(text.len() + 32);
    safe.push_str(&text[..start]);
    let mut pieces = SafePieces { before: text[..start].chars().next_back() };
    pieces.push(&text[start..], &mut safe);
    Cow::Owned(safe)
}

/// [`display_safe`] for a text that comes in pieces: what is written does not depend on where the
/// text was cut.
#[derive(Debug, Clone, Default)]
pub struct SafePieces {
    /// The last character of the piece before, which decides about a selector after it.
    before: Option<char>,
}

impl SafePieces {
    /// Writes the next piece of the text, made visible.
    pub fn push(&mut self, piece: &str, safe: &mut String) {
        for letter in piece.chars() {
            match trick(self.before, letter) {
                // Writing to a string cannot fail.
                Some(_) => drop(write!(safe, "\\u{{{:x}}}", u32::from(letter))),
                None => safe.push(letter),
            }
            self.before = Some(letter);
        }
    }
}

/// JSON text with the same meaning in which nothing is left that a terminal would act on, reorder
/// or hide: such characters can only stand in strings, and become `\uXXXX` there.
#[must_use]
pub fn json_safe(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii() && byte != b'\x7f';
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 32);
    for letter in text.chars() {
        match is_trick(letter) || is_selector(letter) {
            true => escape_utf16(&mut safe, letter),
            false => safe.push(letter),
        }
    }
    Cow::Owned(safe)
}

/// A character as JSON escapes it.
pub(crate) fn escape_utf16(out: &mut String, letter: char) {
    for unit in letter.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// The kinds of tricks a text seems to play, each once, in a fixed order.
#[must_use]
pub fn suspicious(text: &str) -> Vec<Suspicion> {
    let mut kinds = Vec::new();
    let mut seen = String::with_capacity(text.len());
    let mut before = None;
    for letter in text.chars() {
        match trick(before, letter) {
            Some(kind) => kinds.push(kind),
            // Words that hidden characters tear apart are read as a model would read them.
            None => seen.push(letter.to_ascii_lowercase()),
        }
        before = Some(letter);
    }
    if seen.contains("<!--") {
        kinds.push(Suspicion::HtmlComment);
    }
    let words = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    if INSTRUCTIONS.iter().any(|phrase| words.contains(phrase)) {
        kinds.push(Suspicion::Instructions);
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Whether a character must not reach a terminal or a log file as it is.
pub(crate) fn is_trick(letter: char) -> bool {
    trick(None, letter).is_some()
}

fn first_trick(text: &str) -> Option<usize> {
    let mut before = None;
    for (at, letter) in text.char_indices() {
        if trick(before, letter).is_some() {
            return Some(at);
        }
        before = Some(letter);
    }
    None
}

fn trick(before: Option<char>, letter: char) -> Option<Suspicion> {
    match letter {
        '\n' | '\t' | ' '..='~' => None,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
            Some(Suspicion::TerminalControl)
        }
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(Suspicion::BidiControl)
        }
        // One selector makes an emoji of a sign; a second in a row can only carry hidden bits.
        '\u{fe0e}' | '\u{fe0f}' => before.filter(|it| is_selector(*it)).map(|_| HIDDEN),
        _ => is_hidden(letter).then_some(HIDDEN),
    }
}

const HIDDEN: Suspicion = Suspicion::HiddenUnicode;

fn is_selector(letter: char) -> bool {
    matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Characters without a shape of their own, as far as fonts draw nothing for them.
fn is_hidden(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0d}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

//! Checks descriptions of tools for tricks on a model or on a person.

use hobnob_text::{DisplayHazard, display_hazard};

/// A trick that a text seems to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suspicion {
    /// Invisible characters: zero width, tags, fillers, stacked variation selectors.
    HiddenUnicode,
    /// Characters that reorder the text around them.
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

/// Lower-case phrases that address a model. Tags are matched without their closing bracket.
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

/// The kinds of tricks a text seems to play, each once, in a fixed order.
#[must_use]
pub fn suspicious(text: &str) -> Vec<Suspicion> {
    let mut kinds = Vec::new();
    let mut seen = String::with_capacity(text.len());
    let mut before = None;
    for letter in text.chars() {
        match display_hazard(before, letter) {
            Some(hazard) => kinds.push(Suspicion::from(hazard)),
            // Hidden characters inside a phrase are skipped, as a model would skip them.
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

impl From<DisplayHazard> for Suspicion {
    fn from(hazard: DisplayHazard) -> Self {
        match hazard {
            DisplayHazard::Hidden => Self::HiddenUnicode,
            DisplayHazard::BidiControl => Self::BidiControl,
            DisplayHazard::TerminalControl => Self::TerminalControl,
        }
    }
}

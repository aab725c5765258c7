//! A cell of a list, whether the list is shown as a table or as cards.
//!
//! What must stay true: its text is safe for a terminal, and on one line.

use super::safe::one_line;
use super::tone::Tone;

/// The text of a cell, made safe and put on one line, and its colour.
#[derive(Debug, Clone)]
pub struct Cell {
    pub(super) text: String,
    pub(super) tone: Tone,
}

impl Cell {
    /// A cell in the colour of this tone.
    pub fn toned(tone: Tone, text: &str) -> Self {
        Self { text: one_line(text), tone }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::toned(Tone::Plain, text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

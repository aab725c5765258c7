//! The first step for every text: line breaks become `\n`, and terminal controls become visible.
//! All later code may trust each character.

use hobnob_text::SafePieces;

/// Cleans text that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct CleanedText {
    safe: SafePieces,
    /// Whether the last piece ended with `\r`, which is part of a line break only before `\n`.
    carriage_return: bool,
}

impl CleanedText {
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let mut text = String::with_capacity(piece.len() + 1);
        if piece.is_empty() {
            return text;
        }
        if self.carriage_return {
            text.push('\r');
        }
        text.push_str(piece);
        self.carriage_return = text.ends_with('\r');
        if self.carriage_return {
            text.pop();
        }
        let mut cleaned = String::with_capacity(text.len());
        self.safe.push(&text.replace("\r\n", "\n"), &mut cleaned);
        cleaned
    }

    /// The last character, if it had to wait for another one.
    pub(crate) fn finish(mut self) -> String {
        let mut cleaned = String::new();
        if self.carriage_return {
            self.safe.push("\r", &mut cleaned);
        }
        cleaned
    }
}

//! Typeahead: what the person types while an answer comes. Complete lines wait for their turn, the
//! rest is the draft of the next line.
//!
//! `interactive` passes in the bytes that the terminal reads, and sends the lines when the answer is
//! complete. What must stay true: no typed text is lost up to the limit of a draft, and pasted text is
//! not sent before the person has seen it.

use super::completion::is_incomplete;
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The most lines that wait; what is typed after them stays in the draft.
const MAX_LINES: usize = 32;
/// The most bytes of a draft; further keys are dropped.
const MAX_DRAFT: usize = 1 << 20;
const ESCAPE: u8 = 0x1b;
const BEGIN_PASTE: &[u8] = b"200";
const END_PASTE: &[u8] = b"201";

/// The waiting lines and the draft. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct TypedAhead(Arc<Mutex<KeyReader>>);

impl TypedAhead {
    fn reader(&self) -> MutexGuard<'_, KeyReader> {
        self.0.lock()
    }

    /// Reads the bytes of keys, and returns the draft after them.
    pub(super) fn push_keys(&self, bytes: &[u8]) -> String {
        let mut reader = self.reader();
        reader.read(bytes);
        reader.draft.clone()
    }

    /// Whether a line waits.
    pub(super) fn has_line(&self) -> bool {
        !self.reader().lines.is_empty()
    }

    /// Takes the line that has waited longest.
    pub(super) fn next_line(&self) -> Option<String> {
        self.reader().lines.pop_front()
    }

    /// Takes the unfinished line.
    pub(super) fn take_draft(&self) -> String {
        std::mem::take(&mut self.reader().draft)
    }

    /// Makes one draft of `unsent`, the lines that wait, and what was typed after them.
    pub(super) fn back_to_draft(&self, unsent: Option<String>) {
        let mut reader = self.reader();
        let lines = std::mem::take(&mut reader.lines);
        let draft = std::mem::take(&mut reader.draft);
        let parts = unsent.into_iter().chain(lines).chain(Some(draft).filter(|it| !it.is_empty()));
        reader.draft = parts.collect::<Vec<_>>().join("\n");
    }
}

/// Turns bytes of a terminal into lines: text, Enter, Backspace, Ctrl-U, Ctrl-W, bracketed pastes.
#[derive(Debug, Default)]
struct KeyReader {
    lines: VecDeque<String>,
    draft: String,
    /// The first bytes of an incomplete UTF-8 character.
    letter: Vec<u8>,
    sequence: Sequence,
    pasting: bool,
}

/// The state of the parser for escape sequences.
#[derive(Debug, Default, PartialEq, Eq)]
enum Sequence {
    #[default]
    None,
    Escape,
    /// After `ESC [`: these parameters, until the final byte.
    Parameters(Vec<u8>),
    /// After `ESC O`: one byte follows, as with a function key.
    Last,
}

impl KeyReader {
    fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.read_byte(*byte);
        }
    }

    fn read_byte(&mut self, byte: u8) {
        match (&mut self.sequence, byte) {
            (Sequence::None, ESCAPE) => self.sequence = Sequence::Escape,
            (Sequence::None, byte) => self.key(byte),
            (Sequence::Escape, b'[') => self.sequence = Sequence::Parameters(Vec::new()),
            (Sequence::Escape, b'O') => self.sequence = Sequence::Last,
            (Sequence::Escape, byte) => {
                self.sequence = Sequence::None;
                // Alt-Enter begins another line, as in the editor.
                if matches!(byte, b'\r' | b'\n') {
                    self.push('\n');
                }
            }
            (Sequence::Parameters(read), b'0'..=b';') if read.len() < END_PASTE.len() => {
                read.push(byte);
            }
            (Sequence::Parameters(_), 0x20..=0x3f) => {}
            (Sequence::Parameters(read), last) => {
                match (&**read, last) {
                    (BEGIN_PASTE, b'~') => self.pasting = true,
                    (END_PASTE, b'~') => self.pasting = false,
                    _ => {}
                }
                self.sequence = Sequence::None;
            }
            (Sequence::Last, _) => self.sequence = Sequence::None,
        }
    }

    fn key(&mut self, byte: u8) {
        match byte {
            b'\r' | b'\n' if self.pasting => self.push('\n'),
            b'\r' | b'\n' => self.enter(),
            b'\t' if self.pasting => self.push('\t'),
            0x08 | 0x7f => drop(self.draft.pop()),
            // Ctrl-U and Ctrl-W.
            0x15 => self.draft.clear(),
            0x17 => self.delete_word(),
            0..0x20 => {}
            byte => self.letter_byte(byte),
        }
    }

    fn letter_byte(&mut self, byte: u8) {
        self.letter.push(byte);
        match std::str::from_utf8(&self.letter) {
            Ok(letter) => {
                let letter = letter.chars().next();
                self.letter.clear();
                letter.into_iter().for_each(|letter| self.push(letter));
            }
            // More bytes may complete the character.
            Err(error) if error.error_len().is_none() => {}
            Err(_) => self.letter.clear(),
        }
    }

    fn push(&mut self, letter: char) {
        if self.draft.len() < MAX_DRAFT {
            self.draft.push(letter);
        }
    }

    fn enter(&mut self) {
        if is_incomplete(&self.draft) || self.lines.len() == MAX_LINES {
            self.push('\n');
        } else if !self.draft.trim().is_empty() {
            self.lines.push_back(std::mem::take(&mut self.draft));
        }
    }

    fn delete_word(&mut self) {
        let kept = self.draft.trim_end();
        let kept = kept.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        // The space before the word may have more than one byte.
        let kept = (kept..=self.draft.len()).find(|at| self.draft.is_char_boundary(*at));
        self.draft.truncate(kept.unwrap_or_default());
    }
}

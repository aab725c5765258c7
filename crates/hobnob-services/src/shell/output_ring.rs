//! A ring buffer with the newest output of a background process, in which each byte has a position.
//!
//! Readers name the position to read from. Older output than the ring holds is gone, and a late
//! reader learns how many bytes it missed.

use super::kept_output::OutputPiece;
use hobnob_mcp_engine::OutputStream;
use std::collections::VecDeque;

/// Most pieces in the ring, since a piece costs more than its text.
const MAX_PIECES: usize = 8192;
/// Size from which a piece gets no more text appended, so that dropping old text copies little.
const APPEND_LIMIT: usize = 16 * 1024;

/// The newest output of both streams, in order of arrival.
#[derive(Debug)]
pub(super) struct OutputRing {
    pieces: VecDeque<OutputPiece>,
    limit: usize,
    bytes: usize,
    /// The position of the first byte in the ring.
    begin: u64,
}

/// The output from a reader's position on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutputPart {
    pub(super) pieces: Vec<OutputPiece>,
    /// How many bytes between the reader's position and the first piece are gone.
    pub(super) missed: u64,
    /// The position to read from next.
    pub(super) next: u64,
}

impl OutputRing {
    /// Keeps at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { pieces: VecDeque::new(), limit, bytes: 0, begin: 0 }
    }

    /// The position after the last byte.
    pub(super) fn end(&self) -> u64 {
        self.begin + self.bytes as u64
    }

    pub(super) fn push(&mut self, stream: OutputStream, text: &str) {
        self.bytes += text.len();
        match self.pieces.back_mut() {
            Some(last) if last.stream == stream && last.text.len() < APPEND_LIMIT => {
                last.text.push_str(text);
            }
            _ => self.pieces.push_back(OutputPiece { stream, text: text.to_owned() }),
        }
        while self.limit < self.bytes || MAX_PIECES < self.pieces.len() {
            let Some(mut oldest) = self.pieces.pop_front() else { break };
            let excess = self.bytes.saturating_sub(self.limit);
            let cut = match excess {
                0 => oldest.text.len(),
                excess => oldest.text.ceil_char_boundary(excess.min(oldest.text.len())),
            };
            self.bytes -= cut;
            self.begin += cut as u64;
            if cut < oldest.text.len() {
                oldest.text.drain(..cut);
                self.pieces.push_front(oldest);
            }
        }
    }

    /// The output from a position on. A position beyond the end counts as the end.
    pub(super) fn since(&self, position: u64) -> OutputPart {
        let missed = self.begin.saturating_sub(position);
        let mut skip = usize::try_from(position.saturating_sub(self.begin)).unwrap_or(usize::MAX);
        let mut pieces: Vec<OutputPiece> = Vec::new();
        for piece in &self.pieces {
            if piece.text.len() <= skip {
                skip -= piece.text.len();
                continue;
            }
            // No reader was given a position inside a character: round it down.
            let text = &piece.text[piece.text.floor_char_boundary(skip)..];
            skip = 0;
            match pieces.last_mut() {
                Some(last) if last.stream == piece.stream => last.text.push_str(text),
                _ => pieces.push(OutputPiece { stream: piece.stream, text: text.to_owned() }),
            }
        }
        OutputPart { pieces, missed, next: self.end() }
    }
}

#[cfg(test)]
mod tests;

//! The newest output of a process in the background, with a position for each byte of its text.
//!
//! Readers say from which position on they want to read. What is older than the ring is gone, and a
//! reader that comes too late learns how much it missed.

use super::kept_output::OutputPiece;
use hobnob_mcp_engine::OutputStream;
use std::collections::VecDeque;

/// Pieces that are kept, since each costs more than its text.
const MAX_PIECES: usize = 8192;
/// Bytes from which on a piece is not added to, so that little is copied when it makes room.
const LONG_PIECE: usize = 16 * 1024;

/// The newest output, both streams in the order in which they came.
#[derive(Debug)]
pub(super) struct OutputRing {
    pieces: VecDeque<OutputPiece>,
    limit: usize,
    bytes: usize,
    /// The position of the first byte that is kept.
    begin: u64,
}

/// What a reader gets from its position on, and how much it came too late for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutputPart {
    pub(super) pieces: Vec<OutputPiece>,
    /// Bytes before the first piece that are gone.
    pub(super) missed: u64,
    /// Where to read on.
    pub(super) next: u64,
}

impl OutputRing {
    /// Keeps at most that many bytes.
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
            Some(last) if last.stream == stream && last.text.len() < LONG_PIECE => {
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

    /// What came at this position and later. A position in the future is the end.
    pub(super) fn since(&self, position: u64) -> OutputPart {
        let missed = self.begin.saturating_sub(position);
        let mut skip = usize::try_from(position.saturating_sub(self.begin)).unwrap_or(usize::MAX);
        let mut pieces: Vec<OutputPiece> = Vec::new();
        for piece in &self.pieces {
            if piece.text.len() <= skip {
                skip -= piece.text.len();
                continue;
            }
            // A position inside of a character was made up.
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

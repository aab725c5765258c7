//! What is kept of a command's output: the beginning and the end of each stream, in the order in
//! which the pieces came.
//!
//! A command is read to its end whatever it writes, so that it is never held up; only this much of it
//! is remembered. The beginning says what was begun, the end how it went.

use std::collections::VecDeque;

use hobnob_mcp_engine::OutputStream;

/// Pieces of one stream that are kept in each half, since each costs more than its text.
const MAX_PIECES: usize = 4096;

/// Bytes from which on a piece is not added to, so that little is copied when it makes room.
const LONG_PIECE: usize = 16 * 1024;

/// A piece of output, from one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutputPiece {
    pub(super) stream: OutputStream,
    pub(super) text: String,
}

/// The kept output of one command.
#[derive(Debug)]
pub(super) struct KeptOutput {
    streams: [KeptStream; 2],
    /// Half of what one stream may keep, in bytes.
    half: usize,
    /// The number of the next piece.
    next: u64,
    last: Option<OutputStream>,
}

/// One stream: its head, and a tail whose oldest pieces make room.
#[derive(Debug, Default)]
struct KeptStream {
    head: Pieces,
    tail: Pieces,
    /// Whether the head has taken all that it may.
    head_is_full: bool,
    left_out: u64,
}

/// Numbered pieces of one stream.
#[derive(Debug, Default)]
struct Pieces {
    queue: VecDeque<(u64, String)>,
    bytes: usize,
}

impl KeptOutput {
    /// Keeps at most that many bytes of each stream.
    pub(super) fn new(limit: usize) -> Self {
        let streams = [KeptStream::default(), KeptStream::default()];
        Self { streams, half: limit / 2, next: 0, last: None }
    }

    /// Takes the next piece, and drops of the middle what does not fit.
    pub(super) fn push(&mut self, stream: OutputStream, text: &str) {
        if text.is_empty() {
            return;
        }
        // Pieces of one stream that follow each other are one piece.
        if self.last != Some(stream) {
            self.next += 1;
            self.last = Some(stream);
        }
        let (half, number) = (self.half, self.next);
        let kept = &mut self.streams[index(stream)];
        let mut rest = text;
        if !kept.head_is_full {
            let room = half.saturating_sub(kept.head.bytes);
            let cut = text.floor_char_boundary(room);
            kept.head.push(number, &text[..cut]);
            rest = &text[cut..];
            kept.head_is_full = !rest.is_empty() || MAX_PIECES <= kept.head.queue.len();
        }
        if !rest.is_empty() {
            kept.tail.push(number, rest);
            kept.left_out += kept.tail.shrink(half);
        }
    }

    /// Bytes that were left out of a stream.
    pub(super) fn left_out(&self, stream: OutputStream) -> u64 {
        self.streams[index(stream)].left_out
    }

    /// All that was kept of one stream, with a line where something was left out.
    pub(super) fn text(&self, stream: OutputStream) -> String {
        let kept = &self.streams[index(stream)];
        let mut text: String = kept.head.texts().collect();
        if kept.left_out > 0 {
            text.push_str(&gap(kept.left_out));
        }
        text.extend(kept.tail.texts());
        text
    }

    /// All that was kept, in the order in which it came.
    pub(super) fn into_pieces(self) -> Vec<OutputPiece> {
        let mut numbered = Vec::new();
        for stream in [OutputStream::Stdout, OutputStream::Stderr] {
            let kept = &self.streams[index(stream)];
            let piece = |(number, text): &(u64, String)| (*number, stream, text.clone());
            numbered.extend(kept.head.queue.iter().map(piece));
            let mut tail = kept.tail.queue.iter().map(piece);
            if let Some((number, stream, text)) = tail.next() {
                let gap = if kept.left_out > 0 { gap(kept.left_out) } else { String::new() };
                numbered.push((number, stream, format!("{gap}{text}")));
            }
            numbered.extend(tail);
        }
        // Stable, so that the end of a head stays before the beginning of its tail.
        numbered.sort_by_key(|(number, ..)| *number);
        let mut pieces: Vec<OutputPiece> = Vec::new();
        for (_, stream, text) in numbered {
            match pieces.last_mut() {
                Some(last) if last.stream == stream => last.text.push_str(&text),
                _ => pieces.push(OutputPiece { stream, text }),
            }
        }
        pieces
    }
}

impl Pieces {
    fn push(&mut self, number: u64, text: &str) {
        if text.is_empty() {
            return;
        }
        self.bytes += text.len();
        match self.queue.back_mut() {
            Some((last, piece)) if *last == number && piece.len() < LONG_PIECE => {
                piece.push_str(text);
            }
            _ => self.queue.push_back((number, text.to_owned())),
        }
    }

    /// Drops the oldest text until the rest fits; how many bytes went.
    fn shrink(&mut self, limit: usize) -> u64 {
        let before = self.bytes;
        while limit < self.bytes || MAX_PIECES < self.queue.len() {
            let Some((number, text)) = self.queue.pop_front() else { break };
            let excess = self.bytes.saturating_sub(limit);
            let cut = match excess {
                0 => text.len(),
                excess => text.ceil_char_boundary(excess.min(text.len())),
            };
            self.bytes -= cut;
            if cut < text.len() {
                self.queue.push_front((number, text[cut..].to_owned()));
            }
        }
        (before - self.bytes) as u64
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.queue.iter().map(|(_, text)| text.as_str())
    }
}

fn gap(left_out: u64) -> String {
    format!("\n[{left_out} bytes left out]\n")
}

fn index(stream: OutputStream) -> usize {
    match stream {
        OutputStream::Stdout => 0,
        OutputStream::Stderr => 1,
    }
}

#[cfg(test)]
mod tests;

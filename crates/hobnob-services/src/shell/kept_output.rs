//! The part of a command's output that is kept: the beginning and the end of each stream, in the
//! order in which the pieces arrived.
//!
//! A command's output is always read to its end, so that the command never blocks; only this much
//! is kept. The beginning shows what was started, the end how it went.

use std::collections::VecDeque;

use hobnob_mcp_engine::OutputStream;

/// Most pieces in each half of a stream, since a piece costs more than its text.
const MAX_PIECES: usize = 4096;

/// Size from which a piece gets no more text appended, so that dropping old text copies little.
const APPEND_LIMIT: usize = 16 * 1024;

/// A piece of output from one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutputPiece {
    pub(super) stream: OutputStream,
    pub(super) text: String,
}

/// The kept output of one command.
#[derive(Debug)]
pub(super) struct KeptOutput {
    streams: [KeptStream; 2],
    /// Capacity of the head, and of the tail, of each stream in bytes.
    half: usize,
    /// The number of the current piece.
    number: u64,
    last: Option<OutputStream>,
}

/// One stream: its head, and a tail whose oldest pieces are dropped first.
#[derive(Debug, Default)]
struct KeptStream {
    head: Pieces,
    tail: Pieces,
    /// Whether the head is full, so that further text goes to the tail.
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
    /// Keeps at most `limit` bytes of each stream.
    pub(super) fn new(limit: usize) -> Self {
        let streams = [KeptStream::default(), KeptStream::default()];
        Self { streams, half: limit / 2, number: 0, last: None }
    }

    /// Appends a piece, and drops text from the middle if the stream is over its limit.
    pub(super) fn push(&mut self, stream: OutputStream, text: &str) {
        if text.is_empty() {
            return;
        }
        // Consecutive pieces of the same stream count as one.
        if self.last != Some(stream) {
            self.number += 1;
            self.last = Some(stream);
        }
        let (half, number) = (self.half, self.number);
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

    /// How many bytes of a stream were dropped.
    pub(super) fn left_out(&self, stream: OutputStream) -> u64 {
        self.streams[index(stream)].left_out
    }

    /// All kept text of one stream, with a line that marks the gap.
    pub(super) fn text(&self, stream: OutputStream) -> String {
        let kept = &self.streams[index(stream)];
        let mut text: String = kept.head.texts().collect();
        if kept.left_out > 0 {
            text.push_str(&gap(kept.left_out));
        }
        text.extend(kept.tail.texts());
        text
    }

    /// All kept pieces of both streams, in order of arrival.
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
        // A stable sort, so that the end of a head stays before the beginning of its tail.
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
            Some((last, piece)) if *last == number && piece.len() < APPEND_LIMIT => {
                piece.push_str(text);
            }
            _ => self.queue.push_back((number, text.to_owned())),
        }
    }

    /// Drops the oldest text until the rest fits; returns how many bytes were dropped.
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

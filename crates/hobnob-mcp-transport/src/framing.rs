//! Cuts bytes into lines, with a length limit. Stdio, pipes and the in-memory pair feed it; it
//! knows nothing of threads or sockets.
//!
//! A line over the limit is skipped to its end and then reported once, with the id and the kind of
//! message that its envelope shows; memory stays within the limit.

use hobnob_mcp_types::{EnvelopeParts, EnvelopeScanner, Incoming, Undecodable};
use std::sync::atomic::{AtomicBool, Ordering};

/// One line of the input.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its line end, never blank.
    Text(Vec<u8>),
    /// A line over the limit; its bytes were dropped.
    TooLong {
        /// The limit that the line exceeded, in bytes.
        limit: usize,
        /// The id and the kind of the message, if the envelope showed them.
        envelope: Box<EnvelopeParts>,
    },
}

impl Line {
    /// Decodes the line. Lone surrogates are replaced by U+FFFD, which is logged.
    pub fn decode(self) -> Result<Incoming, Undecodable> {
        match self {
            Self::Text(bytes) => Incoming::decode_bytes_noting(&bytes, log_replaced),
            Self::TooLong { limit, envelope } => Err(Undecodable::too_long(limit, *envelope)),
        }
    }
}

/// Logs that lone surrogates were replaced: as a warning the first time, at level debug later,
/// because a peer that sends one may send thousands.
pub fn log_replaced(count: usize) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    const WHAT: &str = "half surrogate pairs in a message were replaced by U+FFFD";
    if WARNED.swap(true, Ordering::Relaxed) {
        tracing::debug!(count, "{WHAT}");
    } else {
        tracing::warn!(count, "{WHAT}; further ones are logged at level debug");
    }
}

/// How much of a line is still to come.
#[derive(Clone, Copy)]
enum Rest {
    None,
    Unknown,
}

/// Cuts a stream of bytes into lines.
#[derive(Debug)]
pub struct LineFramer {
    limit: usize,
    partial: Vec<u8>,
    /// Scans the envelope of the line that is being skipped.
    skipping: Option<EnvelopeScanner>,
    started: bool,
}

impl LineFramer {
    /// A framer for lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, partial: Vec::new(), skipping: None, started: false }
    }

    /// Takes the next bytes and appends the lines they complete.
    pub fn push(&mut self, bytes: &[u8], lines: &mut Vec<Line>) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.extend(&rest[..end], Rest::None);
            self.end_line(lines);
            rest = &rest[end + 1..];
        }
        self.extend(rest, Rest::Unknown);
    }

    /// The input has ended: the bytes that are left count as a line.
    pub fn finish(&mut self, lines: &mut Vec<Line>) {
        self.end_line(lines);
    }

    fn extend(&mut self, bytes: &[u8], rest: Rest) {
        if let Some(scanner) = &mut self.skipping {
            scanner.push(bytes);
            return;
        }
        let length = self.partial.len() + bytes.len();
        if length > self.limit {
            let scanner = self.skipping.insert(EnvelopeScanner::default());
            scanner.push(&std::mem::take(&mut self.partial));
            scanner.push(bytes);
            return;
        }
        if self.partial.capacity() < length {
            let room = match rest {
                // Most lines arrive whole: allocate exactly their length.
                Rest::None => length,
                // Room for twice as much, but never more than the limit.
                Rest::Unknown => (2 * length).min(self.limit),
            };
            self.partial.reserve_exact(room - self.partial.len());
        }
        self.partial.extend_from_slice(bytes);
    }

    fn end_line(&mut self, lines: &mut Vec<Line>) {
        let mut line = std::mem::take(&mut self.partial);
        if let Some(scanner) = self.skipping.take() {
            lines.push(Line::TooLong { limit: self.limit, envelope: Box::new(scanner.parts()) });
            return;
        }
        if !std::mem::replace(&mut self.started, true) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if !line.iter().all(u8::is_ascii_whitespace) {
            lines.push(Line::Text(line));
        }
    }
}

//! Bytes to lines, with a cap. Knows nothing of JSON, threads or sockets.
//!
//! A line over the cap is reported once and skipped to its end; memory stays at the cap.

/// What a stretch of input turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its end, never blank.
    Text(Vec<u8>),
    /// A line longer than the cap; its bytes are gone.
    TooLong {
        /// The cap it broke.
        limit: usize,
    },
}

/// Cuts a stream of bytes into lines.
#[derive(Debug)]
pub struct LineFramer {
    limit: usize,
    partial: Vec<u8>,
    skipping: bool,
    started: bool,
}

impl LineFramer {
    /// A framer for lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, partial: Vec::new(), skipping: false, started: false }
    }

    /// Takes the next bytes and appends the lines they complete.
    pub fn push(&mut self, bytes: &[u8], lines: &mut Vec<Line>) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.extend(&rest[..end], lines);
            self.end_line(lines);
            rest = &rest[end + 1..];
        }
        self.extend(rest, lines);
    }

    /// The input is over: what is left counts as a line.
    pub fn finish(&mut self, lines: &mut Vec<Line>) {
        self.end_line(lines);
    }

    fn extend(&mut self, bytes: &[u8], lines: &mut Vec<Line>) {
        if self.skipping {
            return;
        }
        if self.partial.len() + bytes.len() > self.limit {
            self.partial = Vec::new();
            self.skipping = true;
            lines.push(Line::TooLong { limit: self.limit });
            return;
        }
        if self.partial.is_empty() {
            // Most lines come whole: room for exactly that.
            self.partial = bytes.to_vec();
        } else {
            let room = self.partial.capacity() - self.partial.len();
            if room < bytes.len() {
                // Doubles as usual, but never takes more than a line may have.
                let whole = (2 * self.partial.len()).max(self.partial.len() + bytes.len());
                self.partial.reserve_exact(whole.min(self.limit) - self.partial.len());
            }
            self.partial.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self, lines: &mut Vec<Line>) {
        let mut line = std::mem::take(&mut self.partial);
        if std::mem::take(&mut self.skipping) {
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

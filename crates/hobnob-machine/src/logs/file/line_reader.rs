//! Reads lines in constant memory: the rest of a line that is too long is skipped.

use std::io::{self, Read};

use memchr::memchr;

/// Bytes that are read at once.
const BLOCK: usize = 256 << 10;

/// Reads one line after the other into one buffer.
pub(crate) struct LineReader<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The bytes that were read and not yet returned.
    from: usize,
    filled: usize,
    offset: u64,
    max_bytes: usize,
}

/// A line, without its line break.
pub(crate) struct FileLine<'buffer> {
    /// The offset in the file at which it begins.
    pub(crate) offset: u64,
    /// Its bytes, as many as are kept.
    pub(crate) text: &'buffer [u8],
    /// The offset after its line break.
    pub(crate) end: u64,
    /// Whether it ends with a newline; the last line of a file may not yet.
    pub(crate) ended: bool,
}

impl<R: Read> LineReader<R> {
    /// Keeps at most `max_bytes` of each line; the first byte is at `offset` of the file.
    pub(crate) fn new(reader: R, offset: u64, max_bytes: usize) -> Self {
        let max_bytes = max_bytes.min(BLOCK / 2);
        Self { reader, buffer: vec![0; BLOCK], from: 0, filled: 0, offset, max_bytes }
    }

    /// The next line, or `None` at the end.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<FileLine<'_>>> {
        let mut looked = 0;
        loop {
            let rest = &self.buffer[self.from..self.filled];
            if let Some(at) = memchr(b'\n', &rest[looked..]) {
                let length = looked + at;
                return Ok(Some(self.hand_out(length, length as u64, 1)));
            }
            looked = rest.len();
            if self.from == 0 && self.filled == self.buffer.len() {
                return self.overlong().map(Some);
            }
            self.buffer.copy_within(self.from..self.filled, 0);
            (self.from, self.filled) = (0, looked);
            if !self.fill()? {
                return Ok((0 < looked).then(|| self.hand_out(looked, looked as u64, 0)));
            }
        }
    }

    /// A line that fills the whole buffer: keeps its beginning and skips the rest.
    fn overlong(&mut self) -> io::Result<FileLine<'_>> {
        let mut length = self.filled as u64;
        loop {
            self.filled = self.max_bytes;
            if !self.fill()? {
                self.from = self.max_bytes;
                return Ok(self.past(length, 0));
            }
            let fresh = &self.buffer[self.max_bytes..self.filled];
            match memchr(b'\n', fresh) {
                Some(at) => {
                    length += at as u64;
                    self.from = self.max_bytes + at + 1;
                    return Ok(self.past(length, 1));
                }
                None => length += fresh.len() as u64,
            }
        }
    }

    fn past(&mut self, length: u64, newline: u64) -> FileLine<'_> {
        let offset = self.offset;
        self.offset += length + newline;
        let text = &self.buffer[..self.max_bytes];
        FileLine { offset, text, end: self.offset, ended: newline == 1 }
    }

    fn hand_out(&mut self, length: usize, bytes: u64, newline: usize) -> FileLine<'_> {
        let (offset, start) = (self.offset, self.from);
        self.from += length + newline;
        self.offset += bytes + newline as u64;
        let text = &self.buffer[start..start + length.min(self.max_bytes)];
        FileLine { offset, text, end: self.offset, ended: newline == 1 }
    }

    /// Reads more bytes into the buffer; `false` at the end.
    fn fill(&mut self) -> io::Result<bool> {
        loop {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    self.filled += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

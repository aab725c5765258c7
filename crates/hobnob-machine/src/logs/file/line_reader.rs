//! Lines out of bytes in constant memory: of a line that is longer than it may be, the rest is read
//! over.

use std::io::{self, Read};

use memchr::memchr;

/// Bytes that are read at once.
const BLOCK: usize = 256 << 10;

/// Reads lines one after the other, in one buffer.
pub(crate) struct LineReader<R> {
    reader: R,
    buffer: Vec<u8>,
    /// What was read and not yet handed out.
    from: usize,
    filled: usize,
    offset: u64,
    longest: usize,
}

/// A line, without its end.
pub(crate) struct FileLine<'buffer> {
    /// The byte of the file at which it begins.
    pub(crate) offset: u64,
    /// Its bytes, as many as are kept.
    pub(crate) text: &'buffer [u8],
    /// The byte behind it and its end.
    pub(crate) end: u64,
    /// Whether it ends with a newline; the last line of a file may not yet.
    pub(crate) ended: bool,
}

impl<R: Read> LineReader<R> {
    /// Of each line at most `longest` bytes are kept; the first byte is at `offset` of the file.
    pub(crate) fn new(reader: R, offset: u64, longest: usize) -> Self {
        let longest = longest.min(BLOCK / 2);
        Self { reader, buffer: vec![0; BLOCK], from: 0, filled: 0, offset, longest }
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

    /// A line that fills the whole buffer: its beginning stays, and the rest goes by.
    fn overlong(&mut self) -> io::Result<FileLine<'_>> {
        let mut length = self.filled as u64;
        loop {
            self.filled = self.longest;
            if !self.fill()? {
                self.from = self.longest;
                return Ok(self.past(length, 0));
            }
            let fresh = &self.buffer[self.longest..self.filled];
            match memchr(b'\n', fresh) {
                Some(at) => {
                    length += at as u64;
                    self.from = self.longest + at + 1;
                    return Ok(self.past(length, 1));
                }
                None => length += fresh.len() as u64,
            }
        }
    }

    fn past(&mut self, length: u64, newline: u64) -> FileLine<'_> {
        let offset = self.offset;
        self.offset += length + newline;
        let text = &self.buffer[..self.longest];
        FileLine { offset, text, end: self.offset, ended: newline == 1 }
    }

    fn hand_out(&mut self, length: usize, bytes: u64, newline: usize) -> FileLine<'_> {
        let (offset, start) = (self.offset, self.from);
        self.from += length + newline;
        self.offset += bytes + newline as u64;
        let text = &self.buffer[start..start + length.min(self.longest)];
        FileLine { offset, text, end: self.offset, ended: newline == 1 }
    }

    /// Reads more behind what is there; `false` at the end.
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

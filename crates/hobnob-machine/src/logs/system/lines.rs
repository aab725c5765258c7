//! Splits a program's output at newlines or at another delimiter, in bounded memory.

use std::io::Read;

use crate::logs::problem::LogError;

/// Bytes that are read at once.
const BLOCK: usize = 64 << 10;

/// The lines of a program's output; a line that is too long is left out.
pub(crate) struct OutputLines<R> {
    output: R,
    buffer: Vec<u8>,
    from: usize,
    max_bytes: usize,
}

impl<R: Read> OutputLines<R> {
    pub(crate) fn new(output: R, max_bytes: usize) -> Self {
        Self { output, buffer: Vec::new(), from: 0, max_bytes }
    }

    /// The next line without its line break; a last line without one counts too.
    pub(crate) fn next_line(&mut self) -> Result<Option<&[u8]>, LogError> {
        self.next_until(b"\n")
    }

    /// The text before the next delimiter. A text that is too long is left out.
    pub(crate) fn next_until(&mut self, mark: &[u8]) -> Result<Option<&[u8]>, LogError> {
        let (mut looked, mut dropped) = (0_usize, false);
        loop {
            let begin = self.from + looked.saturating_sub(mark.len() - 1);
            if let Some(at) = memchr::memmem::find(&self.buffer[begin..], mark) {
                let (start, end) = (self.from, begin + at);
                self.from = end + mark.len();
                if !dropped {
                    return Ok(Some(&self.buffer[start..end]));
                }
                (looked, dropped) = (0, false);
                continue;
            }
            // Only move the buffer before a read, not for every line.
            self.buffer.drain(..self.from);
            self.from = 0;
            if self.max_bytes < self.buffer.len() {
                self.buffer.drain(..self.buffer.len() + 1 - mark.len());
                dropped = true;
            }
            looked = self.buffer.len();
            self.buffer.resize(looked + BLOCK, 0);
            let count = self.output.read(&mut self.buffer[looked..])?;
            self.buffer.truncate(looked + count);
            if count == 0 {
                self.from = looked;
                let rest = Some(self.buffer.as_slice());
                return Ok(rest.filter(|rest| !dropped && !rest.is_empty()));
            }
        }
    }
}

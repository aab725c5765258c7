//! Splits a program's output at newlines or at another delimiter, in bounded memory.

use std::io::Read;
use std::ops::ControlFlow;

use crate::logs::problem::LogError;

/// Bytes that are read at once.
const BLOCK: usize = 64 << 10;

/// The lines of a program's output; a line that is too long is left out.
pub(crate) struct OutputLines<R> {
    output: R,
    buffer: Vec<u8>,
    from: usize,
    mark: &'static [u8],
    max_bytes: usize,
}

impl<R: Read> OutputLines<R> {
    /// Splits at `mark`, which must not be empty; a last line without one counts too.
    pub(crate) fn new(output: R, mark: &'static [u8], max_bytes: usize) -> Self {
        Self { output, buffer: Vec::new(), from: 0, mark, max_bytes }
    }

    /// Passes each line to `each`, without its mark, until that breaks.
    pub(crate) fn each(
        mut self,
        mut each: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), LogError> {
        while let Some(line) = self.next()? {
            if each(line).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<&[u8]>, LogError> {
        let mark = self.mark;
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

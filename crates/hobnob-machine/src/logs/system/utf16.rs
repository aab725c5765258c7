//! Text that may be UTF-16, as programs of Windows print it when asked for Unicode.

use std::io::{self, Read};

/// Bytes that are read at once.
const BLOCK: usize = 32 << 10;

/// Decodes UTF-16LE or UTF-8 into UTF-8; the first two bytes show which one it is.
pub(crate) struct MaybeUtf16<R> {
    reader: R,
    form: Option<Form>,
    /// Bytes that are not decoded yet: an incomplete character.
    rest: Vec<u8>,
    text: Vec<u8>,
    at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Utf8,
    Utf16,
}

impl<R: Read> MaybeUtf16<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, form: None, rest: Vec::new(), text: Vec::new(), at: 0 }
    }

    fn fill(&mut self) -> io::Result<bool> {
        let begin = self.rest.len();
        self.rest.resize(begin + BLOCK, 0);
        let count = self.reader.read(&mut self.rest[begin..])?;
        self.rest.truncate(begin + count);
        if self.form.is_none() && 2 <= self.rest.len() {
            let wide = self.rest.starts_with(&[0xff, 0xfe]) || self.rest[1] == 0;
            self.form = Some(if wide { Form::Utf16 } else { Form::Utf8 });
        }
        (self.text, self.at) = (Vec::new(), 0);
        match self.form {
            Some(Form::Utf16) => self.widen(),
            // Fewer than two bytes do not show the encoding yet, unless there are no more.
            None if 0 < count => {}
            Some(Form::Utf8) | None => self.text = std::mem::take(&mut self.rest),
        }
        Ok(0 < count)
    }

    fn widen(&mut self) {
        let mut whole = self.rest.len() & !1;
        let unit = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
        // The first half of a surrogate pair waits for the second.
        if 2 <= whole && (0xd800..0xdc00).contains(&unit(&self.rest[whole - 2..whole])) {
            whole -= 2;
        }
        let units: Vec<u16> = self.rest[..whole].chunks_exact(2).map(unit).collect();
        let text = String::from_utf16_lossy(&units);
        self.text = text.trim_start_matches('\u{feff}').as_bytes().to_vec();
        self.rest.drain(..whole);
    }
}

impl<R: Read> Read for MaybeUtf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if !self.fill()? && self.text.is_empty() {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.text.len() - self.at);
        buffer[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

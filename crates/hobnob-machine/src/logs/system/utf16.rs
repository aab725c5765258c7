//! Text that may come in UTF-16, as programs of Windows print it when asked for Unicode.

use std::io::{self, Read};

/// Bytes that are read at once.
const BLOCK: usize = 32 << 10;

/// UTF-8 from UTF-16 with little ends, or from UTF-8; which of them the first two bytes show.
pub(crate) struct MaybeWide<R> {
    reader: R,
    form: Option<Form>,
    /// What was read and could not be turned into text yet: half a character.
    rest: Vec<u8>,
    text: Vec<u8>,
    at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Narrow,
    Wide,
}

impl<R: Read> MaybeWide<R> {
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
            self.form = Some(if wide { Form::Wide } else { Form::Narrow });
        }
        (self.text, self.at) = (Vec::new(), 0);
        match self.form {
            Some(Form::Wide) => self.widen(),
            // Without two bytes nothing is known yet, unless there are no more.
            None if 0 < count => {}
            Some(Form::Narrow) | None => self.text = std::mem::take(&mut self.rest),
        }
        Ok(0 < count)
    }

    fn widen(&mut self) {
        let mut whole = self.rest.len() & !1;
        let unit = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
        // The first half of a pair waits for the second.
        if 2 <= whole && (0xd800..0xdc00).contains(&unit(&self.rest[whole - 2..whole])) {
            whole -= 2;
        }
        let units: Vec<u16> = self.rest[..whole].chunks_exact(2).map(unit).collect();
        let text = String::from_utf16_lossy(&units);
        self.text = text.trim_start_matches('\u{feff}').as_bytes().to_vec();
        self.rest.drain(..whole);
    }
}

impl<R: Read> Read for MaybeWide<R> {
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

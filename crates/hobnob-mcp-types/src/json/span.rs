//! Byte ranges inside a checked text, so that one owned string serves every reader.

/// A range of bytes in the text it was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte of the range.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from `start` to `end`; texts are far below 4 GiB, so the casts lose nothing.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The slice this span names; empty if the text is not the one it was taken from.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl Span {
    /// Whether the span holds exactly `word`. Cheaper than slicing, which checks character
    /// boundaries first.
    pub fn holds(self, text: &str, word: &str) -> bool {
        let bytes = text.as_bytes().get(self.start as usize..self.end as usize);
        bytes == Some(word.as_bytes())
    }
}

/// One member of an object: its key without quotes (still escaped), and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The key, between its quotes.
    pub key: Span,
    /// The value as JSON text, without white space around it.
    pub value: Span,
}

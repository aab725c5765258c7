//! Whether the entries of a file begin with a known head, or every line is an entry.
//!
//! The beginning of the file decides, so that reading from either end gives the same answer.

use std::fs::File;
use std::io::{self, Read};

use super::line_reader::LineReader;
use super::section::FileSection;
use crate::logs::line::begins_entry;

/// Bytes at the beginning of a file that decide.
const HEAD_BYTES: u64 = 16 << 10;

/// The form of a file's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryShape {
    /// An entry begins with a line of a known format; other lines belong to the entry before.
    Headed,
    /// Every line is an entry, unless it is indented.
    Lines,
}

impl EntryShape {
    pub(crate) fn of_file(file: &File) -> io::Result<Self> {
        Self::of(FileSection::new(file, 0, HEAD_BYTES))
    }

    /// Decides by the beginning of the text.
    pub(crate) fn of(reader: impl Read) -> io::Result<Self> {
        let mut lines = LineReader::new(reader.take(HEAD_BYTES), 0, 512);
        while let Some(line) = lines.next_line()? {
            if begins_entry(line.text) {
                return Ok(Self::Headed);
            }
        }
        Ok(Self::Lines)
    }

    /// Whether an entry begins with this line.
    pub(crate) fn begins(self, line: &[u8]) -> bool {
        match self {
            Self::Headed => begins_entry(line),
            Self::Lines => line.first().is_some_and(|it| !it.is_ascii_whitespace()),
        }
    }
}

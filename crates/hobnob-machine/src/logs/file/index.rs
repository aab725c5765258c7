//! A sparse index of a log file: the offset of every `MARK_INTERVAL`th entry and the number of
//! entries, so that pages deep in a file need no read from the start. It is kept only in memory.
//!
//! An index stays valid while the same file only grows; new bytes are read from its end on.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::entries::visit_starts;
use super::section::FileSection;
use super::shape::EntryShape;
use crate::logs::control::LogControl;
use crate::logs::problem::LogError;

/// How many entries lie between two marks.
pub(crate) const MARK_INTERVAL: u64 = 4096;
/// Bytes before the end of the indexed part that must be unchanged for the index to be valid.
const TAIL_BYTES: u64 = 256;

/// The index of one file.
#[derive(Debug, Clone)]
pub(crate) struct FileIndex {
    shape: EntryShape,
    /// The offset of every [`MARK_INTERVAL`]th entry, beginning with the first.
    marks: Vec<u64>,
    count: u64,
    /// The offset of the last entry, which may grow.
    last: u64,
    end: u64,
    tail: Vec<u8>,
}

impl FileIndex {
    /// Indexes the file up to `end`.
    pub(crate) fn build(file: &File, end: u64, control: &LogControl) -> Result<Self, LogError> {
        let shape = EntryShape::of_file(file)?;
        let empty = Self { shape, marks: Vec::new(), count: 0, last: 0, end: 0, tail: Vec::new() };
        empty.extend(file, end, control)
    }

    /// Whether the file only grew since it was indexed.
    pub(crate) fn fits(&self, file: &File, end: u64) -> Result<bool, LogError> {
        let same = self.end <= end && EntryShape::of_file(file)? == self.shape;
        Ok(same && tail(file, self.end)? == self.tail)
    }

    /// Extends the index up to `end`. The last entry is counted again, since it may have more lines
    /// now.
    pub(crate) fn extend(
        mut self,
        file: &File,
        end: u64,
        control: &LogControl,
    ) -> Result<Self, LogError> {
        let from = self.last;
        self.count = self.count.saturating_sub(1);
        self.marks
            .truncate(usize::try_from(self.count.div_ceil(MARK_INTERVAL)).unwrap_or(usize::MAX));
        let section = FileSection::new(file, from, end);
        let shape = self.shape;
        let Self { marks, count, last, .. } = &mut self;
        let read = visit_starts(section, from, shape, control, |offset| {
            if count.is_multiple_of(MARK_INTERVAL) {
                marks.push(offset);
            }
            *count += 1;
            *last = offset;
        })?;
        self.end = read;
        self.tail = tail(file, self.end)?;
        Ok(self)
    }

    pub(crate) fn shape(&self) -> EntryShape {
        self.shape
    }

    /// The number of entries.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The offset after the indexed part.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The number and the offset of the marked entry at or before this one.
    pub(crate) fn mark_before(&self, number: u64) -> (u64, u64) {
        let step = number / MARK_INTERVAL;
        let mark = usize::try_from(step).ok().and_then(|step| self.marks.get(step));
        mark.map_or((0, 0), |offset| (step * MARK_INTERVAL, *offset))
    }
}

fn tail(file: &File, end: u64) -> io::Result<Vec<u8>> {
    let length = end.min(TAIL_BYTES);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], end - length + filled as u64)? {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

//! Where every so-manieth entry of a file begins, and how many there are: pages deep in a file are
//! found without reading what is before them.
//!
//! An index is good for the same file as long as it only grows, and growth is read from where the
//! index ended.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::entries::visit_starts;
use super::section::FileSection;
use super::shape::EntryShape;
use crate::logs::control::LogControl;
use crate::logs::problem::LogError;

/// How many entries lie between two marks.
pub(crate) const STEP: u64 = 4096;
/// Bytes before the end of what was indexed that must still be the same.
const TAIL: u64 = 256;

/// The index of one file.
#[derive(Debug, Clone)]
pub(crate) struct FileIndex {
    shape: EntryShape,
    /// The offset of every [`STEP`]th entry, from the first on.
    marks: Vec<u64>,
    count: u64,
    /// Where the last entry begins, which may grow.
    last: u64,
    end: u64,
    tail: Vec<u8>,
}

impl FileIndex {
    /// Reads the whole file up to `end`.
    pub(crate) fn build(file: &File, end: u64, control: &LogControl) -> Result<Self, LogError> {
        let shape = EntryShape::of_file(file)?;
        let empty = Self { shape, marks: Vec::new(), count: 0, last: 0, end: 0, tail: Vec::new() };
        empty.read_on(file, end, control)
    }

    /// Whether the file only grew since it was indexed.
    pub(crate) fn fits(&self, file: &File, end: u64) -> Result<bool, LogError> {
        let same = self.end <= end && EntryShape::of_file(file)? == self.shape;
        Ok(same && tail(file, self.end)? == self.tail)
    }

    /// The index with what was written since. The last entry is counted again: it may have more lines
    /// now.
    pub(crate) fn read_on(
        mut self,
        file: &File,
        end: u64,
        control: &LogControl,
    ) -> Result<Self, LogError> {
        let from = self.last;
        self.count = self.count.saturating_sub(1);
        self.marks.truncate(usize::try_from(self.count.div_ceil(STEP)).unwrap_or(usize::MAX));
        let section = FileSection::new(file, from, end);
        let shape = self.shape;
        let Self { marks, count, last, .. } = &mut self;
        let read = visit_starts(section, from, shape, control, |offset| {
            if count.is_multiple_of(STEP) {
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

    /// How many entries there are.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The byte behind what was indexed.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The number of the marked entry at or before this one, and where it begins.
    pub(crate) fn mark_before(&self, number: u64) -> (u64, u64) {
        let step = number / STEP;
        let mark = usize::try_from(step).ok().and_then(|step| self.marks.get(step));
        mark.map_or((0, 0), |offset| (step * STEP, *offset))
    }
}

fn tail(file: &File, end: u64) -> io::Result<Vec<u8>> {
    let length = end.min(TAIL);
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

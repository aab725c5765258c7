//! Reads a file backwards: finds the start of a run of whole entries, a block at a time.

use std::fs::File;
use std::io::{self, Read};

use memchr::memchr_iter;

use super::section::FileSection;
use super::shape::EntryShape;
use crate::logs::control::LogControl;
use crate::logs::problem::LogError;

/// Bytes that are read at once.
const BLOCK: u64 = 64 << 10;
/// Bytes of a line that show whether an entry begins with it.
const HEAD_BYTES: u64 = 512;

/// The start of the run of entries that ends before `end`: one block back, or more if an entry is
/// longer than a block. Never keeps more than one block in memory.
pub(crate) fn stretch_before(
    file: &File,
    end: u64,
    shape: EntryShape,
    control: &LogControl,
) -> Result<u64, LogError> {
    let mut block = Vec::new();
    let mut upper = end;
    while 0 < upper {
        control.check()?;
        let lower = upper.saturating_sub(BLOCK);
        // One more byte before, to see whether a line begins here; some after, for a whole head.
        let from = lower.saturating_sub(1);
        block.clear();
        read_section(file, from, (upper + HEAD_BYTES).min(end), &mut block)?;
        let first = (lower == 0).then_some(0);
        let after_newlines = memchr_iter(b'\n', &block).map(|at| at + 1);
        let begins = first.into_iter().chain(after_newlines).find(|at| {
            let line = &block[*at..];
            let offset = from + *at as u64;
            offset < upper && !line.is_empty() && (offset == 0 || shape.begins(head(line)))
        });
        if let Some(at) = begins {
            return Ok(from + at as u64);
        }
        upper = lower;
    }
    Ok(0)
}

fn head(line: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
    &line[..end.min(HEAD_BYTES as usize)]
}

fn read_section(file: &File, from: u64, to: u64, into: &mut Vec<u8>) -> io::Result<()> {
    FileSection::new(file, from, to).read_to_end(into).map(|_| ())
}

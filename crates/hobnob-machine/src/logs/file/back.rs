//! From a place in a file back to where a stretch of whole entries begins, a block at a time.

use std::fs::File;
use std::io::{self, Read};

use memchr::memchr_iter;

use super::section::FileSection;
use super::shape::EntryShape;
use crate::logs::control::LogControl;
use crate::logs::problem::LogError;

/// Bytes that are looked through at once.
const BLOCK: u64 = 64 << 10;
/// Bytes of a line that tell whether an entry begins with it.
const HEAD: u64 = 512;

/// Where the stretch of entries that ends before `end` begins: as far back as one block reaches, and
/// further if an entry is longer than that. Never keeps more than one block.
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
        // One byte before, to see whether the first line begins here; some behind, for a whole head.
        let from = lower.saturating_sub(1);
        block.clear();
        read_section(file, from, (upper + HEAD).min(end), &mut block)?;
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
    &line[..end.min(HEAD as usize)]
}

fn read_section(file: &File, from: u64, to: u64, into: &mut Vec<u8>) -> io::Result<()> {
    FileSection::new(file, from, to).read_to_end(into).map(|_| ())
}

//! The end of an audit file: its last line, and the rest of a line that a crash cut short.
//!
//! `AppendFile` reads it before it continues a chain that another process may have ended.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use super::chain::ChainEnd;

/// Bytes that are read at once in the search for a line break.
const BLOCK: u64 = 64 * 1024;
/// Maximum number of bytes of an unfinished line that are kept.
const MAX_TORN: usize = 4096;

/// How a file ends.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// The last whole line, if it is linked.
    pub(super) end: Option<ChainEnd>,
    /// The text after the last line break.
    pub(super) torn: Option<TornLine>,
}

/// The beginning of a line whose end was never written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TornLine {
    /// The offset in the file at which the line begins.
    pub(super) start: u64,
    /// The beginning of its text, with invalid UTF-8 replaced.
    pub(super) text: String,
}

/// Reads the end of a file of this length.
pub(super) fn read_tail(mut file: &File, length: u64) -> io::Result<Tail> {
    let start = line_start(file, length)?;
    let torn = match start < length {
        false => None,
        true => {
            let mut text = Vec::new();
            file.seek(SeekFrom::Start(start))?;
            file.take((length - start).min(MAX_TORN as u64)).read_to_end(&mut text)?;
            Some(TornLine { start, text: String::from_utf8_lossy(&text).into_owned() })
        }
    };
    let mut line = Vec::new();
    if 0 < start {
        let before = line_start(file, start - 1)?;
        file.seek(SeekFrom::Start(before))?;
        // A line longer than a block was not written by the log.
        file.take((start - 1 - before).min(BLOCK)).read_to_end(&mut line)?;
    }
    Ok(Tail { end: ChainEnd::after(&line), torn })
}

/// The offset at which the line that ends at `end` begins: after the last line break before it.
fn line_start(mut file: &File, mut end: u64) -> io::Result<u64> {
    let mut block = Vec::new();
    while 0 < end {
        let start = end.saturating_sub(BLOCK);
        block.clear();
        file.seek(SeekFrom::Start(start))?;
        file.take(end - start).read_to_end(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

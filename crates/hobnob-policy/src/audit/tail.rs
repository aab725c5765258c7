//! The end of a log's file: its last line, and what a crash left of an unfinished one.
//!
//! The file that is appended to looks here before it continues a chain that it did not end itself.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use super::chain::ChainEnd;

/// Bytes that are read at once while a line break is looked for.
const BLOCK: u64 = 64 * 1024;
/// Bytes of an unfinished line that are kept.
const MAX_TORN: usize = 4096;

/// How a file ends.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// Its last whole line, where that is linked.
    pub(super) end: Option<ChainEnd>,
    /// What follows the last line break.
    pub(super) torn: Option<TornLine>,
}

/// The beginning of a line whose end was never written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TornLine {
    /// The offset in the file at which the line begins.
    pub(super) start: u64,
    /// As much of it as can be shown.
    pub(super) text: String,
}

/// Looks at the last bytes of a file of this length.
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
        // What is longer is no line of ours.
        file.take((start - 1 - before).min(BLOCK)).read_to_end(&mut line)?;
    }
    Ok(Tail { end: ChainEnd::after(&line), torn })
}

/// Where the line begins that reaches up to `end`: after the last line break before it.
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

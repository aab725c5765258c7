//! Groups lines into entries: a line that begins an entry, and the lines after it that do not.

use std::io::Read;
use std::ops::ControlFlow;

use super::line_reader::LineReader;
use super::shape::EntryShape;
use crate::logs::control::LogControl;
use crate::logs::entry::LogEntry;
use crate::logs::line::{LineClock, parse_line};
use crate::logs::problem::LogError;
use hobnob_policy::LogLevel;

/// How many lines are read between two checks for cancellation.
const LINES_PER_CHECK: u32 = 4096;

/// The text of an entry in the file.
pub(crate) struct RawEntry<'buffer> {
    /// The offset in the file at which it begins.
    pub(crate) offset: u64,
    /// Its bytes, as many as are kept.
    pub(crate) text: &'buffer [u8],
}

/// Calls `visit` for every entry; the first line always begins one. Returns the offset after the
/// last whole line.
pub(crate) fn visit_entries(
    reader: impl Read,
    start: u64,
    shape: EntryShape,
    max_bytes: usize,
    control: &LogControl,
    mut visit: impl FnMut(RawEntry<'_>) -> ControlFlow<()>,
) -> Result<u64, LogError> {
    let mut lines = LineReader::new(reader, start, max_bytes);
    let (mut text, mut begun, mut end) = (Vec::new(), None, start);
    let mut count = 0_u32;
    while let Some(line) = lines.next_line()? {
        count = count.wrapping_add(1);
        if count.is_multiple_of(LINES_PER_CHECK) {
            control.check()?;
        }
        if line.ended {
            end = line.end;
        }
        match begun {
            Some(offset) if shape.begins(line.text) => {
                if visit(RawEntry { offset, text: &text }).is_break() {
                    return Ok(end);
                }
                text.clear();
                begun = Some(line.offset);
            }
            Some(_) => {
                if text.len() < max_bytes {
                    text.push(b'\n');
                }
            }
            None => begun = Some(line.offset),
        }
        let room = max_bytes.saturating_sub(text.len());
        text.extend_from_slice(&line.text[..line.text.len().min(room)]);
    }
    if let Some(offset) = begun {
        let _ = visit(RawEntry { offset, text: &text });
    }
    Ok(end)
}

/// Counts entries and reports their offsets, without their texts.
pub(crate) fn visit_starts(
    reader: impl Read,
    start: u64,
    shape: EntryShape,
    control: &LogControl,
    mut visit: impl FnMut(u64),
) -> Result<u64, LogError> {
    /// No head of a known format is longer.
    const MAX_HEAD_BYTES: usize = 512;
    let mut lines = LineReader::new(reader, start, MAX_HEAD_BYTES);
    let (mut count, mut end) = (0_u32, start);
    while let Some(line) = lines.next_line()? {
        count = count.wrapping_add(1);
        if count.is_multiple_of(LINES_PER_CHECK) {
            control.check()?;
        }
        if line.offset == start || shape.begins(line.text) {
            visit(line.offset);
        }
        end = line.end;
    }
    Ok(end)
}

impl RawEntry<'_> {
    /// Parses the text. `file` distinguishes entries of different files.
    pub(crate) fn parse(&self, file: u64, clock: &LineClock) -> LogEntry {
        let text = String::from_utf8_lossy(self.text);
        let text = text.trim_end_matches(['\r', '\n', ' ', '\0']);
        let (first, rest) = match text.find('\n') {
            Some(at) => (&text[..at], &text[at..]),
            None => (text, ""),
        };
        let line = parse_line(first.trim_end_matches('\r'), clock);
        let mut message = line.message.into_owned();
        message.push_str(rest);
        LogEntry {
            id: ((file & 0x1fff) << 40) | (self.offset & 0xff_ffff_ffff),
            level: line.level.unwrap_or(LogLevel::Information),
            source: line.source.map_or_else(String::new, |source| source.into_owned()),
            event_id: line.event_id.unwrap_or(0),
            message: clean(message),
            timestamp: line.time.unwrap_or(clock.modified),
        }
    }
}

/// Replaces control characters, which could act on the terminal that prints an entry.
fn clean(text: String) -> String {
    let bad = |it: char| it.is_control() && !matches!(it, '\n' | '\t');
    match text.contains(bad) {
        true => text.replace(bad, "\u{fffd}"),
        false => text,
    }
}

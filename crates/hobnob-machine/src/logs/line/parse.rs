//! Parses a whole line by the first format that matches.

use super::access::access_line;
use super::app::{bracket_line, glog_line, iso_line, plain_line};
use super::begin::begins_entry;
use super::json::json_line;
use super::logfmt::logfmt_line;
use super::parsed::ParsedLine;
use super::stamp::LineClock;
use super::syslog::{rfc3164, with_priority};

/// The parts of a line. A line of no known format is a message, with a level if it names one.
pub(crate) fn parse_line<'line>(line: &'line str, clock: &LineClock) -> ParsedLine<'line> {
    let parsed = match line.as_bytes().first() {
        Some(b'{') => json_line(line, clock),
        Some(b'<') => with_priority(line, clock),
        Some(b'[') => bracket_line(line, clock),
        Some(b'0'..=b'9') => iso_line(line, clock).or_else(|| access_line(line, clock)),
        Some(b'A'..=b'Z') => rfc3164(line, clock)
            .or_else(|| glog_line(line, clock))
            .or_else(|| access_line(line, clock)),
        Some(b't' | b'l') if begins_entry(line.as_bytes()) => Some(logfmt_line(line, clock)),
        Some(_) => access_line(line, clock),
        None => None,
    };
    let mut parsed = parsed.unwrap_or_else(|| plain_line(line));
    if parsed.level.is_none() {
        // Syslog lines have no level; many programs begin their text with one.
        parsed.level = plain_line(&parsed.message).level;
    }
    parsed
}

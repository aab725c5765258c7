//! Requests in the logs of web servers: `ADDRESS - USER [TIME] "REQUEST" STATUS SIZE …`.

use std::borrow::Cow;

use hobnob_policy::LogLevel;
use memchr::memchr;

use super::parsed::ParsedLine;
use super::stamp::{LineClock, digits, month};

/// Maximum offset of the time in a line.
const MAX_TIME_OFFSET: usize = 256;

/// The offset of the time, after its bracket, if the line has this form.
pub(crate) fn access_time(line: &[u8]) -> Option<usize> {
    let head = &line[..line.len().min(MAX_TIME_OFFSET)];
    let at = memchr(b'[', head)? + 1;
    let text = line.get(at..at + 12)?;
    let date = digits(text, 0, 2).is_some() && text[2] == b'/' && month(&text[3..]).is_some();
    let after = text[6] == b'/' && digits(text, 7, 4).is_some() && text[11] == b':';
    (2 <= at && line[at - 2] == b' ' && date && after).then_some(at)
}

/// Parses a request, which stays in the message. A status of 500 is an error, 400 a warning.
pub(crate) fn access_line<'line>(line: &'line str, clock: &LineClock) -> Option<ParsedLine<'line>> {
    let at = access_time(line.as_bytes())?;
    let stamp = clock.day_first(&line.as_bytes()[at..])?;
    let (before, after) = (line.get(..at - 1)?, line.get(at + stamp.length..)?);
    let after = after.strip_prefix(']').unwrap_or(after);
    let status = after.rsplit_once("\" ").map_or(after, |(_, rest)| rest);
    // The user agent is quoted too: the status follows the first quoted text.
    let request = after.trim_start().strip_prefix('"').and_then(|text| text.find("\" "));
    let status = request.map_or(status, |end| &after.trim_start()[end + 3..]);
    let level = match digits(status.trim_start().as_bytes(), 0, 3) {
        Some(500..=599) => LogLevel::Error,
        Some(400..=499) => LogLevel::Warning,
        _ => LogLevel::Information,
    };
    Some(ParsedLine {
        time: Some(stamp.time),
        level: Some(level),
        message: Cow::Owned(format!("{}{after}", before.trim_end())),
        ..ParsedLine::default()
    })
}

//! The format logfmt: `time=… level=… msg="…"`, as many Go programs write it.

use std::borrow::Cow;

use super::parsed::ParsedLine;
use super::stamp::LineClock;
use crate::logs::level::level_word;

/// Maximum number of pairs that are parsed.
const MAX_PAIRS: usize = 64;

/// Parses a line of pairs; without a message the whole line is the message.
pub(crate) fn logfmt_line<'line>(line: &'line str, clock: &LineClock) -> ParsedLine<'line> {
    let mut parsed = ParsedLine::default();
    let (mut rest, mut message) = (line, None);
    for _ in 0..MAX_PAIRS {
        let Some((key, value, after)) = pair(rest) else { break };
        match key {
            "time" | "ts" | "timestamp" | "t" => {
                parsed.time = clock.iso(value.as_bytes()).map(|stamp| stamp.time);
            }
            "level" | "lvl" | "severity" => parsed.level = level_word(&value),
            "msg" | "message" => message = Some(value),
            "logger" | "source" | "component" | "caller" | "app" => {
                parsed.source.get_or_insert(value);
            }
            _ => {}
        }
        rest = after;
    }
    parsed.message = message.unwrap_or(Cow::Borrowed(line));
    parsed
}

/// The first pair and the text after it. A quoted value has `\"` for a quote.
fn pair(text: &str) -> Option<(&str, Cow<'_, str>, &str)> {
    let text = text.trim_start();
    let (key, rest) = text.split_once('=')?;
    if key.is_empty() || key.contains(char::is_whitespace) {
        return None;
    }
    let Some(quoted) = rest.strip_prefix('"') else {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        return Some((key, Cow::Borrowed(&rest[..end]), &rest[end..]));
    };
    let mut escaped = false;
    let end = quoted.find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    });
    let end = end.unwrap_or(quoted.len());
    let value = &quoted[..end];
    let value = match value.contains('\\') {
        true => Cow::Owned(value.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\")),
        false => Cow::Borrowed(value),
    };
    Some((key, value, quoted.get(end + 1..).unwrap_or_default()))
}

//! Syslog: RFC 5424, RFC 3164, and RFC 3164 with an ISO time, as newer systems write it.

use std::borrow::Cow;

use hobnob_policy::LogLevel;

use super::parsed::ParsedLine;
use super::stamp::LineClock;
use crate::logs::level::syslog_level;

/// Parses a priority such as `<34>`: its level, and the text after it.
pub(crate) fn priority(line: &str) -> Option<(LogLevel, &str)> {
    let (number, rest) = line.strip_prefix('<')?.split_once('>')?;
    let digits = !number.is_empty() && number.len() <= 3;
    let number = number.parse::<u64>().ok().filter(|it| digits && *it <= 191)?;
    Some((syslog_level(number % 8), rest))
}

/// Parses a line with a priority, of either RFC.
pub(crate) fn with_priority<'line>(
    line: &'line str,
    clock: &LineClock,
) -> Option<ParsedLine<'line>> {
    let (level, rest) = priority(line)?;
    let parsed = match rest.strip_prefix("1 ") {
        Some(newer) => rfc5424(newer, clock),
        None => rfc3164(rest, clock).or_else(|| {
            let stamp = clock.iso(rest.as_bytes())?;
            let (source, message) = host_and_tag(rest.get(stamp.length..)?.trim_start())?;
            Some(parts(Some(stamp.time), source, message))
        }),
    };
    let plain = || ParsedLine { message: Cow::Borrowed(rest), ..ParsedLine::default() };
    Some(ParsedLine { level: Some(level), ..parsed.unwrap_or_else(plain) })
}

/// `TIME HOST APP PROCID MSGID [DATA] MESSAGE`; any of them may be `-`.
fn rfc5424<'line>(rest: &'line str, clock: &LineClock) -> Option<ParsedLine<'line>> {
    let mut words = rest.splitn(6, ' ');
    let time = words.next()?;
    let stamp = clock.iso(time.as_bytes()).map(|stamp| stamp.time);
    let (_host, app, _process, id) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let data = words.next().unwrap_or_default();
    let message = after_structured_data(data).trim_start();
    let message = message.strip_prefix('\u{feff}').unwrap_or(message);
    let mut parsed = parts(stamp, app, message);
    parsed.event_id = id.parse().ok();
    Some(parsed)
}

/// The text after `-` or `[id name="value"]…`; `\"` and `\]` do not end a value.
fn after_structured_data(data: &str) -> &str {
    if let Some(message) = data.strip_prefix('-') {
        return message;
    }
    let (mut inside, mut quoted, mut escaped) = (false, false, false);
    for (at, letter) in data.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' if inside => quoted = !quoted,
            '[' if !inside => inside = true,
            ']' if !quoted => inside = false,
            _ if !inside => return &data[at..],
            _ => {}
        }
    }
    ""
}

/// `Feb 10 10:30:45 HOST TAG[PID]: MESSAGE`.
pub(crate) fn rfc3164<'line>(line: &'line str, clock: &LineClock) -> Option<ParsedLine<'line>> {
    let stamp = clock.month_first(line.as_bytes())?;
    let rest = line.get(stamp.length..)?.trim_start();
    let (source, message) = host_and_tag(rest).unwrap_or(("", rest));
    Some(parts(Some(stamp.time), source, message))
}

/// `HOST TAG[PID]: MESSAGE`: the tag and the message. The host is not kept.
pub(crate) fn host_and_tag(rest: &str) -> Option<(&str, &str)> {
    let (host, rest) = rest.split_once(' ')?;
    let rest = rest.trim_start();
    let end = rest.find([':', '[', ' '])?;
    let tag = &rest[..end];
    let named = |it: char| it.is_ascii_alphanumeric() || "_-./()@\\".contains(it);
    let host_like = |it: char| it.is_alphanumeric() || "_-.:".contains(it);
    if tag.is_empty() || !tag.chars().all(named) || !host.chars().all(host_like) {
        return None;
    }
    let rest = &rest[end..];
    let rest = match rest.strip_prefix('[') {
        Some(process) => process.split_once(']')?.1,
        None => rest,
    };
    let message = rest.strip_prefix(':')?;
    Some((tag, message.strip_prefix(' ').unwrap_or(message)))
}

fn parts<'line>(
    time: Option<jiff::Timestamp>,
    source: &'line str,
    message: &'line str,
) -> ParsedLine<'line> {
    let source = Some(source).filter(|it| !matches!(*it, "" | "-")).map(Cow::Borrowed);
    ParsedLine { time, source, message: Cow::Borrowed(message), ..ParsedLine::default() }
}

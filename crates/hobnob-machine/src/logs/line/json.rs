//! One JSON object per line, as most libraries for structured logs write it.

use std::borrow::Cow;

use hobnob_policy::LogLevel;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::parsed::ParsedLine;
use super::stamp::LineClock;
use crate::logs::level::level_word;

const TIMES: [&str; 7] = ["time", "ts", "timestamp", "@timestamp", "t", "datetime", "date"];
const LEVELS: [&str; 6] = ["level", "severity", "lvl", "levelname", "log.level", "loglevel"];
const MESSAGES: [&str; 5] = ["msg", "message", "text", "event", "log"];
const SOURCES: [&str; 8] =
    ["source", "logger", "name", "target", "component", "module", "service", "app"];
const EVENTS: [&str; 3] = ["event_id", "eventId", "EventId"];

/// Parses a line that is an object. Without a message the whole line is the message.
pub(crate) fn json_line<'line>(line: &'line str, clock: &LineClock) -> Option<ParsedLine<'line>> {
    let object: Map<String, Value> = serde_json::from_str(line).ok()?;
    let first = |names: &[&str]| names.iter().find_map(|name| object.get(*name));
    // `tracing` puts the message into an object of fields.
    let fields = object.get("fields").and_then(Value::as_object);
    let message = MESSAGES.iter().find_map(|name| {
        let text = |object: &Map<String, Value>| Some(object.get(*name)?.as_str()?.to_owned());
        text(&object).or_else(|| fields.and_then(text))
    });
    let source = first(&SOURCES).and_then(Value::as_str).map(|text| Cow::Owned(text.to_owned()));
    Some(ParsedLine {
        time: first(&TIMES).and_then(|value| time(value, clock)),
        level: first(&LEVELS).and_then(level),
        source,
        event_id: first(&EVENTS).and_then(Value::as_u64).and_then(|it| u32::try_from(it).ok()),
        message: message.map_or(Cow::Borrowed(line), Cow::Owned),
    })
}

/// A text, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
fn time(value: &Value, clock: &LineClock) -> Option<Timestamp> {
    if let Some(text) = value.as_str() {
        return clock.iso(text.as_bytes()).map(|stamp| stamp.time);
    }
    let number = value.as_f64().filter(|it| it.is_finite() && 0.0 < *it)?;
    let seconds = [1e11, 1e14, 1e17].iter().zip([1.0, 1e3, 1e6]).find(|(max, _)| number < **max);
    let seconds = number / seconds.map_or(1e9, |(_, unit)| unit);
    Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok()
}

/// A word, or a number as in pino and bunyan.
fn level(value: &Value) -> Option<LogLevel> {
    match value {
        Value::String(word) => level_word(word),
        Value::Number(number) => Some(match number.as_u64()? {
            0..30 => LogLevel::Debug,
            30..40 => LogLevel::Information,
            40..50 => LogLevel::Warning,
            50..60 => LogLevel::Error,
            _ => LogLevel::Critical,
        }),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

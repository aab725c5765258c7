//! The wire form of log entries, in Hobnob's own shape and in that of the profile `sysmcp`.

use hobnob_machine::logs::LogEntry;
use hobnob_policy::LogLevel;
use serde::Serialize;

/// An entry in Hobnob's own shape.
#[derive(Debug, Serialize)]
pub(super) struct EntryView<'a> {
    id: u64,
    log: &'a str,
    level: &'static str,
    source: &'a str,
    event_id: u32,
    message: &'a str,
    timestamp: String,
}

impl<'a> EntryView<'a> {
    pub(super) fn of(log: &'a str, entry: &'a LogEntry) -> Self {
        Self {
            id: entry.id,
            log,
            level: word(entry.level),
            source: &entry.source,
            event_id: entry.event_id,
            message: &entry.message,
            timestamp: entry.timestamp.to_string(),
        }
    }
}

/// An entry on one line, for the progress of a tail.
pub(super) fn line(entry: &LogEntry) -> String {
    let LogEntry { timestamp, source, message, .. } = entry;
    format!("{timestamp} {} {source}: {message}", word(entry.level))
}

fn word(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Debug => "debug",
        LogLevel::Information => "information",
        LogLevel::Warning => "warning",
        LogLevel::Error => "error",
        LogLevel::Critical => "critical",
    }
}

/// An entry in the shape of the profile `sysmcp`, which has three levels.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventView<'a> {
    id: u64,
    log_name: &'a str,
    level: &'static str,
    source: &'a str,
    event_id: u32,
    message: &'a str,
    timestamp: String,
}

impl<'a> EventView<'a> {
    pub(super) fn of(log_name: &'a str, entry: &'a LogEntry) -> Self {
        let level = match entry.level {
            LogLevel::Debug | LogLevel::Information => "INFORMATION",
            LogLevel::Warning => "WARNING",
            LogLevel::Error | LogLevel::Critical => "ERROR",
        };
        Self {
            id: entry.id,
            log_name,
            level,
            source: &entry.source,
            event_id: entry.event_id,
            message: &entry.message,
            timestamp: entry.timestamp.to_string(),
        }
    }
}

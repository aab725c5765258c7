//! The unified log of macOS, through `log show --style ndjson`.
//!
//! The log `unified` is all of it; every other name is a subsystem. The program prints the oldest
//! entries first and cannot count, so a query without a start time looks back one hour.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use hobnob_policy::{LogFilter, LogLevel, LogStart};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use super::backend::{LogMark, SystemLogs, SystemQuery};
use super::lines::OutputLines;
use super::program::{LogProgram, ProgramEnd};
use crate::logs::entry::{LogEntry, LogPage, LogTotal};
use crate::logs::level::level_word;
use crate::logs::limits::{LogLimits, ReadBounds};
use crate::logs::problem::LogError;

#[cfg(test)]
mod tests;

/// The name of the whole log.
const ALL: &str = "unified";
/// Longest line, in bytes.
const MAX_LINE_BYTES: usize = 1 << 20;
/// Entries that are kept at once, since the newest come last.
const MAX_KEPT: u64 = 20_000;
/// How far a query without a start time looks back.
const DEFAULT_LOOKBACK: SignedDuration = SignedDuration::from_hours(1);

/// The unified log of this machine.
#[derive(Debug, Clone)]
pub struct UnifiedLog {
    program: LogProgram,
}

impl UnifiedLog {
    /// Reads through this `log`.
    pub fn new(program: LogProgram) -> Self {
        Self { program }
    }

    fn entries(
        &self,
        predicate: Option<String>,
        times: &[(&str, Timestamp)],
        bounds: ReadBounds<'_>,
        mut each: impl FnMut(LogEntry, &Map<String, Value>),
    ) -> Result<ProgramEnd, LogError> {
        let options = ["show", "--style", "ndjson", "--info", "--debug"];
        let mut words = options.map(str::to_owned).to_vec();
        for (option, time) in times {
            words.extend([(*option).to_owned(), format!("@{}", time.as_second())]);
        }
        if let Some(predicate) = predicate {
            words.extend(["--predicate".to_owned(), predicate]);
        }
        self.program.run(&words, bounds, |output| {
            OutputLines::new(output, b"\n", MAX_LINE_BYTES).each(|line| {
                let fields: Option<Map<String, Value>> = serde_json::from_slice(line).ok();
                let entry = fields.as_ref().and_then(|fields| entry(fields, bounds.limits));
                if let (Some(entry), Some(fields)) = (entry, fields) {
                    each(entry, &fields);
                }
                ControlFlow::Continue(())
            })
        })
    }
}

impl SystemLogs for UnifiedLog {
    /// The whole log, and the subsystems that wrote something in the last minute.
    fn names(&self, bounds: ReadBounds<'_>) -> Result<Vec<String>, LogError> {
        let since = Timestamp::now().saturating_sub(SignedDuration::from_mins(1))?;
        let mut names = vec![ALL.to_owned()];
        self.entries(None, &[("--start", since)], bounds, |_, fields| {
            let subsystem = fields.get("subsystem").and_then(Value::as_str).unwrap_or_default();
            if !subsystem.is_empty() && !names.iter().any(|it| it == subsystem) {
                names.push(subsystem.to_owned());
            }
        })?;
        Ok(names)
    }

    fn query(&self, query: &SystemQuery<'_>, bounds: ReadBounds<'_>) -> Result<LogPage, LogError> {
        let wanted = query.filter.wanted();
        let (skip, before) = match query.start {
            LogStart::Offset(offset) => (*offset, None),
            LogStart::Cursor(cursor) => (0, Some(time_of(cursor)?)),
        };
        let keep = skip.saturating_add(u64::from(query.limit)).saturating_add(1);
        if MAX_KEPT < keep {
            return Err(LogError::TooFar(MAX_KEPT - u64::from(query.limit) - 1));
        }
        let end = before.or(wanted.until).unwrap_or_else(Timestamp::now);
        let since = wanted.since.map_or_else(|| end.saturating_sub(DEFAULT_LOOKBACK), Ok)?;
        let until = end.saturating_add(SignedDuration::from_secs(1))?;
        let mut newest: VecDeque<LogEntry> = VecDeque::new();
        let mut counted = 0;
        let predicate = predicate(query.log, wanted, query.filter.plain_source());
        let times = [("--start", since), ("--end", until)];
        let ended = self.entries(predicate, &times, bounds, |entry, _| {
            if before.is_some_and(|before| before <= entry.timestamp) {
                return;
            }
            if let Some(entry) = query.filter.accept(entry) {
                counted += 1;
                newest.push_back(entry);
                if keep < newest.len() as u64 {
                    newest.pop_front();
                }
            }
        })?;
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let mut entries: Vec<LogEntry> = newest.into_iter().rev().skip(skip).collect();
        let more = limit < entries.len();
        entries.truncate(limit);
        let next = entries.last().map(|last| format!("u.{}", last.timestamp.as_microsecond()));
        let total = match (ended, before, wanted.since) {
            (_, Some(_), _) => None,
            (ProgramEnd::Whole, None, Some(_)) => Some(LogTotal::Exactly(counted)),
            (ProgramEnd::Whole | ProgramEnd::Cut, None, _) => Some(LogTotal::AtLeast(counted)),
        };
        Ok(LogPage { entries, total, next_cursor: next.filter(|_| more) })
    }

    fn newest(&self, log: &str, _bounds: ReadBounds<'_>) -> Result<LogMark, LogError> {
        let now = Timestamp::now().as_microsecond().to_string();
        Ok(LogMark { log: log.to_owned(), at: Some(now) })
    }

    fn newer(&self, mark: &mut LogMark, bounds: ReadBounds<'_>) -> Result<Vec<LogEntry>, LogError> {
        let seen = mark.at.as_deref().and_then(|it| it.parse().ok()).unwrap_or(0);
        let seen = Timestamp::from_microsecond(seen).map_err(|_| LogError::BadCursor)?;
        let (mut entries, mut last) = (Vec::new(), seen);
        let predicate = predicate(&mark.log, &LogFilter::default(), None);
        self.entries(predicate, &[("--start", seen)], bounds, |entry, _| {
            if seen < entry.timestamp && (entries.len() as u64) < MAX_KEPT {
                last = last.max(entry.timestamp);
                entries.push(entry);
            }
        })?;
        mark.at = Some(last.as_microsecond().to_string());
        Ok(entries)
    }
}

impl From<jiff::Error> for LogError {
    /// Only times near the limits of what can be represented fail.
    fn from(_: jiff::Error) -> Self {
        Self::BadCursor
    }
}

fn time_of(cursor: &str) -> Result<Timestamp, LogError> {
    let micros = cursor.strip_prefix("u.").and_then(|it| it.parse().ok());
    let time = micros.and_then(|micros| Timestamp::from_microsecond(micros).ok());
    time.ok_or(LogError::BadCursor)
}

/// The conditions that a predicate can check, with quoted values.
fn predicate(log: &str, wanted: &LogFilter, source: Option<&str>) -> Option<String> {
    let mut all = Vec::new();
    if log != ALL {
        all.push(format!("subsystem == {}", quoted(log)));
    }
    if let Some(source) = source {
        all.push(format!("(process ==[c] {0} OR subsystem ==[c] {0})", quoted(source)));
    }
    match wanted.min_level {
        Some(LogLevel::Warning | LogLevel::Error) => {
            all.push("(messageType == error OR messageType == fault)".to_owned());
        }
        Some(LogLevel::Critical) => all.push("messageType == fault".to_owned()),
        Some(LogLevel::Debug | LogLevel::Information) | None => {}
    }
    (!all.is_empty()).then(|| all.join(" AND "))
}

fn quoted(text: &str) -> String {
    let plain = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", plain.replace(|it: char| it.is_control(), " "))
}

/// Parses an entry; `None` for the line of totals at the end.
fn entry(fields: &Map<String, Value>, limits: &LogLimits) -> Option<LogEntry> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let time = text("timestamp").replacen(' ', "T", 1);
    let process = text("processImagePath").rsplit('/').next().unwrap_or_default();
    let source = if process.is_empty() { text("subsystem") } else { process };
    let number = fields.get("machTimestamp").and_then(Value::as_u64).unwrap_or(0);
    Some(LogEntry {
        id: number & ((1 << 53) - 1),
        level: level_word(text("messageType")).unwrap_or(LogLevel::Information),
        source: source.to_owned(),
        event_id: 0,
        message: limits.cut(text("eventMessage").to_owned()),
        timestamp: zoned(&time)?,
    })
}

/// Parses `2024-02-10T10:30:45.123456+0100`: the offset has no colon.
fn zoned(time: &str) -> Option<Timestamp> {
    let at = time.len().checked_sub(5).filter(|at| time.is_char_boundary(*at))?;
    let (moment, offset) = time.split_at(at);
    match offset.as_bytes() {
        [b'+' | b'-', ..] => format!("{moment}{}:{}", &offset[..3], &offset[3..]).parse().ok(),
        _ => time.parse().ok(),
    }
}

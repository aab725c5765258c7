//! The journal of systemd, through `journalctl --output=json`.
//!
//! The log `journal` is all of it; every other name is a unit. Callers' values only follow our own
//! prefixes in a word, so none can be an option.

use std::borrow::Cow;
use std::ops::ControlFlow;

use hobnob_policy::{LogFilter, LogLevel, LogStart};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::backend::{SystemLogs, SystemMark, SystemQuery};
use super::lines::OutputLines;
use super::page::StreamedPage;
use super::program::{LogProgram, ProgramEnd, ProgramOutput};
use crate::logs::control::LogControl;
use crate::logs::entry::{LogEntry, LogPage};
use crate::logs::limits::LogLimits;
use crate::logs::line::syslog_level;
use crate::logs::problem::LogError;

/// The name of the whole journal.
const ALL: &str = "journal";
/// The fields of an entry that are printed, besides its cursor and time.
const FIELDS: &str =
    "--output-fields=MESSAGE,MESSAGE_ID,PRIORITY,SYSLOG_IDENTIFIER,_COMM,_SYSTEMD_UNIT";
/// Longest line, in bytes: a message that is not text is printed as a list of numbers.
const MAX_LINE_BYTES: usize = 120 << 10;
/// Entries that a tail reads at once.
const MAX_BATCH: usize = 10_000;

/// The journal of this machine, or the files that leading arguments of the program name.
#[derive(Debug, Clone)]
pub struct Journal {
    program: LogProgram,
}

impl Journal {
    /// Reads through this `journalctl`.
    pub fn new(program: LogProgram) -> Self {
        Self { program }
    }

    fn words(&self, log: &str, source: Option<&str>) -> (Vec<String>, Vec<String>) {
        let options = ["--no-pager", "--quiet", "--all", "--output=json", FIELDS];
        let unit = (log != ALL).then(|| format!("_SYSTEMD_UNIT={log}"));
        let matches = match source {
            None => unit.into_iter().collect(),
            // Any of the fields that an entry's source can come from.
            Some(source) => ["SYSLOG_IDENTIFIER", "_COMM", "_SYSTEMD_UNIT"]
                .iter()
                .flat_map(|field| {
                    let source = format!("{field}={source}");
                    unit.clone().into_iter().chain([source, "+".to_owned()])
                })
                .collect(),
        };
        let mut matches: Vec<String> = matches;
        if matches.last().is_some_and(|word| word == "+") {
            matches.pop();
        }
        (options.map(str::to_owned).into(), matches)
    }

    fn each_line(
        &self,
        words: &[String],
        limits: &LogLimits,
        control: &LogControl,
        mut each: impl FnMut(&[u8]) -> Result<ControlFlow<()>, LogError>,
    ) -> Result<ProgramEnd, LogError> {
        let read = |output: &mut ProgramOutput<'_>| {
            let mut lines = OutputLines::new(output, MAX_LINE_BYTES);
            while let Some(line) = lines.next_line()? {
                if each(line)?.is_break() {
                    break;
                }
            }
            Ok(())
        };
        Ok(self.program.run(words, limits, control, read)?.1)
    }
}

impl SystemLogs for Journal {
    fn names(&self, control: &LogControl) -> Result<Vec<String>, LogError> {
        let words = ["--no-pager", "--quiet", "--field=_SYSTEMD_UNIT"].map(str::to_owned);
        let mut names = vec![ALL.to_owned()];
        self.each_line(&words, &LogLimits::default(), control, |line| {
            names.push(String::from_utf8_lossy(line).into_owned());
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(names)
    }

    fn query(
        &self,
        query: &SystemQuery<'_>,
        limits: &LogLimits,
        control: &LogControl,
    ) -> Result<LogPage, LogError> {
        let LogFilter { min_level, source, since, until, contains } = query.filter.wanted();
        let plain = query.filter.plain_source();
        let (mut words, matches) = self.words(query.log, plain);
        words.push("--reverse".to_owned());
        let mut page = StreamedPage::new(query, limits);
        // Entries without a priority count as information, so only a higher level is passed on.
        let priority = min_level.and_then(priority);
        words.extend(priority.map(|it| format!("--priority={it}")));
        match query.start {
            LogStart::Cursor(cursor) => {
                words.push(format!("--after-cursor={}", checked_cursor(cursor)?));
            }
            LogStart::Offset(_) => {
                words.extend(since.map(|it| format!("--since=@{}", it.as_second())));
                let end = |until: Timestamp| until.as_second().saturating_add(1);
                words.extend(until.map(|it| format!("--until=@{}", end(it))));
            }
        }
        // If some conditions are checked here, any number of entries may have to be read.
        let checked = contains.is_none() && source.is_none() && since.is_none() && until.is_none();
        if checked {
            words.push(format!("--lines={}", page.enough()));
        }
        words.extend(matches);
        let end = self.each_line(&words, limits, control, |line| {
            if checked && page.only_counts() {
                return Ok(page.add(None));
            }
            let Some((entry, cursor)) = entry(line, limits.message) else {
                return Ok(ControlFlow::Continue(()));
            };
            if since.is_some_and(|since| entry.timestamp < since) {
                return Ok(ControlFlow::Break(()));
            }
            Ok(match query.filter.accept(entry) {
                Some(entry) => page.add(Some((entry, cursor))),
                None => ControlFlow::Continue(()),
            })
        })?;
        Ok(page.end(query, end))
    }

    fn newest(
        &self,
        log: &str,
        limits: &LogLimits,
        control: &LogControl,
    ) -> Result<SystemMark, LogError> {
        let (mut words, matches) = self.words(log, None);
        words.push("--lines=1".to_owned());
        words.extend(matches);
        let mut mark = SystemMark::default();
        self.each_line(&words, limits, control, |line| {
            mark.0 = entry(line, limits.message).map(|(_, cursor)| cursor);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(mark)
    }

    fn newer(
        &self,
        log: &str,
        mark: &SystemMark,
        limits: &LogLimits,
        control: &LogControl,
    ) -> Result<(Vec<LogEntry>, SystemMark), LogError> {
        let (mut words, matches) = self.words(log, None);
        if let Some(cursor) = &mark.0 {
            words.push(format!("--after-cursor={}", checked_cursor(cursor)?));
        }
        words.extend(matches);
        let (mut entries, mut mark) = (Vec::new(), mark.clone());
        self.each_line(&words, limits, control, |line| {
            if let Some((entry, cursor)) = entry(line, limits.message) {
                entries.push(entry);
                mark.0 = Some(cursor);
            }
            Ok(match entries.len() < MAX_BATCH {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        })?;
        Ok((entries, mark))
    }
}

/// The priority for `journalctl`, unless all entries are wanted.
fn priority(level: LogLevel) -> Option<u8> {
    match level {
        LogLevel::Debug | LogLevel::Information => None,
        LogLevel::Warning => Some(4),
        LogLevel::Error => Some(3),
        LogLevel::Critical => Some(2),
    }
}

/// Cursors come from callers: only the form that the journal makes is passed on to it.
fn checked_cursor(cursor: &str) -> Result<&str, LogError> {
    let legal = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'=' | b';');
    let fits = cursor.starts_with("s=") && cursor.len() <= 256 && cursor.bytes().all(legal);
    if fits { Ok(cursor) } else { Err(LogError::BadCursor) }
}

/// Parses an entry and its cursor; `None` for any other line.
fn entry(line: &[u8], max_bytes: usize) -> Option<(LogEntry, String)> {
    let fields: Map<String, Value> = serde_json::from_slice(line).ok()?;
    let text = |name: &str| fields.get(name).and_then(text_of);
    let cursor = fields.get("__CURSOR")?.as_str()?.to_owned();
    let micros: i64 = fields.get("__REALTIME_TIMESTAMP")?.as_str()?.parse().ok()?;
    let source = ["SYSLOG_IDENTIFIER", "_COMM", "_SYSTEMD_UNIT"].iter().find_map(|it| text(it));
    let severity = text("PRIORITY").and_then(|it| it.parse().ok()).unwrap_or(6);
    let event = text("MESSAGE_ID");
    let event = event.and_then(|it| u32::from_str_radix(it.get(..8)?, 16).ok());
    let mut message = text("MESSAGE").unwrap_or_default().into_owned();
    message.truncate(message.floor_char_boundary(max_bytes));
    let entry = LogEntry {
        id: number_of(&cursor),
        level: syslog_level(severity),
        source: source.unwrap_or_default().into_owned(),
        event_id: event.unwrap_or(0),
        message,
        timestamp: Timestamp::from_microsecond(micros).ok()?,
    };
    Some((entry, cursor))
}

/// A text; or the bytes of one that is not UTF-8; or the first of several values.
fn text_of(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Array(items) if items.iter().all(Value::is_number) => {
            let byte = |item: &Value| item.as_u64().and_then(|it| u8::try_from(it).ok());
            let bytes: Vec<u8> = items.iter().filter_map(byte).collect();
            Some(Cow::Owned(String::from_utf8_lossy(&bytes).replace('\0', "\u{fffd}")))
        }
        Value::Array(items) => items.first().and_then(text_of),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// The number of an entry in its journal, which is `i=` of its cursor.
fn number_of(cursor: &str) -> u64 {
    let number = cursor.split(';').find_map(|part| part.strip_prefix("i="));
    let number = number.and_then(|it| u64::from_str_radix(it, 16).ok());
    number.unwrap_or(0) & ((1 << 53) - 1)
}

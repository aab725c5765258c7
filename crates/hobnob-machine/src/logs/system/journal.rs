//! The journal of systemd, through `journalctl --output=json`.
//!
//! The log `journal` is all of it; every other name is a unit. Callers' values only follow our own
//! prefixes in a word, so none can be an option.

use std::borrow::Cow;
use std::ops::ControlFlow;

use hobnob_policy::{LogFilter, LogLevel, LogStart};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::backend::{LogMark, SystemLogs, SystemQuery};
use super::lines::OutputLines;
use super::page::StreamedPage;
use super::program::{LogProgram, ProgramEnd};
use crate::logs::entry::{LogEntry, LogPage};
use crate::logs::level::syslog_level;
use crate::logs::limits::{LogLimits, ReadBounds};
use crate::logs::problem::LogError;

/// The name of the whole journal.
const ALL: &str = "journal";
/// The fields of an entry that are printed, besides its cursor and time.
const FIELDS: &str =
    "--output-fields=MESSAGE,MESSAGE_ID,PRIORITY,SYSLOG_IDENTIFIER,_COMM,_SYSTEMD_UNIT";
/// The fields that can name an entry's source, the best first.
const SOURCE_FIELDS: [&str; 3] = ["SYSLOG_IDENTIFIER", "_COMM", "_SYSTEMD_UNIT"];
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

    /// Passes the lines of a log's entries to `each`, only those of a source if one is given.
    fn entries(
        &self,
        (log, source): (&str, Option<&str>),
        options: Vec<String>,
        bounds: ReadBounds<'_>,
        each: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<ProgramEnd, LogError> {
        let usual = ["--no-pager", "--quiet", "--all", "--output=json", FIELDS];
        let mut words: Vec<String> = usual.map(str::to_owned).into();
        words.extend(options);
        let unit = (log != ALL).then(|| format!("_SYSTEMD_UNIT={log}"));
        match source {
            None => words.extend(unit),
            // Any of the fields that an entry's source can come from.
            Some(source) => {
                for (at, field) in SOURCE_FIELDS.iter().enumerate() {
                    words.extend((0 < at).then(|| "+".to_owned()));
                    words.extend(unit.clone());
                    words.push(format!("{field}={source}"));
                }
            }
        }
        self.print(&words, bounds, each)
    }

    fn print(
        &self,
        words: &[String],
        bounds: ReadBounds<'_>,
        each: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<ProgramEnd, LogError> {
        self.program
            .run(words, bounds, |output| OutputLines::new(output, b"\n", MAX_LINE_BYTES).each(each))
    }
}

impl SystemLogs for Journal {
    fn names(&self, bounds: ReadBounds<'_>) -> Result<Vec<String>, LogError> {
        let words = ["--no-pager", "--quiet", "--field=_SYSTEMD_UNIT"].map(str::to_owned);
        let mut names = vec![ALL.to_owned()];
        self.print(&words, bounds, |line| {
            names.push(String::from_utf8_lossy(line).into_owned());
            ControlFlow::Continue(())
        })?;
        Ok(names)
    }

    fn query(&self, query: &SystemQuery<'_>, bounds: ReadBounds<'_>) -> Result<LogPage, LogError> {
        let LogFilter { min_level, source, since, until, contains } = query.filter.wanted();
        let mut options = vec!["--reverse".to_owned()];
        let mut page = StreamedPage::new(query, bounds.limits);
        // Entries without a priority count as information, so only a higher level is passed on.
        let priority = min_level.and_then(priority);
        options.extend(priority.map(|it| format!("--priority={it}")));
        match query.start {
            LogStart::Cursor(cursor) => {
                options.push(format!("--after-cursor={}", checked_cursor(cursor)?));
            }
            LogStart::Offset(_) => {
                options.extend(since.map(|it| format!("--since=@{}", it.as_second())));
                let end = |until: Timestamp| until.as_second().saturating_add(1);
                options.extend(until.map(|it| format!("--until=@{}", end(it))));
            }
        }
        // If some conditions are checked here, any number of entries may have to be read.
        let checked = contains.is_none() && source.is_none() && since.is_none() && until.is_none();
        if checked {
            options.push(format!("--lines={}", page.enough()));
        }
        let which = (query.log, query.filter.plain_source());
        let end = self.entries(which, options, bounds, |line| {
            if checked && page.only_counts() {
                return page.count();
            }
            match entry(line, bounds.limits) {
                Some((entry, _)) if since.is_some_and(|since| entry.timestamp < since) => {
                    ControlFlow::Break(())
                }
                Some((entry, cursor)) => page.add(entry, cursor),
                None => ControlFlow::Continue(()),
            }
        })?;
        Ok(page.end(end))
    }

    fn newest(&self, log: &str, bounds: ReadBounds<'_>) -> Result<LogMark, LogError> {
        let mut mark = LogMark { log: log.to_owned(), at: None };
        self.entries((log, None), vec!["--lines=1".to_owned()], bounds, |line| {
            mark.at = entry(line, bounds.limits).map(|(_, cursor)| cursor);
            ControlFlow::Continue(())
        })?;
        Ok(mark)
    }

    fn newer(&self, mark: &mut LogMark, bounds: ReadBounds<'_>) -> Result<Vec<LogEntry>, LogError> {
        let LogMark { log, at } = mark;
        let after = at.as_deref().map(checked_cursor).transpose()?;
        let options = after.map(|cursor| format!("--after-cursor={cursor}"));
        let mut entries = Vec::new();
        self.entries((log, None), options.into_iter().collect(), bounds, |line| {
            if let Some((entry, cursor)) = entry(line, bounds.limits) {
                entries.push(entry);
                *at = Some(cursor);
            }
            match entries.len() < MAX_BATCH {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
        Ok(entries)
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
fn entry(line: &[u8], limits: &LogLimits) -> Option<(LogEntry, String)> {
    let fields: Map<String, Value> = serde_json::from_slice(line).ok()?;
    let text = |name: &str| fields.get(name).and_then(text_of);
    let cursor = fields.get("__CURSOR")?.as_str()?.to_owned();
    let micros: i64 = fields.get("__REALTIME_TIMESTAMP")?.as_str()?.parse().ok()?;
    let source = SOURCE_FIELDS.iter().find_map(|it| text(it));
    let severity = text("PRIORITY").and_then(|it| it.parse().ok()).unwrap_or(6);
    let event = text("MESSAGE_ID");
    let event = event.and_then(|it| u32::from_str_radix(it.get(..8)?, 16).ok());
    let entry = LogEntry {
        id: number_of(&cursor),
        level: syslog_level(severity),
        source: source.unwrap_or_default().into_owned(),
        event_id: event.unwrap_or(0),
        message: limits.cut(text("MESSAGE").unwrap_or_default().into_owned()),
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

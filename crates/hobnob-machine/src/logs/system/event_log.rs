//! The Event Log of Windows, through `wevtutil el` and `wevtutil qe LOG /f:RenderedXml`.
//!
//! Conditions become an XPath expression of checked values; all of them are checked again here.

use std::ops::ControlFlow;

use hobnob_policy::{LogFilter, LogLevel, LogStart};
use jiff::Timestamp;

use super::backend::{SystemLogs, SystemMark, SystemQuery};
use super::lines::OutputLines;
use super::page::StreamedPage;
use super::program::{LogProgram, ProgramEnd, ProgramOutput};
use super::utf16::MaybeUtf16;
use super::xml::{attribute, element_text, element_texts};
use crate::logs::control::LogControl;
use crate::logs::entry::{LogEntry, LogPage};
use crate::logs::limits::LogLimits;
use crate::logs::problem::LogError;

/// The end of each event; the output has no element around the events.
const END: &[u8] = b"</Event>";
/// Longest event, in bytes.
const MAX_EVENT_BYTES: usize = 1 << 20;
/// Events that a tail reads at once.
const MAX_BATCH: u32 = 10_000;

/// The Event Log of this machine.
#[derive(Debug, Clone)]
pub struct EventLog {
    program: LogProgram,
}

impl EventLog {
    /// Reads through this `wevtutil`.
    pub fn new(program: LogProgram) -> Self {
        Self { program }
    }

    /// Events that match an XPath expression, the newest or the oldest first.
    fn events(
        &self,
        log: &str,
        order: Order,
        count: u64,
        conditions: &[String],
        (limits, control): (&LogLimits, &LogControl),
        mut each: impl FnMut(LogEntry) -> ControlFlow<()>,
    ) -> Result<ProgramEnd, LogError> {
        if log.starts_with('/') {
            return Err(LogError::Missing(log.to_owned()));
        }
        let reverse = match order {
            Order::NewestFirst => "/rd:true",
            Order::OldestFirst => "/rd:false",
        };
        let query = match conditions {
            [] => "/q:*".to_owned(),
            some => format!("/q:*[System[{}]]", some.join(" and ")),
        };
        let count = format!("/c:{}", count.min(u64::from(u32::MAX)));
        let words = ["qe", log, "/f:RenderedXml", reverse, &count, &query, "/uni:true"];
        let read = |output: &mut ProgramOutput<'_>| {
            let mut events = OutputLines::new(MaybeUtf16::new(output), MAX_EVENT_BYTES);
            while let Some(bytes) = events.next_until(END)? {
                if let Some(event) = event(&String::from_utf8_lossy(bytes))
                    && each(event).is_break()
                {
                    break;
                }
            }
            Ok(())
        };
        Ok(self.program.run(&words.map(str::to_owned), limits, control, read)?.1)
    }
}

#[derive(Debug, Clone, Copy)]
enum Order {
    NewestFirst,
    OldestFirst,
}

impl SystemLogs for EventLog {
    fn names(&self, control: &LogControl) -> Result<Vec<String>, LogError> {
        let mut names = Vec::new();
        let read = |output: &mut ProgramOutput<'_>| {
            let mut lines = OutputLines::new(MaybeUtf16::new(output), MAX_EVENT_BYTES);
            while let Some(line) = lines.next_line()? {
                names.push(String::from_utf8_lossy(line).trim().to_owned());
            }
            Ok(())
        };
        self.program.run(&["el".to_owned()], &LogLimits::default(), control, read)?;
        names.retain(|name| !name.is_empty());
        Ok(names)
    }

    fn query(
        &self,
        query: &SystemQuery<'_>,
        limits: &LogLimits,
        control: &LogControl,
    ) -> Result<LogPage, LogError> {
        let wanted = query.filter.wanted();
        let mut conditions = conditions(wanted, query.filter.plain_source());
        if let LogStart::Cursor(cursor) = query.start {
            let number = cursor.strip_prefix("w.").and_then(|it| it.parse::<u64>().ok());
            let number = number.ok_or(LogError::BadCursor)?;
            conditions.push(format!("EventRecordID < {number}"));
        }
        let mut page = StreamedPage::new(query, limits);
        let all_checked = wanted.contains.is_none() && wanted.source.is_none();
        let count = if all_checked { page.enough() } else { u64::MAX };
        let both = (limits, control);
        let end =
            self.events(query.log, Order::NewestFirst, count, &conditions, both, |entry| {
                let cursor = format!("w.{}", entry.id);
                match query.filter.accept(entry) {
                    Some(entry) => page.add(Some((entry, cursor))),
                    None => ControlFlow::Continue(()),
                }
            })?;
        Ok(page.end(query, end))
    }

    fn newest(
        &self,
        log: &str,
        limits: &LogLimits,
        control: &LogControl,
    ) -> Result<SystemMark, LogError> {
        let mut mark = SystemMark::default();
        self.events(log, Order::NewestFirst, 1, &[], (limits, control), |entry| {
            mark.0 = Some(entry.id.to_string());
            ControlFlow::Break(())
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
        let seen: u64 = mark.0.as_deref().and_then(|it| it.parse().ok()).unwrap_or(0);
        let newer = [format!("EventRecordID > {seen}")];
        let mut entries: Vec<LogEntry> = Vec::new();
        let both = (limits, control);
        self.events(log, Order::OldestFirst, u64::from(MAX_BATCH), &newer, both, |entry| {
            if seen < entry.id {
                entries.push(entry);
            }
            ControlFlow::Continue(())
        })?;
        let last = entries.last().map(|entry| entry.id.to_string());
        Ok((entries, SystemMark(last.or_else(|| mark.0.clone()))))
    }
}

/// The conditions that XPath can check. A source with both kinds of quotes cannot be expressed.
fn conditions(wanted: &LogFilter, source: Option<&str>) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(wanted.min_level.and_then(levels));
    all.extend(wanted.since.map(|it| format!("TimeCreated[@SystemTime>='{it}']")));
    all.extend(wanted.until.map(|it| format!("TimeCreated[@SystemTime<='{it}']")));
    let quote = source.and_then(|it| ['\'', '"'].into_iter().find(|quote| !it.contains(*quote)));
    if let (Some(source), Some(quote)) = (source, quote)
        && !source.contains(|it: char| it.is_control())
    {
        all.push(format!("Provider[@Name={quote}{source}{quote}]"));
    }
    all
}

fn levels(min_level: LogLevel) -> Option<String> {
    let numbers: &[u8] = match min_level {
        LogLevel::Debug => return None,
        LogLevel::Information => &[0, 1, 2, 3, 4],
        LogLevel::Warning => &[1, 2, 3],
        LogLevel::Error => &[1, 2],
        LogLevel::Critical => &[1],
    };
    let levels: Vec<String> = numbers.iter().map(|number| format!("Level={number}")).collect();
    Some(format!("({})", levels.join(" or ")))
}

/// Parses one event; `None` for other text, such as the line break after the last event.
fn event(xml: &str) -> Option<LogEntry> {
    let id = element_text(xml, "EventRecordID")?.trim().parse::<u64>().ok()?;
    let level = match element_text(xml, "Level").as_deref().map(str::trim) {
        Some("1") => LogLevel::Critical,
        Some("2") => LogLevel::Error,
        Some("3") => LogLevel::Warning,
        Some("5") => LogLevel::Debug,
        _ => LogLevel::Information,
    };
    let time = attribute(xml, "TimeCreated", "SystemTime")?;
    let message = element_text(xml, "Message").filter(|it| !it.trim().is_empty());
    // If the publisher has no text for an event, its values are the message.
    let message =
        message.map_or_else(|| element_texts(xml, "Data").join(", "), |it| it.into_owned());
    let number = element_text(xml, "EventID")?.trim().parse().unwrap_or(0);
    Some(LogEntry {
        id: id & ((1 << 53) - 1),
        level,
        source: attribute(xml, "Provider", "Name").unwrap_or_default().into_owned(),
        event_id: number,
        message: message.replace("\r\n", "\n").trim().to_owned(),
        timestamp: time.parse::<Timestamp>().ok()?,
    })
}

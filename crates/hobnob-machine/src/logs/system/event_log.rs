//! The Event Log of Windows, through `wevtutil el` and `wevtutil qe LOG /f:RenderedXml`.
//!
//! Conditions become an XPath expression of checked values; all of them are checked again here.

use std::ops::ControlFlow;

use hobnob_policy::{LogFilter, LogLevel, LogStart};
use jiff::Timestamp;

use super::backend::{LogMark, SystemLogs, SystemQuery};
use super::lines::OutputLines;
use super::page::StreamedPage;
use super::program::{LogProgram, ProgramEnd};
use super::utf16::MaybeUtf16;
use super::xml::{attribute, element_text, element_texts};
use crate::logs::entry::{LogEntry, LogPage};
use crate::logs::limits::{LogLimits, ReadBounds};
use crate::logs::problem::LogError;

#[cfg(test)]
mod tests;

/// The end of each event; the output has no element around the events.
const END: &[u8] = b"</Event>";
/// Longest event, in bytes.
const MAX_EVENT_BYTES: usize = 1 << 20;
/// Events that a tail reads at once.
const MAX_BATCH: u64 = 10_000;

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
        bounds: ReadBounds<'_>,
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
        self.program.run(&words.map(str::to_owned), bounds, |output| {
            let events = OutputLines::new(MaybeUtf16::new(output), END, MAX_EVENT_BYTES);
            events.each(|xml| match event(&String::from_utf8_lossy(xml), bounds.limits) {
                Some(event) => each(event),
                None => ControlFlow::Continue(()),
            })
        })
    }
}

#[derive(Debug, Clone, Copy)]
enum Order {
    NewestFirst,
    OldestFirst,
}

impl SystemLogs for EventLog {
    fn names(&self, bounds: ReadBounds<'_>) -> Result<Vec<String>, LogError> {
        let mut names = Vec::new();
        self.program.run(&["el".to_owned()], bounds, |output| {
            OutputLines::new(MaybeUtf16::new(output), b"\n", MAX_EVENT_BYTES).each(|line| {
                names.push(String::from_utf8_lossy(line).trim().to_owned());
                ControlFlow::Continue(())
            })
        })?;
        names.retain(|name| !name.is_empty());
        Ok(names)
    }

    fn query(&self, query: &SystemQuery<'_>, bounds: ReadBounds<'_>) -> Result<LogPage, LogError> {
        let wanted = query.filter.wanted();
        let mut conditions = conditions(wanted, query.filter.plain_source());
        if let LogStart::Cursor(cursor) = query.start {
            let number = cursor.strip_prefix("w.").and_then(|it| it.parse::<u64>().ok());
            let number = number.ok_or(LogError::BadCursor)?;
            conditions.push(format!("EventRecordID < {number}"));
        }
        let mut page = StreamedPage::new(query, bounds.limits);
        let all_checked = wanted.contains.is_none() && wanted.source.is_none();
        let count = if all_checked { page.enough() } else { u64::MAX };
        let end =
            self.events(query.log, Order::NewestFirst, count, &conditions, bounds, |entry| {
                let cursor = format!("w.{}", entry.id);
                page.add(entry, cursor)
            })?;
        Ok(page.end(end))
    }

    fn newest(&self, log: &str, bounds: ReadBounds<'_>) -> Result<LogMark, LogError> {
        let mut mark = LogMark { log: log.to_owned(), at: None };
        self.events(log, Order::NewestFirst, 1, &[], bounds, |entry| {
            mark.at = Some(entry.id.to_string());
            ControlFlow::Break(())
        })?;
        Ok(mark)
    }

    fn newer(&self, mark: &mut LogMark, bounds: ReadBounds<'_>) -> Result<Vec<LogEntry>, LogError> {
        let seen: u64 = mark.at.as_deref().and_then(|it| it.parse().ok()).unwrap_or(0);
        let newer = [format!("EventRecordID > {seen}")];
        let mut entries: Vec<LogEntry> = Vec::new();
        self.events(&mark.log, Order::OldestFirst, MAX_BATCH, &newer, bounds, |entry| {
            if seen < entry.id {
                entries.push(entry);
            }
            ControlFlow::Continue(())
        })?;
        if let Some(last) = entries.last() {
            mark.at = Some(last.id.to_string());
        }
        Ok(entries)
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
fn event(xml: &str, limits: &LogLimits) -> Option<LogEntry> {
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
        message: limits.cut(message.replace("\r\n", "\n").trim().to_owned()),
        timestamp: time.parse::<Timestamp>().ok()?,
    })
}

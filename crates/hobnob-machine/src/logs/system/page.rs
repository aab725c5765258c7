//! Builds a page from a stream of entries that comes newest first.

use std::ops::ControlFlow;

use super::backend::SystemQuery;
use super::program::ProgramEnd;
use crate::logs::entry::{LogEntry, LogPage, LogTotal};
use crate::logs::limits::LogLimits;
use hobnob_policy::LogStart;

/// The page as far as it was read.
pub(crate) struct StreamedPage {
    skip: u64,
    limit: u64,
    enough: u64,
    counted: u64,
    entries: Vec<LogEntry>,
    cursor: Option<String>,
}

impl StreamedPage {
    pub(crate) fn new(query: &SystemQuery<'_>, limits: &LogLimits) -> Self {
        let skip = match query.start {
            LogStart::Offset(offset) => *offset,
            LogStart::Cursor(_) => 0,
        };
        let limit = u64::from(query.limit);
        let enough = skip.saturating_add(limit).saturating_add(limits.count_entries);
        Self { skip, limit, enough, counted: 0, entries: Vec::new(), cursor: None }
    }

    /// How many entries to request: one more than are counted, to see whether there are more.
    pub(crate) fn enough(&self) -> u64 {
        self.enough.saturating_add(1)
    }

    /// Whether the next entry is only counted.
    pub(crate) fn only_counts(&self) -> bool {
        self.counted < self.skip || self.skip.saturating_add(self.limit) <= self.counted
    }

    /// Counts a matching entry; `entry` is `None` if it is only counted.
    pub(crate) fn add(&mut self, entry: Option<(LogEntry, String)>) -> ControlFlow<()> {
        let shown = !self.only_counts();
        self.counted += 1;
        if let Some((entry, cursor)) = entry.filter(|_| shown) {
            self.entries.push(entry);
            self.cursor = Some(cursor);
        }
        match self.counted <= self.enough {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    pub(crate) fn end(self, query: &SystemQuery<'_>, end: ProgramEnd) -> LogPage {
        let whole = end == ProgramEnd::Whole && self.counted <= self.enough;
        let total = match whole {
            true => LogTotal::Exactly(self.counted),
            false => LogTotal::AtLeast(self.counted),
        };
        let seen = self.skip.saturating_add(self.entries.len() as u64);
        let more = !whole || seen < self.counted;
        let total = matches!(query.start, LogStart::Offset(_)).then_some(total);
        LogPage { entries: self.entries, total, next_cursor: self.cursor.filter(|_| more) }
    }
}

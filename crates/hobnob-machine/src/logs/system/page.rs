//! Builds a page from a stream of entries that comes newest first.

use std::ops::ControlFlow;

use super::backend::SystemQuery;
use super::program::ProgramEnd;
use crate::logs::entry::{LogEntry, LogPage, LogTotal};
use crate::logs::limits::LogLimits;
use hobnob_policy::LogStart;

/// The page as far as it was read.
pub(crate) struct StreamedPage<'query> {
    query: &'query SystemQuery<'query>,
    skip: u64,
    enough: u64,
    counted: u64,
    entries: Vec<LogEntry>,
    cursor: Option<String>,
}

impl<'query> StreamedPage<'query> {
    pub(crate) fn new(query: &'query SystemQuery<'query>, limits: &LogLimits) -> Self {
        let skip = match query.start {
            LogStart::Offset(offset) => *offset,
            LogStart::Cursor(_) => 0,
        };
        let enough = skip.saturating_add(query.limit.into()).saturating_add(limits.count_entries);
        Self { query, skip, enough, counted: 0, entries: Vec::new(), cursor: None }
    }

    /// How many entries to request: one more than are counted, to see whether there are more.
    pub(crate) fn enough(&self) -> u64 {
        self.enough.saturating_add(1)
    }

    /// Whether the next entry is only counted.
    pub(crate) fn only_counts(&self) -> bool {
        let end = self.skip.saturating_add(self.query.limit.into());
        self.counted < self.skip || end <= self.counted
    }

    /// Counts an entry that matches and is not shown.
    pub(crate) fn count(&mut self) -> ControlFlow<()> {
        self.counted += 1;
        match self.counted <= self.enough {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    /// Adds an entry if it matches; `cursor` leads to the entries after it.
    pub(crate) fn add(&mut self, entry: LogEntry, cursor: String) -> ControlFlow<()> {
        let Some(entry) = self.query.filter.accept(entry) else { return ControlFlow::Continue(()) };
        if !self.only_counts() {
            self.entries.push(entry);
            self.cursor = Some(cursor);
        }
        self.count()
    }

    pub(crate) fn end(self, end: ProgramEnd) -> LogPage {
        let whole = end == ProgramEnd::Whole && self.counted <= self.enough;
        let total = match whole {
            true => LogTotal::Exactly(self.counted),
            false => LogTotal::AtLeast(self.counted),
        };
        let seen = self.skip.saturating_add(self.entries.len() as u64);
        let more = !whole || seen < self.counted;
        let total = matches!(self.query.start, LogStart::Offset(_)).then_some(total);
        LogPage { entries: self.entries, total, next_cursor: self.cursor.filter(|_| more) }
    }
}

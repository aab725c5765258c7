//! Collects a page of entries from the parts of a log, the newest first: by entry number if the
//! query has no conditions, otherwise by scanning backwards from the end.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::back::stretch_before;
use super::entries::visit_entries;
use super::index::FileIndex;
use super::part::{OpenPart, PartId};
use super::rotation::PartForm;
use super::section::FileSection;
use super::shape::EntryShape;
use crate::logs::control::LogControl;
use crate::logs::entry::{LogEntry, LogPage, LogTotal};
use crate::logs::limits::LogLimits;
use crate::logs::problem::LogError;
use crate::logs::query::EntryFilter;

/// The parameters of a query of files, besides the parts.
pub(crate) struct PartQuery<'query> {
    pub(crate) filter: EntryFilter<'query>,
    pub(crate) limit: usize,
    pub(crate) limits: &'query LogLimits,
    pub(crate) control: &'query LogControl,
}

/// A position in a part: the entries before it are older.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PartPlace {
    pub(crate) inode: u64,
    pub(crate) offset: u64,
}

impl PartPlace {
    pub(crate) fn parse(cursor: &str) -> Result<Self, LogError> {
        let read = || {
            let (inode, offset) = cursor.strip_prefix("f.")?.split_once('.')?;
            Some(Self { inode: inode.parse().ok()?, offset: offset.parse().ok()? })
        };
        read().ok_or(LogError::BadCursor)
    }

    pub(crate) fn to_cursor(self) -> String {
        format!("f.{}.{}", self.inode, self.offset)
    }

    fn at(id: PartId, offset: u64) -> Self {
        Self { inode: id.inode, offset }
    }
}

/// The number of entries of a part and, for a plain part, their index.
#[derive(Debug, Clone)]
pub(crate) enum PartCount {
    Indexed(Arc<FileIndex>),
    /// A compressed part, which is read from its beginning each time.
    Streamed {
        size: u64,
        shape: EntryShape,
        count: u64,
    },
}

impl PartCount {
    pub(crate) fn entries(&self) -> u64 {
        match self {
            Self::Indexed(index) => index.count(),
            Self::Streamed { count, .. } => *count,
        }
    }
}

/// A page by entry numbers: skips `offset` newer entries and reads only the page.
pub(crate) fn page_by_number(
    parts: &[(OpenPart, PartCount)],
    offset: u64,
    query: &PartQuery<'_>,
) -> Result<LogPage, LogError> {
    let total: u64 = parts.iter().map(|(_, count)| count.entries()).sum();
    let mut found = Found::new(query);
    let mut skip = offset;
    for (part, count) in parts {
        let here = count.entries();
        if found.is_full() || here <= skip {
            skip = skip.saturating_sub(here);
            continue;
        }
        let upper = here - skip;
        let lower = upper.saturating_sub(found.room());
        skip = 0;
        found.take_numbered(part, count, lower, upper)?;
    }
    let seen = offset.saturating_add(found.entries.len() as u64);
    let next = found.last.filter(|_| seen < total).map(PartPlace::to_cursor);
    Ok(LogPage { entries: found.entries, total: Some(LogTotal::Exactly(total)), next_cursor: next })
}

/// A page by scanning: the entries that match, after `skip` matches or before a position.
pub(crate) fn page_by_scanning(
    parts: &[OpenPart],
    mut skip: u64,
    from: Option<PartPlace>,
    query: &PartQuery<'_>,
) -> Result<LogPage, LogError> {
    let first = match from {
        None => 0,
        Some(place) => {
            parts.iter().position(|part| part.id.inode == place.inode).ok_or(LogError::BadCursor)?
        }
    };
    let mut found = Found::new(query);
    let mut complete = true;
    for (at, part) in parts.iter().enumerate().skip(first) {
        // Parts are in order of time: a part last written before `since` has no matches.
        if query.filter.wanted().since.is_some_and(|since| part.clock.modified < since) {
            break;
        }
        let before = from.filter(|_| at == first).map_or(u64::MAX, |place| place.offset);
        let scan = match part.form {
            PartForm::Plain => found.scan_backwards(part, before, &mut skip)?,
            PartForm::Gzip => found.scan_compressed(part, before, &mut skip)?,
        };
        if scan == PartScan::Stopped {
            complete = false;
            break;
        }
    }
    let more = !complete || found.matched > found.passed + found.entries.len() as u64;
    let next = match found.is_full() {
        true => found.last,
        false => found.stopped_at,
    };
    let total = match complete {
        true => LogTotal::Exactly(found.matched),
        false => LogTotal::AtLeast(found.matched),
    };
    let next_cursor = next.filter(|_| more).map(PartPlace::to_cursor);
    let total = from.is_none().then_some(total);
    Ok(LogPage { entries: found.entries, total, next_cursor })
}

/// Whether a part was scanned to its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartScan {
    Complete,
    Stopped,
}

/// The entries found so far, and the counts of the scan.
struct Found<'query> {
    query: &'query PartQuery<'query>,
    entries: Vec<LogEntry>,
    last: Option<PartPlace>,
    /// Entries that match, on the page or not.
    matched: u64,
    /// Matching entries that were skipped before the page.
    passed: u64,
    /// Bytes that were scanned.
    scanned: u64,
    stopped_at: Option<PartPlace>,
}

impl<'query> Found<'query> {
    fn new(query: &'query PartQuery<'query>) -> Self {
        Self {
            query,
            entries: Vec::new(),
            last: None,
            matched: 0,
            passed: 0,
            scanned: 0,
            stopped_at: None,
        }
    }

    fn is_full(&self) -> bool {
        self.query.limit <= self.entries.len()
    }

    fn room(&self) -> u64 {
        self.query.limit.saturating_sub(self.entries.len()) as u64
    }

    fn push(&mut self, place: PartPlace, entry: LogEntry) {
        self.entries.push(entry);
        self.last = Some(place);
    }

    /// Counts a matching entry, and adds it to the page if it belongs there.
    fn add_match(&mut self, place: PartPlace, entry: LogEntry, skip: &mut u64) {
        self.matched += 1;
        if 0 < *skip {
            *skip -= 1;
            self.passed += 1;
        } else if !self.is_full() {
            self.push(place, entry);
        }
    }

    /// Whether the scan limit of one query is reached.
    fn is_spent(&self) -> bool {
        let limits = self.query.limits;
        let allowed = if self.is_full() { limits.count } else { limits.scan };
        allowed <= self.scanned
    }

    /// Adds the entries numbered `lower` to `upper` of a part, the newest first.
    fn take_numbered(
        &mut self,
        part: &OpenPart,
        count: &PartCount,
        lower: u64,
        upper: u64,
    ) -> Result<(), LogError> {
        let PartQuery { filter, limits, control, .. } = self.query;
        let mut taken: Vec<(PartPlace, LogEntry)> = Vec::new();
        let (mut number, start) = match count {
            PartCount::Indexed(index) => index.mark_before(lower),
            PartCount::Streamed { .. } => (0, 0),
        };
        let visit = |raw: super::entries::RawEntry<'_>| {
            if lower <= number && number < upper {
                let entry = filter.accept(raw.parse(part.id.inode, &part.clock));
                taken.extend(entry.map(|entry| (PartPlace::at(part.id, raw.offset), entry)));
            }
            number += 1;
            if number < upper { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        match count {
            PartCount::Indexed(index) => {
                let section = FileSection::new(&part.file, start, index.end());
                visit_entries(section, start, index.shape(), limits.message, control, visit)?
            }
            PartCount::Streamed { shape, .. } => {
                let text = part.decompressed(limits.decompressed);
                visit_entries(text, 0, *shape, limits.message, control, visit)?
            }
        };
        for (place, entry) in taken.into_iter().rev() {
            self.push(place, entry);
        }
        Ok(())
    }

    /// Scans a plain part backwards from its end, one run of entries at a time.
    fn scan_backwards(
        &mut self,
        part: &OpenPart,
        before: u64,
        skip: &mut u64,
    ) -> Result<PartScan, LogError> {
        let PartQuery { filter, limits, control, .. } = self.query;
        let shape = EntryShape::of_file(&part.file)?;
        let mut end = before.min(part.size);
        while 0 < end {
            if self.is_spent() {
                self.stopped_at = Some(PartPlace::at(part.id, end));
                return Ok(PartScan::Stopped);
            }
            let start = stretch_before(&part.file, end, shape, control)?;
            let mut fitting: Vec<(PartPlace, LogEntry)> = Vec::new();
            let mut latest = None;
            let section = FileSection::new(&part.file, start, end);
            visit_entries(section, start, shape, limits.message, control, |raw| {
                let entry = raw.parse(part.id.inode, &part.clock);
                latest = latest.max(Some(entry.timestamp));
                let entry = filter.accept(entry);
                fitting.extend(entry.map(|entry| (PartPlace::at(part.id, raw.offset), entry)));
                ControlFlow::Continue(())
            })?;
            for (place, entry) in fitting.into_iter().rev() {
                self.add_match(place, entry, skip);
            }
            self.scanned += end - start;
            if filter.wanted().since.is_some_and(|since| latest < Some(since)) {
                // A log is in order of time: all earlier entries are older still.
                return Ok(PartScan::Complete);
            }
            end = start;
        }
        Ok(PartScan::Complete)
    }

    /// Scans a compressed part from its beginning, twice: to count, and to take the last entries.
    fn scan_compressed(
        &mut self,
        part: &OpenPart,
        before: u64,
        skip: &mut u64,
    ) -> Result<PartScan, LogError> {
        if self.is_spent() {
            self.stopped_at = Some(PartPlace::at(part.id, before.min(i64::MAX as u64)));
            return Ok(PartScan::Stopped);
        }
        let mut count = 0;
        self.stream(part, before, |_, _| {
            count += 1;
            ControlFlow::Continue(())
        })?;
        self.matched += count;
        let passed = count.min(*skip);
        *skip -= passed;
        self.passed += passed;
        let upper = count - passed;
        let lower = upper.saturating_sub(self.room());
        if lower == upper {
            return Ok(PartScan::Complete);
        }
        let (mut number, mut taken) = (0, Vec::new());
        self.stream(part, before, |place, entry| {
            if lower <= number && number < upper {
                taken.push((place, entry));
            }
            number += 1;
            if number < upper { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        for (place, entry) in taken.into_iter().rev() {
            self.push(place, entry);
        }
        Ok(PartScan::Complete)
    }

    /// Visits the matching entries of a compressed part that begin before a position.
    fn stream(
        &mut self,
        part: &OpenPart,
        before: u64,
        mut visit: impl FnMut(PartPlace, LogEntry) -> ControlFlow<()>,
    ) -> Result<(), LogError> {
        let PartQuery { filter, limits, control, .. } = self.query;
        let shape = EntryShape::of(part.decompressed(limits.decompressed))?;
        let text = part.decompressed(limits.decompressed);
        let end = visit_entries(text, 0, shape, limits.message, control, |raw| {
            if before <= raw.offset {
                return ControlFlow::Break(());
            }
            match filter.accept(raw.parse(part.id.inode, &part.clock)) {
                Some(entry) => visit(PartPlace::at(part.id, raw.offset), entry),
                None => ControlFlow::Continue(()),
            }
        })?;
        self.scanned += end;
        Ok(())
    }
}

//! Follows a log file: each call of [`FollowedFile::newer`] is one poll, and returns the entries
//! written since the last one, even after the file was rotated or truncated. The caller decides how
//! often to poll.

use std::fs::File;
use std::ops::ControlFlow;
use std::sync::Arc;

use hobnob_policy::RelativePath;
use jiff::tz::TimeZone;

use super::entries::visit_entries;
use super::found::FoundLog;
use super::part::{OpenPart, PartId};
use super::rotation::PartForm;
use super::section::FileSection;
use super::shape::EntryShape;
use crate::files::ConfinedRoot;
use crate::logs::control::LogControl;
use crate::logs::entry::LogEntry;
use crate::logs::limits::{LogLimits, ReadBounds};
use crate::logs::problem::LogError;

/// Maximum number of bytes that are read in one poll.
const MAX_POLL_BYTES: u64 = 16 << 20;

/// A log file that a tail follows.
pub(crate) struct FollowedFile {
    root: Arc<ConfinedRoot>,
    path: RelativePath,
    zone: TimeZone,
    place: Reading,
}

impl FollowedFile {
    /// Begins at the end of the log as it was found.
    pub(crate) fn new(log: FoundLog, zone: TimeZone) -> Self {
        let FoundLog { root, path, parts } = log;
        Self { root, path, zone, place: Reading::at_end(parts.into_iter().next()) }
    }

    /// The entries that were written since the last call.
    pub(crate) fn newer(&mut self, bounds: ReadBounds<'_>) -> Result<Vec<LogEntry>, LogError> {
        let now = self.root.open_file(&self.path).ok();
        let now = now.map(|open| OpenPart::new(open, PartForm::Plain, &self.zone));
        self.place.read(now, bounds.limits, bounds.control)
    }
}

/// How far the file was read.
struct Reading {
    file: Option<(PartId, File)>,
    at: u64,
    /// The size at the last poll; the last entry is complete once the file no longer grows.
    seen: u64,
}

impl Reading {
    /// Begins at the end of the present content.
    fn at_end(part: Option<OpenPart>) -> Self {
        let part = part.filter(|part| part.form == PartForm::Plain);
        let at = part.as_ref().map_or(0, |part| part.size);
        Self { file: part.map(|part| (part.id, part.file)), at, seen: at }
    }

    /// The entries since the last poll, from the rotated file and the present one.
    fn read(
        &mut self,
        now: Option<OpenPart>,
        limits: &LogLimits,
        control: &LogControl,
    ) -> Result<Vec<LogEntry>, LogError> {
        let Some(now) = now else { return Ok(Vec::new()) };
        let mut fresh = Vec::new();
        if self.file.as_ref().is_none_or(|(id, _)| *id != now.id) {
            if let Some((id, file)) = self.file.take() {
                // Read the rest of the old file, written before it was rotated.
                let size = file.metadata()?.len();
                let old = OpenPart { file, id, size, form: now.form, clock: now.clock.clone() };
                self.seen = size;
                fresh = self.advance(&old, limits, control)?;
            }
            (self.at, self.seen) = (0, 0);
        }
        if now.size < self.at {
            // The file was truncated and written again.
            (self.at, self.seen) = (0, 0);
        }
        fresh.extend(self.advance(&now, limits, control)?);
        self.seen = now.size;
        self.file = Some((now.id, now.file));
        Ok(fresh)
    }

    /// Reads whole entries. The last one may still grow, so it is held back until a poll finds no
    /// new bytes.
    fn advance(
        &mut self,
        part: &OpenPart,
        limits: &LogLimits,
        control: &LogControl,
    ) -> Result<Vec<LogEntry>, LogError> {
        let end = part.size.min(self.at.saturating_add(MAX_POLL_BYTES));
        if end <= self.at {
            return Ok(Vec::new());
        }
        let grows = self.seen < part.size;
        let shape = EntryShape::of_file(&part.file)?;
        let section = FileSection::new(&part.file, self.at, end);
        let mut entries: Vec<(u64, LogEntry)> = Vec::new();
        let whole = visit_entries(section, self.at, shape, limits.message, control, |raw| {
            entries.push((raw.offset, raw.parse(part.id.inode, &part.clock)));
            ControlFlow::Continue(())
        })?;
        let keep_last = grows || whole < end;
        match entries.last() {
            Some((offset, _)) if keep_last && (1 < entries.len() || end == part.size) => {
                self.at = *offset;
                entries.pop();
            }
            _ => self.at = end,
        }
        Ok(entries.into_iter().map(|(_, entry)| entry).collect())
    }
}

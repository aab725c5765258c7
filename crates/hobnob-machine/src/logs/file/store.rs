//! Finds the parts of a log by a granted name, caches their indexes, and performs the actions.
//!
//! Indexes are keyed by device and inode, so that a rotation loses none.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use hobnob_policy::{FileRoot, GrantedPath, LogFilter, LogStart};
use jiff::tz::TimeZone;

use super::collect::{PartCount, PartPlace, PartQuery, page_by_number, page_by_scanning};
use super::entries::visit_starts;
use super::follow::FollowedFile;
use super::found::FoundLog;
use super::index::FileIndex;
use super::list::list_folder;
use super::part::{OpenPart, PartId};
use super::rotation::{PartForm, parts_of};
use super::shape::EntryShape;
use crate::files::{FileError, GrantedFolders, HiddenFolders, LastLink, visible_names};
use crate::logs::control::LogControl;
use crate::logs::entry::{ListedLog, LogPage};
use crate::logs::limits::LogLimits;
use crate::logs::problem::LogError;
use crate::logs::query::{EntryFilter, TextMask};

/// How many files have a cached index.
const MAX_CACHED: usize = 128;

/// Logs that are files in granted folders.
pub(crate) struct FileLogs {
    folders: GrantedFolders,
    zone: TimeZone,
    limits: LogLimits,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    counts: HashMap<PartId, (u64, PartCount)>,
    /// Grows with each use; the least recently used count is evicted first.
    uses: u64,
}

impl FileLogs {
    pub(crate) fn new(
        hidden: impl IntoIterator<Item = PathBuf>,
        zone: TimeZone,
        limits: LogLimits,
    ) -> Self {
        let folders = GrantedFolders::new(HiddenFolders::new(hidden));
        Self { folders, zone, limits, known: Mutex::default() }
    }

    /// Closes the folders that no grant names any more.
    pub(crate) fn keep(&self, granted: &[Arc<FileRoot>]) {
        self.folders.keep(granted);
    }

    /// The log at the first of these places that has one; `None` if there is none.
    pub(crate) fn find(&self, places: &[GrantedPath]) -> Result<Option<FoundLog>, LogError> {
        let mut refused = None;
        for place in places {
            match self.find_at(place) {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => {}
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        refused.map_or(Ok(None), |error| Err(error.into()))
    }

    fn find_at(&self, place: &GrantedPath) -> Result<Option<FoundLog>, FileError> {
        let root = self.folders.open(place.root())?;
        let path = place.below();
        let (Some(parent), Some(leaf)) = (path.parent(), path.leaf().and_then(OsStr::to_str))
        else {
            return Ok(None);
        };
        let fail = |refusal| FileError::new(path, refusal);
        let Ok(folder) = root.resolve(&parent, LastLink::Follow) else { return Ok(None) };
        let Ok(folder) = folder.folder() else { return Ok(None) };
        let names = visible_names(folder, &root.hidden_now()).map_err(fail)?;
        let names = names.iter().filter_map(|(name, _)| name.to_str());
        let (mut parts, mut refused) = (Vec::<OpenPart>::new(), None);
        for name in parts_of(leaf, names, self.limits.parts) {
            let Ok(path) = parent.join(&name.name) else { continue };
            match root.open_file(&path) {
                Ok(open) => {
                    let part = OpenPart::new(open, name.form, &self.zone);
                    // A rotation meanwhile can show one file under two names.
                    if !parts.iter().any(|it| it.id == part.id) {
                        parts.push(part);
                    }
                }
                Err(refusal) => refused = refused.or(Some(FileError::new(&path, refusal))),
            }
        }
        match refused {
            Some(refused) if parts.is_empty() => Err(refused),
            _ if parts.is_empty() => Ok(None),
            _ => Ok(Some(FoundLog { root, path: path.clone(), parts })),
        }
    }

    /// A page of a log's entries.
    pub(crate) fn query(
        &self,
        log: FoundLog,
        filter: &LogFilter,
        limit: u32,
        start: &LogStart,
        mask: &dyn TextMask,
        control: &LogControl,
    ) -> Result<LogPage, LogError> {
        let limits = self.limits.of_page(limit);
        let query = PartQuery {
            filter: EntryFilter::new(filter, mask),
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            limits: &limits,
            control,
        };
        let countable = log.parts.iter().all(|part| part.size <= self.limits.index);
        match start {
            LogStart::Cursor(cursor) => {
                page_by_scanning(&log.parts, 0, Some(PartPlace::parse(cursor)?), &query)
            }
            LogStart::Offset(offset) if *filter == LogFilter::default() && countable => {
                let counted: Result<Vec<_>, LogError> = log
                    .parts
                    .into_iter()
                    .map(|part| {
                        let count = self.count(&part, control)?;
                        Ok((part, count))
                    })
                    .collect();
                page_by_number(&counted?, *offset, &query)
            }
            LogStart::Offset(offset) => page_by_scanning(&log.parts, *offset, None, &query),
        }
    }

    /// Follows a log from its end.
    pub(crate) fn follow(&self, log: FoundLog) -> FollowedFile {
        FollowedFile::new(log, self.zone.clone())
    }

    /// The logs of granted folders, by names that a query accepts.
    pub(crate) fn list(
        &self,
        granted: &[Arc<FileRoot>],
        control: &LogControl,
    ) -> Result<Vec<ListedLog>, LogError> {
        let mut logs: Vec<ListedLog> = Vec::new();
        for folder in granted {
            let Ok(root) = self.folders.open(folder) else { continue };
            for mut log in list_folder(&root, self.limits.listed, control)? {
                if logs.iter().any(|it| it.name == log.name) {
                    // The name alone means the log of an earlier folder: list this one by its path.
                    log.name = folder.path().join(&log.name).display().to_string();
                }
                if logs.len() < self.limits.listed {
                    logs.push(log);
                }
            }
        }
        Ok(logs)
    }

    /// The entry count of a part; reads only what was written since the last time.
    fn count(&self, part: &OpenPart, control: &LogControl) -> Result<PartCount, LogError> {
        let known = self.known(part.id);
        let count = match (part.form, known) {
            (PartForm::Plain, Some(PartCount::Indexed(index)))
                if index.fits(&part.file, part.size)? =>
            {
                match index.end() == part.size {
                    true => PartCount::Indexed(index),
                    false => {
                        let grown = (*index).clone().extend(&part.file, part.size, control)?;
                        PartCount::Indexed(Arc::new(grown))
                    }
                }
            }
            (PartForm::Plain, _) => {
                PartCount::Indexed(Arc::new(FileIndex::build(&part.file, part.size, control)?))
            }
            (PartForm::Gzip, Some(PartCount::Streamed { size, shape, count }))
                if size == part.size =>
            {
                PartCount::Streamed { size, shape, count }
            }
            (PartForm::Gzip, _) => {
                let shape = EntryShape::of(part.decompressed(self.limits.decompressed))?;
                let text = part.decompressed(self.limits.decompressed);
                let mut count = 0;
                visit_starts(text, 0, shape, control, |_| count += 1)?;
                PartCount::Streamed { size: part.size, shape, count }
            }
        };
        self.remember(part.id, count.clone());
        Ok(count)
    }

    fn known(&self, id: PartId) -> Option<PartCount> {
        let known = self.known.lock();
        known.counts.get(&id).map(|(_, count)| count.clone())
    }

    fn remember(&self, id: PartId, count: PartCount) {
        let mut known = self.known.lock();
        known.uses += 1;
        let uses = known.uses;
        known.counts.insert(id, (uses, count));
        if MAX_CACHED < known.counts.len() {
            let oldest = known.counts.iter().min_by_key(|(_, (used, _))| *used).map(|(id, _)| *id);
            known.counts.retain(|id, _| Some(*id) != oldest);
        }
    }
}

impl From<FileError> for LogError {
    fn from(error: FileError) -> Self {
        Self::File(error.to_string())
    }
}

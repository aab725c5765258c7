//! The entry point for services: takes a permit and returns the outcome.
//!
//! A name means the first file that exists, or else the system's log of that name, as far as the
//! permit allows.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hobnob_policy::{FileRoot, LogAction, LogListing, LogOperation, Permit};
use jiff::tz::TimeZone;

use super::control::LogControl;
use super::entry::{FollowedEntries, ListedLog, LogEntry, LogPage};
use super::file::FileLogs;
use super::limits::{LogLimits, ReadBounds};
use super::problem::LogError;
use super::query::{EntryFilter, TextMask};
use super::system::{SystemLogs, SystemQuery};
use super::tail::tail;

/// Where systems keep the rules of their own time zone.
const LOCAL_ZONE: &str = "/etc/localtime";

/// Reads logs by permits. All callers share one reader and its cached indexes.
pub struct LogReader {
    files: FileLogs,
    system: Option<Arc<dyn SystemLogs>>,
    limits: LogLimits,
}

/// The result of an action, one variant for each operation.
#[derive(Debug)]
pub enum LogOutcome {
    /// A page of existing entries.
    Page(LogPage),
    /// How a tail ended; its entries were passed on as they came.
    Followed(FollowedEntries),
}

impl LogReader {
    /// Opens nothing yet. No caller sees the `hidden` folders; `system` reads the system's logs, if
    /// it has a program for that.
    pub fn new(
        hidden: impl IntoIterator<Item = PathBuf>,
        system: Option<Arc<dyn SystemLogs>>,
    ) -> Self {
        Self::with(hidden, system, local_zone(), LogLimits::default())
    }

    /// A reader with another zone for times without one, and other limits.
    pub fn with(
        hidden: impl IntoIterator<Item = PathBuf>,
        system: Option<Arc<dyn SystemLogs>>,
        zone: TimeZone,
        limits: LogLimits,
    ) -> Self {
        let files = FileLogs::new(hidden, zone, limits.clone());
        Self { files, system, limits }
    }

    /// Closes the folders that no grant names any more.
    pub fn keep(&self, granted: &[Arc<FileRoot>]) {
        self.files.keep(granted);
    }

    /// The logs that the permit shows, sorted by name within each kind.
    pub fn list(
        &self,
        permit: &Permit<LogListing>,
        control: &LogControl,
    ) -> Result<Vec<ListedLog>, LogError> {
        let listing = permit.request();
        let mut logs = Vec::new();
        if let Some(system) = &self.system {
            let mut names = system.names(ReadBounds { limits: &self.limits, control })?;
            names.retain(|name| listing.shows(name));
            names.sort();
            names.dedup();
            names.truncate(self.limits.listed);
            let listed = |name| ListedLog { name, kind: "system", bytes: None };
            logs.extend(names.into_iter().map(listed));
        }
        let mut files = self.files.list(listing.folders(), control)?;
        files.sort();
        logs.extend(files);
        Ok(logs)
    }

    /// Performs the action of the permit, and passes the entries of a tail to `each` as they come.
    /// It blocks, and `control` cancels it.
    pub fn perform(
        &self,
        permit: &Permit<LogAction>,
        mask: &dyn TextMask,
        control: &LogControl,
        each: &mut dyn FnMut(LogEntry),
    ) -> Result<LogOutcome, LogError> {
        let action = permit.request();
        let bounds = ReadBounds { limits: &self.limits, control };
        match (self.files.find(action.files())?, action.operation()) {
            (Some(log), LogOperation::Query { filter, limit, start }) => {
                let page = self.files.query(log, filter, *limit, start, mask, control)?;
                Ok(LogOutcome::Page(page))
            }
            (Some(log), LogOperation::Follow { filter, limit, wait }) => {
                let filter = EntryFilter::new(filter, mask);
                let mut file = self.files.follow(log);
                let newer = || file.newer(bounds);
                Ok(LogOutcome::Followed(tail((*limit, *wait), &filter, bounds, each, newer)?))
            }
            (None, LogOperation::Query { filter, limit, start }) => {
                let (system, log) = self.system_log(action)?;
                let filter = EntryFilter::new(filter, mask);
                let query = SystemQuery { log, filter: &filter, limit: *limit, start };
                let limits = self.limits.of_page(*limit);
                let bounds = ReadBounds { limits: &limits, control };
                Ok(LogOutcome::Page(system.query(&query, bounds)?))
            }
            (None, LogOperation::Follow { filter, limit, wait }) => {
                let (system, log) = self.system_log(action)?;
                let filter = EntryFilter::new(filter, mask);
                let mut mark = system.newest(log, bounds)?;
                let newer = || system.newer(&mut mark, bounds);
                Ok(LogOutcome::Followed(tail((*limit, *wait), &filter, bounds, each, newer)?))
            }
        }
    }

    fn system_log<'action>(
        &self,
        action: &'action LogAction,
    ) -> Result<(&dyn SystemLogs, &'action str), LogError> {
        match (&self.system, action.system_log()) {
            (Some(system), Some(log)) => Ok((&**system, log)),
            (None, Some(log)) => Err(LogError::NoSystemLogs(log.to_owned())),
            (_, None) => {
                let name = action.files().first().map(|place| place.below().to_string());
                Err(LogError::Missing(name.unwrap_or_default()))
            }
        }
    }
}

/// The zone of this machine; UTC if it has no rules.
fn local_zone() -> TimeZone {
    let rules = std::fs::read(Path::new(LOCAL_ZONE)).ok();
    rules.and_then(|rules| TimeZone::tzif("local", &rules).ok()).unwrap_or(TimeZone::UTC)
}

impl fmt::Debug for LogReader {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("LogReader").field("limits", &self.limits).finish_non_exhaustive()
    }
}

//! Log files on systems where Hobnob opens no granted folders: there are none.
//!
//! It stands in for `file.rs`, so that the reader of logs is the same on every system.

use std::path::PathBuf;
use std::sync::Arc;

use hobnob_policy::{FileRoot, GrantedPath, LogFilter, LogStart};
use jiff::tz::TimeZone;

use super::control::LogControl;
use super::entry::{ListedLog, LogEntry, LogPage};
use super::limits::{LogLimits, ReadBounds};
use super::problem::LogError;
use super::query::TextMask;

/// Stands in for the reader of log files, which exists on Linux only.
pub(super) struct FileLogs;

/// A log file; there is none, so this has no value.
pub(super) enum FoundLog {}

/// A log file that a tail follows.
pub(super) struct FollowedFile;

impl FileLogs {
    pub(super) fn new(_: impl IntoIterator<Item = PathBuf>, _: TimeZone, _: LogLimits) -> Self {
        Self
    }

    pub(super) fn keep(&self, _granted: &[Arc<FileRoot>]) {}

    pub(super) fn find(&self, _places: &[GrantedPath]) -> Result<Option<FoundLog>, LogError> {
        Ok(None)
    }

    pub(super) fn list(
        &self,
        _folders: &[Arc<FileRoot>],
        _control: &LogControl,
    ) -> Result<Vec<ListedLog>, LogError> {
        Ok(Vec::new())
    }

    pub(super) fn query(
        &self,
        log: FoundLog,
        _filter: &LogFilter,
        _limit: u32,
        _start: &LogStart,
        _mask: &dyn TextMask,
        _control: &LogControl,
    ) -> Result<LogPage, LogError> {
        match log {}
    }

    pub(super) fn follow(&self, log: FoundLog) -> FollowedFile {
        match log {}
    }
}

impl FollowedFile {
    pub(super) fn newer(&mut self, _bounds: ReadBounds<'_>) -> Result<Vec<LogEntry>, LogError> {
        Ok(Vec::new())
    }
}

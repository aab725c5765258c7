//! Writes one stream of the log: appends, syncs, and remembers the last error.
//!
//! The writer thread has one for each stream.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::file::AppendFile;
use super::options::{AuditMode, AuditRetention};
use super::write_error::AuditWriteError;

/// How long written lines may wait for a sync.
const SYNC_DELAY: Duration = Duration::from_secs(1);

pub(super) struct StreamWriter {
    file: AppendFile,
    mode: AuditMode,
    /// When the oldest line was written that is not synced yet.
    unsynced: Option<Instant>,
    /// The last error, until a write succeeds.
    last_error: Option<String>,
}

impl StreamWriter {
    pub(super) fn open(
        path: &Path,
        retention: AuditRetention,
        mode: AuditMode,
    ) -> io::Result<Self> {
        let file = AppendFile::open(path, retention)?;
        Ok(Self { file, mode, unsynced: None, last_error: None })
    }

    /// Appends whole lines, each with its line break.
    pub(super) fn append(&mut self, lines: &str) -> Result<(), AuditWriteError> {
        let appended = self.file.append(lines);
        if appended.is_ok() {
            self.unsynced.get_or_insert_with(Instant::now);
            self.last_error = None;
        }
        self.remember_result(appended)
    }

    /// Syncs all appended lines to the disk.
    pub(super) fn sync(&mut self) -> Result<(), AuditWriteError> {
        match self.unsynced.take() {
            Some(_) => {
                let synced = self.file.sync();
                self.remember_result(synced)
            }
            None => self.state(),
        }
    }

    /// When the appended lines have to be synced.
    pub(super) fn sync_due(&self) -> Option<Instant> {
        self.unsynced.map(|since| since + SYNC_DELAY)
    }

    /// Whether the last write succeeded.
    fn state(&self) -> Result<(), AuditWriteError> {
        self.last_error.clone().map_or(Ok(()), |why| Err(AuditWriteError::Write(why)))
    }

    fn remember_result(&mut self, done: io::Result<()>) -> Result<(), AuditWriteError> {
        if let Err(error) = done {
            match (&self.last_error, self.mode) {
                (Some(_), _) => {}
                (None, AuditMode::Strict) => tracing::error!(
                    %error, "the audit log cannot be written; calls are refused until it can be"
                ),
                (None, AuditMode::BestEffort) => tracing::error!(
                    %error,
                    "the audit log cannot be written; calls go on without a record; to refuse \
                     them, set mode = \"strict\" in [audit]"
                ),
            }
            self.last_error = Some(error.to_string());
        }
        self.state()
    }
}

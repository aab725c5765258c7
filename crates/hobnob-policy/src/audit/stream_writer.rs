//! Writes one stream of the log: appends, brings lines to the disk, and remembers what went wrong.
//!
//! The log's thread has one for each stream.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::file::AppendFile;
use super::options::{AuditMode, AuditRetention};
use super::write_error::AuditWriteError;

/// How long lines may be written without being on the disk.
const SYNC_DELAY: Duration = Duration::from_secs(1);

/// One stream, as the log's thread writes it.
pub(super) struct StreamWriter {
    file: AppendFile,
    mode: AuditMode,
    /// Since when lines are written that need not be on the disk.
    unsynced: Option<Instant>,
    /// The last error, until a write succeeds.
    trouble: Option<String>,
}

impl StreamWriter {
    pub(super) fn open(
        path: &Path,
        retention: AuditRetention,
        mode: AuditMode,
    ) -> io::Result<Self> {
        let file = AppendFile::open(path, retention)?;
        Ok(Self { file, mode, unsynced: None, trouble: None })
    }

    /// Appends whole lines, each with its line break.
    pub(super) fn append(&mut self, lines: &str) -> Result<(), AuditWriteError> {
        let appended = self.file.append(lines);
        if appended.is_ok() {
            self.unsynced.get_or_insert_with(Instant::now);
            self.trouble = None;
        }
        self.noted(appended)
    }

    /// Brings everything that was appended to the disk.
    pub(super) fn sync(&mut self) -> Result<(), AuditWriteError> {
        match self.unsynced.take() {
            Some(_) => {
                let synced = self.file.sync();
                self.noted(synced)
            }
            None => self.state(),
        }
    }

    /// When the lines that were appended have to be on the disk.
    pub(super) fn sync_due(&self) -> Option<Instant> {
        self.unsynced.map(|since| since + SYNC_DELAY)
    }

    /// Whether the last write succeeded.
    fn state(&self) -> Result<(), AuditWriteError> {
        self.trouble.clone().map_or(Ok(()), |why| Err(AuditWriteError::Write(why)))
    }

    fn noted(&mut self, done: io::Result<()>) -> Result<(), AuditWriteError> {
        if let Err(error) = done {
            match (&self.trouble, self.mode) {
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
            self.trouble = Some(error.to_string());
        }
        self.state()
    }
}

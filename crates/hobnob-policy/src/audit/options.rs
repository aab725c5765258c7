//! How much of the audit log is kept.
//!
//! The settings decide it, and the file that is appended to follows it.

use std::time::Duration;

/// The largest file: a larger one is slow to read and coarse to remove.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// How large and how old the log may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditOptions {
    /// A file with this many bytes is renamed and a new one begun.
    pub file_bytes: u64,
    /// Records are kept this long, as long as there is room.
    pub keep: Duration,
    /// The room: with more bytes in all files, the oldest file is removed.
    pub total_bytes: u64,
}

impl AuditOptions {
    /// Records of this long in this many bytes, in files of a size that fits.
    #[must_use]
    pub fn new(keep: Duration, total_bytes: u64) -> Self {
        Self { file_bytes: (total_bytes / 4).clamp(1, MAX_FILE_BYTES), keep, total_bytes }
    }
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self::new(Duration::from_secs(90 * 24 * 60 * 60), 256 << 20)
    }
}

//! How much of the audit log is kept, and what happens when it cannot be written.
//!
//! The settings decide both, and the audit files apply them.

use std::time::Duration;

/// Largest file size, in bytes: a larger file is slow to read and coarse to remove.
const MAX_FILE_BYTES: u64 = 16 << 20;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How both streams of the log are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditOptions {
    /// For records of calls and refusals.
    pub calls: AuditRetention,
    /// For records of people's decisions.
    pub decisions: AuditRetention,
    /// What happens to calls whose record cannot be written.
    pub mode: AuditMode,
}

/// How large and how old one stream may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditRetention {
    /// A file with this many bytes is rotated.
    pub file_bytes: u64,
    /// Records are kept this long, as long as the total size allows.
    pub keep: Duration,
    /// Total size: with more bytes in all files, the oldest file is removed.
    pub total_bytes: u64,
}

/// What happens to a call whose record cannot be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AuditMode {
    /// The call goes on, and the next record that can be written counts the missing ones.
    #[default]
    BestEffort,
    /// The call is refused: its record is on the disk before it begins.
    Strict,
}

impl AuditRetention {
    /// Keeps records this long in at most this many bytes, and derives the file size from that.
    #[must_use]
    pub fn new(keep: Duration, total_bytes: u64) -> Self {
        Self { file_bytes: (total_bytes / 4).clamp(1, MAX_FILE_BYTES), keep, total_bytes }
    }

    /// Keeps records this long, without a limit of their size.
    #[must_use]
    pub fn by_age(keep: Duration) -> Self {
        Self::new(keep, u64::MAX)
    }
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self {
            calls: AuditRetention::new(90 * DAY, 256 << 20),
            decisions: AuditRetention::by_age(Duration::MAX),
            mode: AuditMode::BestEffort,
        }
    }
}

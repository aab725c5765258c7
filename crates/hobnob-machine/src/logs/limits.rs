//! How much one action on logs may read and keep. Users get the defaults; tests use smaller limits.

use std::time::Duration;

use super::control::LogControl;

/// How much one action may read and keep.
#[derive(Debug, Clone)]
pub struct LogLimits {
    /// Bytes of one entry that are kept; the rest is skipped.
    pub message: usize,
    /// Total bytes of the messages of one page; with more entries, each is cut earlier.
    pub page: usize,
    /// Bytes that a query with conditions scans to fill its page.
    pub scan: u64,
    /// Bytes that it scans after that, only to count.
    pub count: u64,
    /// Entries that a program prints after the page, only to be counted.
    pub count_entries: u64,
    /// Largest file whose entries are counted, in bytes; a larger one has no exact total.
    pub index: u64,
    /// Maximum size of a decompressed file, in bytes.
    pub decompressed: u64,
    /// Bytes that a program may print for one query.
    pub output: u64,
    /// How long a program may take for one query.
    pub program: Duration,
    /// Maximum number of parts of one rotated log.
    pub parts: usize,
    /// Maximum number of files in a list.
    pub listed: usize,
    /// The interval at which a tail polls for new entries.
    pub poll: Duration,
}

impl Default for LogLimits {
    fn default() -> Self {
        Self {
            message: 32 << 10,
            page: 16 << 20,
            scan: 512 << 20,
            count: 4 << 20,
            count_entries: 1_000,
            index: 4 << 30,
            decompressed: 1 << 30,
            output: 256 << 20,
            program: Duration::from_secs(20),
            parts: 512,
            listed: 5_000,
            poll: Duration::from_millis(250),
        }
    }
}

impl LogLimits {
    /// The limits for a page of `entries` entries: none is cut below a kilobyte.
    pub(crate) fn of_page(&self, entries: u32) -> Self {
        let share = self.page / usize::try_from(entries.max(1)).unwrap_or(usize::MAX);
        Self { message: share.clamp(1 << 10, self.message.max(1 << 10)), ..self.clone() }
    }

    /// The beginning of a message, as much as is kept of one entry.
    pub(crate) fn cut(&self, mut message: String) -> String {
        message.truncate(message.floor_char_boundary(self.message));
        message
    }
}

/// What bounds one action: how much it may read, and the handle that cancels it.
#[derive(Debug, Clone, Copy)]
pub struct ReadBounds<'action> {
    pub(crate) limits: &'action LogLimits,
    pub(crate) control: &'action LogControl,
}

//! How much one action on logs may read and keep. The defaults are what users get; tests take less.

use std::time::Duration;

/// How much one action may read and keep.
#[derive(Debug, Clone)]
pub struct LogLimits {
    /// Bytes of one entry that are kept; the rest of it is read over.
    pub message: usize,
    /// Bytes that the messages of one page have together; with more entries each is cut earlier.
    pub page: usize,
    /// Bytes that a query with conditions looks through until its page is full.
    pub scan: u64,
    /// Bytes that it looks through after that, only to count.
    pub count: u64,
    /// Entries that a program prints after the page, only to be counted.
    pub count_entries: u64,
    /// Bytes of a file of which the entries are counted; a larger one has no exact total.
    pub index: u64,
    /// Bytes that come out of one compressed file.
    pub decompressed: u64,
    /// Bytes that a program may print for one query.
    pub output: u64,
    /// How long a program may take for one query.
    pub program: Duration,
    /// Parts that one rotated log may have.
    pub parts: usize,
    /// Files that one list shows.
    pub listed: usize,
    /// How often a tail looks for new entries.
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
    /// The same for a page of so many entries: none is cut below a kilobyte.
    pub(crate) fn of_page(&self, entries: u32) -> Self {
        let share = self.page / usize::try_from(entries.max(1)).unwrap_or(usize::MAX);
        Self { message: share.clamp(1 << 10, self.message.max(1 << 10)), ..self.clone() }
    }
}

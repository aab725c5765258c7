//! Queries of logs: all of them only read, so every query needs the same access.

use std::time::Duration;

use jiff::Timestamp;

/// An operation on a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogOperation {
    /// Reads existing entries, the newest first.
    Query {
        /// Which entries to return.
        filter: LogFilter,
        /// Maximum number of entries on a page.
        limit: u32,
        /// The entry at which the page begins, as an offset or a cursor.
        start: LogStart,
    },
    /// Waits for new entries.
    Follow {
        /// Which entries to return.
        filter: LogFilter,
        /// Ends after this many entries.
        limit: u32,
        /// Ends after this time, with or without entries.
        wait: Duration,
    },
}

/// Where a page of entries begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogStart {
    /// Behind this many matching entries.
    Offset(u64),
    /// The cursor from the previous page.
    Cursor(String),
}

/// Which entries to return. All conditions that are given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// The lowest level of an entry.
    pub min_level: Option<LogLevel>,
    /// The program or unit that wrote the entry, case-insensitively.
    pub source: Option<String>,
    /// The earliest time of an entry.
    pub since: Option<Timestamp>,
    /// The latest time of an entry.
    pub until: Option<Timestamp>,
    /// A text that the message contains, case-insensitively.
    pub contains: Option<String>,
}

/// How important an entry is; a later level is more important.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// A detail for debugging.
    Debug,
    /// An event of normal operation.
    Information,
    /// A condition that may become an error.
    Warning,
    /// One operation has failed.
    Error,
    /// A failure that affects other parts too.
    Critical,
}

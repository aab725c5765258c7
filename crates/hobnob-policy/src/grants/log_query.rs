//! What is asked of a log: all of it reading, so every query needs the same access.

use std::time::Duration;

use jiff::Timestamp;

/// What is done with a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogOperation {
    /// Entries that are there, the newest first.
    Query {
        /// Which entries are meant.
        filter: LogFilter,
        /// How many entries a page has at most.
        limit: u32,
        /// The entry at which the page begins, counted or by a cursor.
        start: LogStart,
    },
    /// Entries as they come.
    Follow {
        /// Which entries are meant.
        filter: LogFilter,
        /// After how many entries it ends.
        limit: u32,
        /// After how long it ends, whatever came.
        wait: Duration,
    },
}

/// Where a page of entries begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogStart {
    /// Behind this many entries that fit.
    Offset(u64),
    /// Where the page before this one ended.
    Cursor(String),
}

/// Which entries are meant. All conditions that are given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// The level that an entry has at least.
    pub min_level: Option<LogLevel>,
    /// The program or unit that wrote it, in upper or lower case.
    pub source: Option<String>,
    /// The earliest time of an entry.
    pub since: Option<Timestamp>,
    /// The latest time of an entry.
    pub until: Option<Timestamp>,
    /// A text that the message contains, in upper or lower case.
    pub contains: Option<String>,
}

/// How important an entry is; the later is the more important.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Details for whoever looks for a fault.
    Debug,
    /// Something that is as it should be.
    Information,
    /// Something that may become a fault.
    Warning,
    /// Something that has failed by itself.
    Error,
    /// Something that failed and takes others with it.
    Critical,
}

//! The results of log queries: an entry, a page of entries, and the end of a tail.

use hobnob_policy::LogLevel;
use jiff::Timestamp;

/// One entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// A number below 2^53 that stays the same while the entry stays at its place.
    pub id: u64,
    /// Its level; an entry without one counts as information.
    pub level: LogLevel,
    /// The program, unit or module that wrote it; may be empty.
    pub source: String,
    /// The number that its writer gives to entries of this kind; 0 if there is none.
    pub event_id: u32,
    /// Its text, cut at [`LogLimits::message`](super::LogLimits::message).
    pub message: String,
    /// When it was written. An entry without a time has the time of the file's last change.
    pub timestamp: Timestamp,
}

/// How many entries match a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogTotal {
    /// All of them were counted.
    Exactly(u64),
    /// This many were seen before counting stopped.
    AtLeast(u64),
}

impl LogTotal {
    /// The number, exact or not.
    #[must_use]
    pub fn count(self) -> u64 {
        match self {
            Self::Exactly(count) | Self::AtLeast(count) => count,
        }
    }
}

/// Entries that match a query, the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPage {
    /// The entries, at most as many as requested.
    pub entries: Vec<LogEntry>,
    /// How many entries match in total; unknown after a cursor if the query has conditions.
    pub total: Option<LogTotal>,
    /// The cursor of the next page, if there may be one. Even a short page can have a next one:
    /// then the query has scanned as much as one query may.
    pub next_cursor: Option<String>,
}

/// Why a tail ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowEnd {
    /// Its time is over.
    Time,
    /// It returned as many entries as requested.
    Limit,
}

/// How a tail ended, and after how many entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowedEntries {
    /// How many entries were returned.
    pub count: u32,
    /// Whether its time was over or it had enough entries.
    pub end: FollowEnd,
}

/// A log that can be queried by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedLog {
    /// Its name in queries: the system's name, or the path below the granted folder.
    pub name: String,
    /// Whether it is a log of the system or a file.
    pub kind: &'static str,
    /// Size of a file and its rotated parts in bytes; unknown for logs of the system.
    pub bytes: Option<u64>,
}

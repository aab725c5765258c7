//! What a log says: one entry, a page of entries, and how a tail ended. Every backend makes these.

use hobnob_policy::LogLevel;
use jiff::Timestamp;

/// One entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// A number below 2^53 that stays the same while the entry stays where it is.
    pub id: u64,
    /// How important it is; what says nothing is information.
    pub level: LogLevel,
    /// The program, unit or part of a program that wrote it; may be empty.
    pub source: String,
    /// The number that its writer gives entries of this kind; 0 where there is none.
    pub event_id: u32,
    /// Its text, cut at [`LogLimits::message`](super::LogLimits::message).
    pub message: String,
    /// When it was written. An entry without a time has the time at which its file was last written.
    pub timestamp: Timestamp,
}

/// How many entries fit a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogTotal {
    /// All of them were counted.
    Exactly(u64),
    /// As many were seen, and then counting ended.
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

/// Entries that fit a query, the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPage {
    /// At most as many as were asked for.
    pub entries: Vec<LogEntry>,
    /// How many entries fit in all; unknown behind a cursor, where conditions were given too.
    pub total: Option<LogTotal>,
    /// Where the next page begins, if there may be one. A page can be short and yet have a next one:
    /// then as much was looked through as one query may.
    pub next_cursor: Option<String>,
}

/// Why a tail ended, of its own accord or because somebody ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowEnd {
    /// Its time is over.
    Time,
    /// It has as many entries as were asked for.
    Limit,
}

/// How a tail ended, and with how many entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowedEntries {
    /// How many entries were handed on.
    pub count: u32,
    /// Whether its time was over or it had enough entries.
    pub end: FollowEnd,
}

/// A log that can be asked for by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedLog {
    /// What a query names it by: the system's name, or the path below the granted folder.
    pub name: String,
    /// Whether it is a log of the system or a file.
    pub kind: &'static str,
    /// Bytes of a file and its rotated parts; unknown for logs of the system.
    pub bytes: Option<u64>,
}

//! Short texts in results: kinds of entries, times and counts.

use hobnob_policy::EntryKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::SystemTime;

/// What an entry is, as arguments and results name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum KindWord {
    /// A regular file, with bytes in it
    File,
    /// A folder, with entries in it
    Folder,
    /// A symbolic link, not followed
    Link,
    /// A pipe, a socket or a device, which is never opened
    Special,
}

impl From<EntryKind> for KindWord {
    fn from(kind: EntryKind) -> Self {
        match kind {
            EntryKind::File => Self::File,
            EntryKind::Folder => Self::Folder,
            EntryKind::Link => Self::Link,
            EntryKind::Special => Self::Special,
        }
    }
}

impl From<KindWord> for EntryKind {
    fn from(word: KindWord) -> Self {
        match word {
            KindWord::File => Self::File,
            KindWord::Folder => Self::Folder,
            KindWord::Link => Self::Link,
            KindWord::Special => Self::Special,
        }
    }
}

impl KindWord {
    /// The mark after a name in a text result.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Self::File => "",
            Self::Folder => "/",
            Self::Link => "@",
            Self::Special => "|",
        }
    }
}

/// A time as RFC 3339, in UTC and in whole seconds.
pub(super) fn time_text(time: SystemTime) -> String {
    match jiff::Timestamp::try_from(time) {
        Ok(stamp) => stamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        // RFC 3339 has no years after 9999.
        Err(_) => "unknown".to_owned(),
    }
}

/// Parses a time, or a date in UTC, as a caller writes it.
pub(super) fn parse_time(text: &str) -> Option<SystemTime> {
    if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
        return Some(stamp.into());
    }
    let date: jiff::civil::Date = text.parse().ok()?;
    Some(date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().into())
}

/// A number with its noun: `1 hit`, `2 hits`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    match (count, noun) {
        (1, noun) => format!("1 {noun}"),
        (count, "entry") => format!("{count} entries"),
        (count, noun) => format!("{count} {noun}s"),
    }
}

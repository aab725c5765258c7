//! Names what is wrong with a chain, from the lines around the place where it breaks.
//!
//! Pure; `verify` calls it once, at the first link that does not hold. Only a neighbour can show
//! which of two lines was changed: if the next line names a line's hash, that line is unchanged.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize, Serializer};

use super::chain::{ChainEnd, LineHash, Link};

/// One line of the log, by its file and its number there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinePlace {
    /// The name of its file, such as `audit.jsonl.1`.
    #[serde(serialize_with = "as_text")]
    pub file: Arc<str>,
    /// The number of the line in its file, from 1.
    pub line: u64,
    /// Its number in the chain, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// When the line was written, if its time can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

fn as_text<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

/// The first thing that is wrong with a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ChainFault {
    /// The line is not as it was written.
    Changed {
        /// The line that was changed.
        line: LinePlace,
    },
    /// Lines are missing before `before`.
    Removed {
        /// The first number that is missing.
        from: u64,
        /// The last number that is missing.
        to: u64,
        /// The line after the gap.
        before: LinePlace,
    },
    /// The line is at another place than the one where it was written.
    Moved {
        /// The line, at its present place.
        line: LinePlace,
        /// The line that is in its place.
        before: LinePlace,
    },
    /// The line was not written by the log.
    Inserted {
        /// The line that the log did not write.
        line: LinePlace,
    },
    /// The end of the log is missing.
    Cut {
        /// The first number that is missing.
        from: u64,
        /// The last number that the head record knows.
        to: u64,
    },
    /// The head record is missing, so lines at the end of the log may be missing unnoticed.
    HeadLost {
        /// The line that reports the loss, if the log was continued since.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<LinePlace>,
    },
}

impl ChainFault {
    /// The line that was changed, moved or inserted.
    pub(super) fn line(&self) -> Option<&LinePlace> {
        match self {
            Self::Changed { line } | Self::Moved { line, .. } | Self::Inserted { line } => {
                Some(line)
            }
            Self::Removed { .. } | Self::Cut { .. } | Self::HeadLost { .. } => None,
        }
    }
}

impl fmt::Display for LinePlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, line {}", self.file, self.line)?;
        match self.seq {
            Some(seq) => write!(out, " (number {seq})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ChainFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { line } => write!(out, "{line} was changed"),
            Self::Removed { from, to, before } if from == to => {
                write!(out, "line number {from} was removed before {before}")
            }
            Self::Removed { from, to, before } => {
                write!(out, "lines number {from} to {to} were removed before {before}")
            }
            Self::Moved { line, before } => {
                write!(out, "{line} was moved; its place is before {before}")
            }
            Self::Inserted { line } => write!(out, "{line} was inserted"),
            Self::Cut { from, to } => {
                write!(out, "the end was cut off: lines number {from} to {to} are missing")
            }
            Self::HeadLost { line: None } => {
                out.write_str("the head record is missing or damaged, so the end may be cut off")
            }
            Self::HeadLost { line: Some(line) } => write!(
                out,
                "the head record was missing or damaged when the log was continued at {line}, so \
                 lines before it may be missing"
            ),
        }
    }
}

/// A line as far as the chain is concerned.
#[derive(Debug, Clone)]
pub(super) struct ExaminedLine {
    pub(super) place: LinePlace,
    pub(super) link: Option<Link>,
    pub(super) hash: LineHash,
    /// Whether the line ends with a line break.
    pub(super) is_whole: bool,
    pub(super) remarks: LineRemarks,
}

/// What a line reports about the log itself.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct LineRemarks {
    pub(super) at: Option<Timestamp>,
    pub(super) lost: Option<u64>,
    pub(super) torn: Option<IgnoredAny>,
    pub(super) head: Option<IgnoredAny>,
}

/// The lines around a link that does not hold.
pub(super) struct BrokenLink<'a> {
    /// The last line whose link held.
    pub(super) before: &'a LinePlace,
    pub(super) end: ChainEnd,
    pub(super) line: &'a ExaminedLine,
    pub(super) next: Option<&'a ExaminedLine>,
    /// The line that should be here, if it is found further on.
    pub(super) displaced: Option<LinePlace>,
    /// The last line that the head record names.
    pub(super) head: Option<ChainEnd>,
}

impl BrokenLink<'_> {
    /// Decides which line is wrong, and how.
    pub(super) fn fault(self) -> ChainFault {
        let expected = self.end.seq.saturating_add(1);
        let place = self.line.place.clone();
        let Some(link) = self.line.link else {
            let skips = |next: &&ExaminedLine| {
                next.link.is_some_and(|next| next.seq == expected.saturating_add(1))
            };
            return match self.next.filter(skips) {
                Some(_) => ChainFault::Changed { line: place },
                None => ChainFault::Inserted { line: place },
            };
        };
        if link.prev == self.end.hash {
            // Everything but the line's own number fits.
            return ChainFault::Changed { line: place };
        }
        if link.seq == expected {
            let line = if self.is_as_written() { self.before.clone() } else { place };
            return ChainFault::Changed { line };
        }
        if expected < link.seq {
            return match self.displaced {
                Some(line) => ChainFault::Moved { line, before: place },
                None => ChainFault::Removed { from: expected, to: link.seq - 1, before: place },
            };
        }
        let takes_place = link.seq == self.end.seq && self.is_as_written();
        ChainFault::Inserted { line: if takes_place { self.before.clone() } else { place } }
    }

    /// Whether the next line, or the head record, names this line's hash.
    fn is_as_written(&self) -> bool {
        let named = match self.next {
            Some(next) => next.link.map(|link| link.prev),
            None => self.head.map(|head| head.hash),
        };
        named == Some(self.line.hash)
    }
}

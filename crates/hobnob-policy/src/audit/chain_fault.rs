//! What is wrong with a chain, told by the lines around the place where it breaks.
//!
//! Pure; `verify` calls it once, at the first link that does not hold. Only neighbours can say which of
//! two lines was changed: one whose hash the next line names is as it was written.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize, Serializer};

use super::chain::{ChainEnd, LineHash, Link};

/// One line of the log, by where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinePlace {
    /// The name of its file, such as `audit.jsonl.1`.
    #[serde(serialize_with = "as_text")]
    pub file: Arc<str>,
    /// Counted from 1 in its file.
    pub line: u64,
    /// Its number in the chain, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// When it was written, where it can be read.
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
    /// Lines are missing before this one.
    Removed {
        /// The first number that is missing.
        from: u64,
        /// The last number that is missing.
        to: u64,
        /// The line after the gap.
        before: LinePlace,
    },
    /// The line does not stand where it was written.
    Moved {
        /// The line, where it stands now.
        line: LinePlace,
        /// The line that stands in its place.
        before: LinePlace,
    },
    /// The line was not written by the log.
    Inserted {
        /// The line that is too many.
        line: LinePlace,
    },
    /// The end of the log is missing.
    Cut {
        /// The first number that is missing.
        from: u64,
        /// The last number that the head record knows.
        to: u64,
    },
    /// Without the head record nobody can tell whether the end is missing.
    HeadLost {
        /// The line that says so, where the log was continued since.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<LinePlace>,
    },
}

impl ChainFault {
    /// The line that is not as or where it was written.
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
    /// Whether it has its line break.
    pub(super) is_whole: bool,
    pub(super) says: LineRemarks,
}

/// What a line says about the log itself.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct LineRemarks {
    pub(super) at: Option<Timestamp>,
    pub(super) lost: Option<u64>,
    pub(super) torn: Option<IgnoredAny>,
    pub(super) head: Option<IgnoredAny>,
}

/// The lines around a link that does not hold.
pub(super) struct BrokenLink<'a> {
    /// The last line that fitted, and the end of the chain with it.
    pub(super) before: &'a LinePlace,
    pub(super) end: ChainEnd,
    pub(super) line: &'a ExaminedLine,
    pub(super) next: Option<&'a ExaminedLine>,
    /// The line that should stand here, where it is found further on.
    pub(super) displaced: Option<LinePlace>,
    /// The last line as the head record knows it.
    pub(super) head: Option<ChainEnd>,
}

impl BrokenLink<'_> {
    /// Names the line that is wrong.
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
            // Everything but its own number fits.
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

    /// Whether the line after it, or the head record, names its hash.
    fn is_as_written(&self) -> bool {
        let named = match self.next {
            Some(next) => next.link.map(|link| link.prev),
            None => self.head.map(|head| head.hash),
        };
        named == Some(self.line.hash)
    }
}

//! The revisions of the protocol. Version strings are spelled in this file only.
//!
//! The edge decides a peer's revision once; everywhere else it is this enum.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A revision of the protocol, oldest first, so that `>=` reads as "knows at least".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Revision {
    /// The first release: stdio and HTTP+SSE, tools, resources, prompts, sampling, roots.
    #[serde(rename = "2024-11-05")]
    V2024_11_05,
    /// Streamable HTTP, batches, annotations, audio.
    #[serde(rename = "2025-03-26")]
    V2025_03_26,
    /// Structured results, elicitation, resource links; no more batches.
    #[serde(rename = "2025-06-18")]
    V2025_06_18,
    /// Icons, URL elicitation, experimental tasks, resumable polling.
    #[serde(rename = "2025-11-25")]
    V2025_11_25,
    /// Stateless: every request carries its own metadata.
    #[serde(rename = "2026-07-28")]
    V2026_07_28,
}

/// Whether a conversation has a handshake and a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Era {
    /// A handshake first, then a session.
    Legacy,
    /// No handshake, no session.
    Modern,
}

impl Revision {
    /// All of them, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The answer to an `initialize` that asks for a revision this side does not speak.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;

    /// The newest revision of all.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// All of them, newest first: the order in which a peer is shown the supported revisions.
    pub fn newest_first() -> [Self; 5] {
        let mut all = Self::ALL;
        all.reverse();
        all
    }

    /// The revision with this version string.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == text)
    }

    /// Its version string on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The era it belongs to.
    pub fn era(self) -> Era {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => {
                Era::Legacy
            }
            Self::V2026_07_28 => Era::Modern,
        }
    }

    /// What a legacy server answers to a client that asks for `requested`.
    pub fn negotiate(requested: &str) -> Self {
        match Self::parse(requested) {
            Some(revision) if revision.era() == Era::Legacy => revision,
            // The modern revision has no `initialize`, so the handshake never agrees to it.
            _ => Self::NEWEST_LEGACY,
        }
    }

    /// Whether several messages may travel in one array.
    pub fn has_batches(self) -> bool {
        self == Self::V2025_03_26
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

//! What is counted separately, and what is counted: the records of usage.
//!
//! The hub makes them, a backend stores and sums them.

use super::durations::CallDurations;
use crate::owner::Owner;
use crate::time::Time;

/// What is counted separately.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UsageKey {
    /// The principal who called; empty for callers without a name.
    pub owner: Owner,
    /// The server's name; empty for a built-in tool.
    pub server: Box<str>,
    /// The name by which the tool was called, or the method if it was not a tool.
    pub tool: Box<str>,
    /// What the client calls itself; empty if it has no name.
    pub client: Box<str>,
}

impl UsageKey {
    /// Stands for the server, tool and client of all calls for which there was no record of their
    /// own. No tool can have this name.
    pub const OTHER: &str = "(other)";

    /// Where an owner's calls are counted once there are too many records.
    pub fn other(owner: Owner) -> Self {
        let other = || Self::OTHER.into();
        Self { owner, server: other(), tool: other(), client: other() }
    }
}

/// The sums of calls under one key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Calls that have ended.
    pub calls: u64,
    /// Those of them that failed.
    pub errors: u64,
    /// The length of all parameters.
    pub request_bytes: u64,
    /// The length of all results.
    pub result_bytes: u64,
    /// When the last of them ended.
    pub last: Time,
    /// How long they took; calls that were refused took no time and are not in it.
    pub durations: CallDurations,
}

impl CallCounts {
    /// Adds the calls of others.
    pub fn merge(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.errors = self.errors.saturating_add(other.errors);
        self.request_bytes = self.request_bytes.saturating_add(other.request_bytes);
        self.result_bytes = self.result_bytes.saturating_add(other.result_bytes);
        self.last = self.last.max(other.last);
        self.durations.merge(&other.durations);
    }
}

/// The calls of one minute under one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinuteUsage {
    /// The start of the minute.
    pub minute: Time,
    /// Whose calls they are, and of what.
    pub key: UsageKey,
    /// The calls that ended in this minute.
    pub counts: CallCounts,
}

/// What the rows of a sum are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageGroup {
    /// A row for each tool.
    Tool,
    /// A row for each server.
    Server,
    /// A row for each client's name.
    Client,
    /// A row for each principal.
    Principal,
}

impl UsageGroup {
    /// Every group, in the order of the help text.
    pub const ALL: [Self; 4] = [Self::Tool, Self::Server, Self::Client, Self::Principal];

    /// Its word, as on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Server => "server",
            Self::Client => "client",
            Self::Principal => "principal",
        }
    }

    /// The group with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.as_str() == word)
    }
}

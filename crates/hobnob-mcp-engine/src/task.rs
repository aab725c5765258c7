//! A task as both designs need it: the flat one of the extension, the nested one of 2025-11-25.
//!
//! The server's task table makes records; the edges write them in the caller's design.

use hobnob_mcp_types::json::ObjectWriter;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The status of a task, as the specification names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    /// The work goes on.
    Working,
    /// The work waits for answers of the caller.
    InputRequired,
    /// Ended with a result.
    Completed,
    /// Ended with a protocol error.
    Failed,
    /// Stopped because its owner asked for it.
    Cancelled,
}

impl TaskStatus {
    /// The status as it is on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it can still change.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// Who may ask about a task: a principal, or one legacy session. Services only pass it on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskOwner(pub Option<Arc<str>>);

/// What both designs of tasks say about one.
#[derive(Debug, Clone)]
pub struct TaskRecord {
    /// The `taskId`, which nobody can guess.
    pub id: Box<str>,
    /// Whether it runs, waits for answers or has ended.
    pub status: TaskStatus,
    /// The `statusMessage` for people.
    pub message: Option<String>,
    /// When the call that started it came.
    pub created: SystemTime,
    /// When it last changed.
    pub updated: SystemTime,
    /// How long after `created` it expires.
    pub ttl: Duration,
    /// How often a client should poll.
    pub poll: Duration,
}

impl TaskRecord {
    /// Writes the extension's members.
    pub fn write_modern(&self, out: &mut ObjectWriter<'_>) {
        self.write_shared(out);
        out.raw("ttlMs", &self.ttl.as_millis().to_string());
        out.raw("pollIntervalMs", &self.poll.as_millis().to_string());
    }

    /// Writes the members of 2025-11-25.
    pub fn write_legacy(&self, out: &mut ObjectWriter<'_>) {
        self.write_shared(out);
        out.raw("ttl", &self.ttl.as_millis().to_string());
        out.raw("pollInterval", &self.poll.as_millis().to_string());
    }

    fn write_shared(&self, out: &mut ObjectWriter<'_>) {
        out.string("taskId", &self.id).string("status", self.status.as_str());
        if let Some(message) = &self.message {
            out.string("statusMessage", message);
        }
        out.string("createdAt", &timestamp(self.created));
        out.string("lastUpdatedAt", &timestamp(self.updated));
    }
}

/// A moment in RFC 3339, UTC, with milliseconds.
pub fn timestamp(moment: SystemTime) -> String {
    // Only a clock set thousands of years off cannot be written; the epoch shows that plainly enough.
    let moment = jiff::Timestamp::try_from(moment).unwrap_or_default();
    format!("{moment:.3}")
}

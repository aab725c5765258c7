//! A task as both designs need it: the flat one of the extension, the nested one of 2025-11-25.
//!
//! The server's task table makes records; the edges write them in the caller's design.

use hobnob_mcp_types::json::ObjectWriter;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The status of a task, as the specification names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    /// The work is running.
    Working,
    /// The work waits for the caller's answers.
    InputRequired,
    /// The work ended with a result.
    Completed,
    /// The work ended with a protocol error.
    Failed,
    /// The owner stopped the work.
    Cancelled,
}

impl TaskStatus {
    /// The status as it appears on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the status is final.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// Who may ask about a task: a principal, or one legacy session. Services only pass it on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskOwner(pub Option<Arc<str>>);

/// The facts about a task that both designs report.
#[derive(Debug, Clone)]
pub struct TaskRecord {
    /// The `taskId`, a random token.
    pub id: Box<str>,
    /// Whether the task runs, waits for answers or has ended.
    pub status: TaskStatus,
    /// The `statusMessage` for people.
    pub message: Option<String>,
    /// When the call that started it came in.
    pub created: SystemTime,
    /// When it last changed.
    pub updated: SystemTime,
    /// How long after `created` it expires.
    pub ttl: Duration,
    /// The interval at which a client should poll.
    pub poll: Duration,
}

impl TaskRecord {
    /// Writes the members of the extension's design.
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

/// A time in RFC 3339, UTC, with milliseconds.
pub fn timestamp(moment: SystemTime) -> String {
    // Only a clock thousands of years off fails here, and the epoch makes that obvious.
    let moment = jiff::Timestamp::try_from(moment).unwrap_or_default();
    format!("{moment:.3}")
}

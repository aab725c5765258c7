//! Log messages a server shows to its client. Deprecated since 2026-07-28, and still spoken.
//!
//! The level is a closed set, because an unknown one must be refused and because levels are
//! compared: the declaration order below is the order of severity.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

/// How severe a message is, in ascending order; the names are those of RFC 5424.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoggingLevel {
    /// Details for the developers of the server.
    Debug,
    /// Ordinary operation, such as the progress of a job.
    Info,
    /// Normal, but worth a look.
    Notice,
    /// Something may go wrong.
    Warning,
    /// An operation failed; the server goes on.
    Error,
    /// A component of the server is broken.
    Critical,
    /// A person must act immediately.
    Alert,
    /// The system is unusable, the highest level.
    Emergency,
}

/// Parameters of `logging/setLevel` (until 2025-11-25).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetLevelParams {
    /// The lowest severity the client wants.
    pub level: LoggingLevel,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// Parameters of `notifications/message`: one log record of the server.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggingMessageParams {
    /// How severe it is.
    pub level: LoggingLevel,
    /// The part of the server that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// The message itself: any JSON.
    pub data: Box<RawValue>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl LoggingMessageParams {
    /// A message that is any JSON.
    pub fn new(level: LoggingLevel, data: Box<RawValue>) -> Self {
        Self { level, logger: None, data, meta: None }
    }

    /// A message that is one text.
    pub fn text(level: LoggingLevel, text: &str) -> Self {
        // Encoding a text as JSON cannot fail, so the fallback (`null`) is never used.
        Self::new(level, to_raw_value(text).unwrap_or_default())
    }
}

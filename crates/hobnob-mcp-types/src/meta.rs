//! The keys of `_meta` that the protocol itself defines, and typed views on them.
//!
//! Everywhere else `_meta` is raw JSON that travels untouched. The edges read it through these
//! views; a view knows only its own keys, so it must never replace the raw value.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::capabilities::ClientCapabilities;
use crate::hello::Implementation;
use crate::id::{ProgressToken, RequestId};
use crate::logging::LoggingLevel;
use crate::tasks::RelatedTask;

/// Request: the revision the request is written in.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Request: who the client says it is.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// Request: what the client can do.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Request: the lowest severity of log messages the client wants for this request.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Result: who the server says it is.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// Notification: the listen request this message belongs to.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// Any message of 2025-11-25 that belongs to a task.
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// Request: the token that progress notifications about this request must carry.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// The keys of a request's `_meta` that the protocol defines.
///
/// The first two keys are required since 2026-07-28 and unknown before; the edge decides, so both
/// are optional here.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RequestMeta {
    /// The revision the request is written in.
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// What the client can do, for this request only.
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_capabilities: Option<ClientCapabilities>,
    /// Who the client says it is.
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_info: Option<Implementation>,
    /// The lowest severity of log messages wanted; absent means none are sent.
    #[serde(rename = "io.modelcontextprotocol/logLevel", skip_serializing_if = "Option::is_none")]
    pub log_level: Option<LoggingLevel>,
    /// The token that progress notifications about this request must carry.
    #[serde(rename = "progressToken", skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken>,
    /// The task this request belongs to (2025-11-25).
    #[serde(rename = "io.modelcontextprotocol/related-task")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related_task: Option<RelatedTask>,
    /// W3C trace context: the parent span.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// W3C trace context: vendor state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tracestate: Option<String>,
    /// W3C baggage: key-value pairs that travel with the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baggage: Option<String>,
}

impl RequestMeta {
    /// Reads the protocol's keys out of a request's raw `_meta`.
    pub fn read(raw: &RawValue) -> serde_json::Result<Self> {
        serde_json::from_str(raw.get())
    }
}

/// The keys of a result's `_meta` that the protocol defines.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ResultMeta {
    /// Who the server says it is.
    #[serde(rename = "io.modelcontextprotocol/serverInfo")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_info: Option<Implementation>,
    /// The listen request that ended; only on the result of `subscriptions/listen`.
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription_id: Option<RequestId>,
    /// The task this result belongs to (2025-11-25).
    #[serde(rename = "io.modelcontextprotocol/related-task")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related_task: Option<RelatedTask>,
}

impl ResultMeta {
    /// Reads the protocol's keys out of a result's raw `_meta`.
    pub fn read(raw: &RawValue) -> serde_json::Result<Self> {
        serde_json::from_str(raw.get())
    }
}

/// The keys of a notification's `_meta` that the protocol defines.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct NotificationMeta {
    /// The listen request this message belongs to, with the type its id had.
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription_id: Option<RequestId>,
    /// The task this message belongs to (2025-11-25).
    #[serde(rename = "io.modelcontextprotocol/related-task")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related_task: Option<RelatedTask>,
}

impl NotificationMeta {
    /// Reads the protocol's keys out of a notification's raw `_meta`.
    pub fn read(raw: &RawValue) -> serde_json::Result<Self> {
        serde_json::from_str(raw.get())
    }
}

/// Parameters that consist of `_meta` only: `ping`, `server/discover`, `roots/list` and the
/// notifications that only say that something changed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct MetaParams {
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

//! How two sides meet: `initialize` until 2025-11-25, `server/discover` since 2026-07-28.
//!
//! Versions stay text here; only the edge decides which revision a text means.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::annotations::Icon;
use crate::cache::cacheable_result;
use crate::capabilities::{ClientCapabilities, ServerCapabilities};
use crate::presence;

/// Who a side says it is. Self-reported: nothing may be decided on it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Implementation {
    /// A name for programs.
    pub name: String,
    /// A name for people (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The version of the program, not of the protocol.
    pub version: String,
    /// What it does (since 2025-11-25).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where to read more (since 2025-11-25).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    /// Pictures for a user interface (since 2025-11-25).
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
}

impl Implementation {
    /// A name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), ..Self::default() }
    }
}

/// Parameters of `initialize`, the first request of a legacy session.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// The newest revision the client speaks.
    pub protocol_version: String,
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// Who it says it is.
    pub client_info: Implementation,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// The answer to `initialize`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The revision both sides will speak in this session.
    pub protocol_version: String,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// Who it says it is.
    pub server_info: Implementation,
    /// How to use it, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

cacheable_result! {
    /// The answer to `server/discover`. The server's name and version are in `_meta`.
    pub struct DiscoverResult {
        /// The revisions the server speaks.
        pub supported_versions: Vec<String>,
        /// What it can do.
        pub capabilities: ServerCapabilities,
        /// How to use it, for the model.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub instructions: Option<String>,
    }
}

/// The `data` of an "unsupported revision" error (since 2026-07-28).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsupportedVersion {
    /// The revisions the receiver speaks.
    pub supported: Vec<String>,
    /// The revision the sender asked for.
    pub requested: String,
}

/// The `data` of a "missing client capability" error (since 2026-07-28).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MissingCapability {
    /// What the client would have to declare.
    pub required_capabilities: ClientCapabilities,
}

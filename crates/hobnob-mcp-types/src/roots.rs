//! Roots: the folders a client lets a server work in. Deprecated since 2026-07-28, still spoken.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One folder or file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Root {
    /// Its address; must begin with `file://`.
    pub uri: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl Root {
    /// A root without a name.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None, meta: None }
    }
}

/// The answer to `roots/list`, whose parameters are [`crate::meta::MetaParams`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListRootsResult {
    /// All of them; this list has no pages.
    pub roots: Vec<Root>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

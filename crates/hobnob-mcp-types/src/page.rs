//! Pagination: the parameters of every `*/list` request.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Parameters of a request for one page.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListParams {
    /// Where to go on: the previous page's `nextCursor`, opaque to the client. An empty text is a
    /// cursor like any other and does not mean the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl ListParams {
    /// Parameters without a cursor, which ask for the first page.
    pub fn first() -> Self {
        Self::default()
    }

    /// The page after the one that ended with `cursor`.
    pub fn after(cursor: impl Into<String>) -> Self {
        Self { cursor: Some(cursor.into()), meta: None }
    }
}

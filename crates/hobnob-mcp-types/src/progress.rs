//! What either side may say about a request that is under way: how far it is, or to drop it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::id::{ProgressToken, RequestId};

/// Parameters of `notifications/progress`, sent to whoever gave a progress token.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams {
    /// The token the request gave.
    pub progress_token: ProgressToken,
    /// How far it is; must grow with each notification.
    #[serde(with = "crate::number")]
    pub progress: f64,
    /// How far it has to go, if known.
    #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// What is being done (since 2025-03-26).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl ProgressParams {
    /// Progress towards an unknown end.
    pub fn new(token: ProgressToken, progress: f64) -> Self {
        Self { progress_token: token, progress, total: None, message: None, meta: None }
    }
}

/// Parameters of `notifications/cancelled`: the sender no longer wants the answer.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelledParams {
    /// The request to drop. Optional in 2025-11-25 only, where tasks are cancelled otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// Why, for the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl CancelledParams {
    /// Asks to drop this request.
    pub fn new(request_id: RequestId) -> Self {
        Self { request_id: Some(request_id), reason: None, meta: None }
    }
}

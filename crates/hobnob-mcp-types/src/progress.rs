//! What either side may say about a request in flight: its progress, or its cancellation.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::id::{ProgressToken, RequestId};

/// Parameters of `notifications/progress`, sent to the peer whose request carried a progress token.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams {
    /// The token from the request.
    pub progress_token: ProgressToken,
    /// The progress so far; it must grow with each notification.
    #[serde(with = "crate::number")]
    pub progress: f64,
    /// The value of `progress` at the end, if known.
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
    /// Progress towards an unknown total.
    pub fn new(token: ProgressToken, progress: f64) -> Self {
        Self { progress_token: token, progress, total: None, message: None, meta: None }
    }
}

/// Parameters of `notifications/cancelled`: the sender no longer wants the answer.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelledParams {
    /// The request to cancel. Optional in 2025-11-25 only, where tasks are cancelled separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// The reason, for the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl CancelledParams {
    /// Cancels this request, without a reason.
    pub fn new(request_id: RequestId) -> Self {
        Self { request_id: Some(request_id), reason: None, meta: None }
    }
}

//! What every result may carry apart from its body.
//!
//! Authors of servers leave `result_type` empty: the edge that answers writes it for peers of
//! 2026-07-28 and later, and older peers never see it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::choice::open_enum;

open_enum! {
    /// How to read a result (since 2026-07-28). Absent means [`ResultType::Complete`].
    pub enum ResultType {
        /// The request is answered.
        Complete = "complete",
        /// The server needs answers first; send the request again with them.
        InputRequired = "input_required",
        /// The work goes on in the background as a task (tasks extension).
        Task = "task",
    }
}

/// A result without a body, which only confirms the request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmptyResult {
    /// How to read this result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

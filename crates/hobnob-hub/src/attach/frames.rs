//! One message as the relay sees it: id and method as they were written, everything else as text.
//!
//! `conversation` and `replay` read and build messages through here.

use hobnob_mcp_types::ErrorCode;
use hobnob_mcp_types::json::{elements, field, object};

/// The kind of a message.
pub(super) enum FrameView<'a> {
    Request {
        id: &'a str,
        method: String,
    },
    Notification {
        method: String,
    },
    Response {
        id: &'a str,
    },
    /// Not a valid message; the receiver answers it with an error.
    Other,
}

/// The messages of a line: one, or those of a batch.
pub(super) fn messages(line: &str) -> Vec<&str> {
    match line.trim_start().starts_with('[') {
        true => elements(line),
        false => vec![line],
    }
}

impl<'a> FrameView<'a> {
    pub(super) fn of(message: &'a str) -> Self {
        let method = field(message, "method").and_then(|raw| serde_json::from_str(raw).ok());
        match (field(message, "id"), method) {
            (Some(id), Some(method)) => Self::Request { id, method },
            (None, Some(method)) => Self::Notification { method },
            (Some(id), None) => Self::Response { id },
            (None, None) => Self::Other,
        }
    }
}

/// The id of the request that a `notifications/cancelled` is about.
pub(super) fn cancelled_request(message: &str) -> Option<&str> {
    field(field(message, "params")?, "requestId")
}

/// The same request with another id.
pub(super) fn with_id(message: &str, id: &str) -> String {
    object(|request| {
        request.raw("jsonrpc", "\"2.0\"").raw("id", id);
        for key in ["method", "params"] {
            if let Some(value) = field(message, key) {
                request.raw(key, value);
            }
        }
    })
}

/// The error response to a request that the lost hub has not answered.
pub(super) fn lost_answer(id: &str) -> String {
    let error = object(|error| {
        error.raw("code", &ErrorCode::UPSTREAM.0.to_string()).string(
            "message",
            "the hub that served this request has ended; the request may have taken effect; \
             Hobnob goes on with another hub, so try again if that does no harm",
        );
    });
    object(|answer| {
        answer.raw("jsonrpc", "\"2.0\"").raw("id", id).raw("error", &error);
    })
}

/// The notification that takes back a question of the lost hub.
pub(super) fn question_cancelled(id: &str) -> String {
    let params = object(|params| {
        params.raw("requestId", id).string("reason", "the hub that asked has ended");
    });
    notification("notifications/cancelled", Some(&params))
}

pub(super) fn notification(method: &str, params: Option<&str>) -> String {
    object(|message| {
        message.raw("jsonrpc", "\"2.0\"").string("method", method);
        if let Some(params) = params {
            message.raw("params", params);
        }
    })
}

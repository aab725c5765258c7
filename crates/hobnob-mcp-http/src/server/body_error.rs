//! Why a request body could not be read, and the response to its client.
//!
//! [`read_body`](super::read_body) and the budget of all bodies return it. The response always
//! closes the connection, since the rest of the body may still be under way.

use crate::server::reply::{ReplyBody, closing_json_reply};
use http::header::RETRY_AFTER;
use http::{HeaderValue, Response, StatusCode};
use std::time::Duration;

/// Why a request body could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The body is larger than the limit, or is announced to be.
    #[error("request body is larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The client stopped sending in the middle of the body, or sends too slowly.
    #[error("request body did not arrive in time: nothing came for {waited:?}")]
    Stalled {
        /// How long the last wait was.
        waited: Duration,
    },
    /// The bodies of other requests use up the budget.
    #[error("no room for another request body became free in {waited:?}")]
    BudgetExhausted {
        /// How long the request waited for room.
        waited: Duration,
    },
    /// The connection or its framing broke; perhaps no client is left to read a response.
    #[error("request body broke off")]
    Broken(#[source] hyper::Error),
}

impl BodyError {
    /// The HTTP status of the response.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Stalled { .. } => StatusCode::REQUEST_TIMEOUT,
            Self::BudgetExhausted { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::Broken(_) => StatusCode::BAD_REQUEST,
        }
    }

    /// The response, which closes the connection, since the rest of the body is still under way.
    pub fn response(&self) -> Response<ReplyBody> {
        let body = match self {
            Self::TooLarge { .. } => {
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"request body is too large; send less or raise the body limit"}}"#
            }
            Self::Stalled { .. } => {
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"request body did not arrive in time; send the request again"}}"#
            }
            Self::BudgetExhausted { .. } => {
                r#"{"jsonrpc":"2.0","error":{"code":-31001,"message":"too many large requests at once; try again later"}}"#
            }
            Self::Broken(_) => {
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"request body broke off; send the request again"}}"#
            }
        };
        let mut response = closing_json_reply(self.status(), body);
        if matches!(self, Self::BudgetExhausted { .. }) {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

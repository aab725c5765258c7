//! Interprets an HTTP answer that is not a stream: what the provider said, and whether a retry may
//! help.
//!
//! An attempt calls this. What must stay true: only the beginning of the body is read, and a limit
//! that lasts until the user pays is not retried.

use std::time::Duration;

use hobnob_web_client::retry_after;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode};
use tokio::time::timeout;

use super::failure::AttemptFailure;
use crate::dialect::{Framing, ProviderFault, StreamFault};
use crate::error::ProviderError;

/// Converts an answer without success status into a failure.
pub(super) async fn refusal(response: Response, limit: usize, silence: Duration) -> AttemptFailure {
    let status = response.status();
    let asked = retry_after(response.headers());
    let body = beginning(response, limit, silence).await;
    let fault = ProviderFault::read(&String::from_utf8_lossy(&body));
    let passes = status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
        || status.is_server_error();
    if passes && !fault.is_permanent() {
        let reason = format!("status {}: {}", status.as_u16(), fault.line()).into();
        let error = ProviderError::Unavailable { reason, retry_after: asked };
        return AttemptFailure::Transient { error, retry_after: asked };
    }
    if fault.is_too_long() {
        return AttemptFailure::Permanent(ProviderError::TooLong(fault.line()));
    }
    let reason = match status {
        _ if status.is_redirection() => "redirects are not followed; change the URL".into(),
        _ => fault.line(),
    };
    AttemptFailure::Permanent(ProviderError::Refused { status: status.as_u16(), reason })
}

/// The fault of an answer with success status that is not a stream, judged by its content type.
pub(super) async fn not_a_stream(
    response: &mut Response,
    framing: Framing,
    limit: usize,
    silence: Duration,
) -> Option<StreamFault> {
    let kind = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match (&*kind, framing) {
        ("text/html", _) => {}
        ("application/json", Framing::Events) => {
            let body = read_beginning(response, limit, silence).await;
            let text = String::from_utf8_lossy(&body).into_owned();
            if text.contains("\"error\"") {
                return Some(StreamFault::Reported(ProviderFault::read(&text)));
            }
        }
        _ => return None,
    }
    Some(StreamFault::garbled(format!("it is `{kind}` and not a stream of events")))
}

async fn beginning(mut response: Response, limit: usize, silence: Duration) -> Vec<u8> {
    read_beginning(&mut response, limit, silence).await
}

/// Reads the body up to the limit. The first part of a broken body is enough for the error.
async fn read_beginning(response: &mut Response, limit: usize, silence: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Ok(Some(chunk))) = timeout(silence, response.chunk()).await {
        body.extend_from_slice(&chunk);
        if limit < body.len() {
            body.truncate(limit);
            break;
        }
    }
    body
}

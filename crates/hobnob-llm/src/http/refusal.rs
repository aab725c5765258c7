//! What an HTTP answer that is no stream means: whether the provider may answer later, and what it
//! said.
//!
//! One try asks here. What must stay true: only a part of the body is read, and a limit that lasts
//! until somebody pays is not waited for.

use std::time::Duration;

use hobnob_web_client::retry_after;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode};
use tokio::time::timeout;

use super::failure::TryFailure;
use crate::dialect::{Framing, ProviderFault, StreamFault};
use crate::error::ProviderError;

/// What a status other than success means.
pub(super) async fn refusal(response: Response, limit: usize, silence: Duration) -> TryFailure {
    let status = response.status();
    let asked = retry_after(response.headers());
    let body = beginning(response, limit, silence).await;
    let fault = ProviderFault::read(&String::from_utf8_lossy(&body));
    let passes = status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
        || status.is_server_error();
    if passes && !fault.lasts() {
        let reason = format!("status {}: {}", status.as_u16(), fault.line()).into();
        let error = ProviderError::Unavailable { reason, retry_after: asked };
        return TryFailure::Passing { error, retry_after: asked };
    }
    if fault.is_too_long() {
        return TryFailure::Lasting(ProviderError::TooLong(fault.line()));
    }
    let reason = match status {
        _ if status.is_redirection() => "redirects are not followed; change the URL".into(),
        _ => fault.line(),
    };
    TryFailure::Lasting(ProviderError::Refused { status: status.as_u16(), reason })
}

/// What is wrong with an answer that is successful and yet no stream, judged by its type.
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

/// The body up to the limit. One that breaks off is as good as one that ends: the status says it.
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

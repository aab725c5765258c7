//! HTTP responses, before their MCP content is read: the content type, the body within its size
//! limit, and the meaning of a refusal.

use std::time::Duration;

use hobnob_mcp_transport::Loss;
use hobnob_text::plain_line;
use hobnob_web_client::{describe_error, retry_after};
use http::header::{CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue};
use reqwest::Response;

use crate::client::target::HttpTarget;

#[cfg(test)]
mod tests;

/// How much of an error's body people are shown, in characters.
const MAX_SHOWN: usize = 512;

/// The longest challenge that is passed on, in characters.
const MAX_CHALLENGE: usize = 4096;

/// The longest `Retry-After` that is respected: a day.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// The content type of a response, as far as MCP distinguishes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Json,
    Events,
    Other,
}

impl Content {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let Some(value) = headers.get(CONTENT_TYPE) else { return Self::Other };
        let bytes = value.as_bytes();
        let end = bytes.iter().position(|byte| *byte == b';').unwrap_or(bytes.len());
        let essence = bytes[..end].trim_ascii().to_ascii_lowercase();
        match &*essence {
            b"application/json" => Self::Json,
            b"text/event-stream" => Self::Events,
            other if other.starts_with(b"application/") && other.ends_with(b"+json") => Self::Json,
            _ => Self::Other,
        }
    }
}

/// Why a body was not read to its end.
#[derive(Debug)]
pub(super) enum BodyFault {
    TooLarge,
    Broken(Box<str>),
}

/// Reads a whole body of at most `limit` bytes.
pub(super) async fn read_body(mut response: Response, limit: usize) -> Result<Vec<u8>, BodyFault> {
    let announced = response.content_length().unwrap_or(0);
    if announced > limit as u64 {
        return Err(BodyFault::TooLarge);
    }
    let mut body = Vec::with_capacity(announced as usize);
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > limit => return Err(BodyFault::TooLarge),
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(error) => return Err(BodyFault::Broken(describe_error(error))),
        }
    }
}

/// A refusal whose body was read up to the limit.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    headers: HeaderMap,
    pub(super) content: Content,
    /// The beginning of the body, or all of it.
    pub(super) body: Vec<u8>,
}

impl Refusal {
    /// Reads a refusal. A body that breaks off counts as complete, since the status says enough.
    pub(super) async fn read(mut response: Response, limit: usize) -> Self {
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        let mut body = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            let left = limit - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(left)]);
            if chunk.len() >= left {
                break;
            }
        }
        Self { status, content: Content::of(&headers), headers, body }
    }

    /// The challenges for credentials, joined, if there are any.
    pub(super) fn challenge(&self) -> Option<Box<str>> {
        let values = self.headers.get_all(WWW_AUTHENTICATE).iter();
        let texts: Vec<_> = values.filter_map(|value| value.to_str().ok()).collect();
        (!texts.is_empty()).then(|| texts.join(", ").chars().take(MAX_CHALLENGE).collect())
    }

    /// The loss to report for a refusal without JSON-RPC.
    pub(super) fn status_loss(&self, target: &HttpTarget) -> Loss {
        let body = match self.status {
            300..=399 => redirect(self.headers.get(LOCATION), target),
            _ => shown(&self.body, target),
        };
        Loss::Status { status: self.status, body, retry_after: bounded_retry_after(&self.headers) }
    }
}

/// Says where a redirect leads, but only the origin, since a path or a query may be secret.
fn redirect(location: Option<&HeaderValue>, target: &HttpTarget) -> Box<str> {
    let url = location.and_then(|value| target.url().join(value.to_str().ok()?).ok());
    match url {
        Some(url) if url.origin() == target.url().origin() => {
            "a redirect that loops or would lose the message is not followed".into()
        }
        Some(url) => {
            let origin = url.origin().ascii_serialization();
            format!(
                "a redirect to {origin} is not followed; set the server's url to its real place"
            )
            .into()
        }
        None => "a redirect without a valid location".into(),
    }
}

/// The beginning of a body as one line of clean text.
fn shown(body: &[u8], target: &HttpTarget) -> Box<str> {
    // A secret that is cut in two would not be found, so more text is searched than is shown.
    let text = String::from_utf8_lossy(&body[..body.len().min(8 * MAX_SHOWN)]);
    plain_line(&target.redact(&text), MAX_SHOWN)
}

/// The wait that the server asks for, at most [`MAX_RETRY_AFTER`].
fn bounded_retry_after(headers: &HeaderMap) -> Option<Duration> {
    retry_after(headers).map(|wait| wait.min(MAX_RETRY_AFTER))
}

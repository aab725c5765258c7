//! The wait that a server asks for before it is asked again.
//!
//! Whoever asks over HTTP reads it here, and bounds it: a server may ask for any wait.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;

#[cfg(test)]
mod tests;

/// `Retry-After`: seconds, or a date. A date that has passed is no wait, and a number beyond 64
/// bits the longest there is.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(value.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    let wait = date.duration_since(jiff::Timestamp::now());
    Some(Duration::try_from(wait).unwrap_or_default())
}

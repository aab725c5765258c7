//! How long a server wants a client to wait before its next request.
//!
//! HTTP clients read the header here and bound the wait themselves: a server may ask for any.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;

#[cfg(test)]
mod tests;

/// Reads `Retry-After`: seconds, or a date, which it compares with the system clock. A date in the
/// past is no wait; a number beyond 64 bits is the longest [`Duration`].
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(value.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    let wait = date.duration_since(jiff::Timestamp::now());
    Some(Duration::try_from(wait).unwrap_or_default())
}

//! Builds the `reqwest` client for one server, with its timeouts and its rule for redirects. It
//! sends nothing yet: `Wire` does, for the carriers of both HTTP transports.
//!
//! What must stay true: it follows no redirect to another origin, and stores no cookies.

use std::time::Duration;

use hobnob_web_client::{client_builder, describe_error};
use reqwest::redirect::{Attempt, Policy};

use crate::client::limits::HttpClientLimits;
use crate::client::target::{HttpTarget, TargetError};

/// How many redirects of one request are followed.
const MAX_REDIRECTS: usize = 3;

/// Many servers close an idle connection after five seconds. A request on a connection that is
/// being closed may have run and cannot be repeated, so the client closes its connections first.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// How long a silent connection stays open before a keep-alive probe checks it.
const PROBE_INTERVAL: Duration = Duration::from_secs(30);

/// Builds the HTTP client for one server.
pub(super) fn client(
    target: &HttpTarget,
    limits: &HttpClientLimits,
) -> Result<reqwest::Client, TargetError> {
    let builder = client_builder(target.url(), limits.connect)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .tcp_nodelay(true)
        .tcp_keepalive(PROBE_INTERVAL)
        .tcp_keepalive_interval(PROBE_INTERVAL)
        .http2_keep_alive_interval(PROBE_INTERVAL)
        .http2_keep_alive_timeout(PROBE_INTERVAL)
        .redirect(Policy::custom(follow));
    builder.build().map_err(|error| TargetError::Setup(describe_error(error)))
}

/// Follows only redirects that keep method and body, and only within the original origin, since the
/// user's headers go along.
fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_body = matches!(attempt.status().as_u16(), 307 | 308);
    let origin = attempt.previous().first().map(reqwest::Url::origin);
    let same = origin.is_some_and(|origin| origin == attempt.url().origin());
    if keeps_body && same && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

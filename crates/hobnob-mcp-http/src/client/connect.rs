//! The HTTP client under a carrier: how long connections stand, and which redirects are followed.
//! Both carriers build theirs here.
//!
//! What must stay true: nothing is followed to another origin, and no cookie is stored.

use std::time::Duration;

use hobnob_web_client::{client_builder, describe_error};
use reqwest::redirect::{Attempt, Policy};

use crate::client::limits::HttpClientLimits;
use crate::client::target::{HttpTarget, TargetError};

/// Redirects of one request.
const HOPS: usize = 3;

/// Many servers let an idle connection go after five seconds. A request that meets the end of its
/// connection may have run and cannot be repeated, so ours go first.
const IDLE: Duration = Duration::from_secs(4);

/// How long a silent connection stands before it is asked whether it is still there.
const PROBE: Duration = Duration::from_secs(30);

/// A client for one server.
pub(super) fn client(
    target: &HttpTarget,
    limits: &HttpClientLimits,
) -> Result<reqwest::Client, TargetError> {
    let builder = client_builder(target.url(), limits.connect)
        .pool_idle_timeout(IDLE)
        .tcp_nodelay(true)
        .tcp_keepalive(PROBE)
        .tcp_keepalive_interval(PROBE)
        .http2_keep_alive_interval(PROBE)
        .http2_keep_alive_timeout(PROBE)
        .redirect(Policy::custom(follow));
    builder.build().map_err(|error| TargetError::Setup(describe_error(error)))
}

/// Only what keeps method and body, and only within the origin that was asked: the user's headers
/// go along.
fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_body = matches!(attempt.status().as_u16(), 307 | 308);
    let origin = attempt.previous().first().map(reqwest::Url::origin);
    let same = origin.is_some_and(|origin| origin == attempt.url().origin());
    if keeps_body && same && attempt.previous().len() <= HOPS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

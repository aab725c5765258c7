//! The header `WWW-Authenticate` of our refusals.
//!
//! The values are made from settings once; only the scopes of a step-up are of the request, and those
//! are ours too.

use hobnob_mcp_http::ChallengeReason;
use http::HeaderValue;

use super::public_url::PublicUrl;
use super::scope_rules::DEFAULT_SCOPES;

#[cfg(test)]
mod tests;

/// The challenge of a server below `prefix`. Without a token it has no error code (RFC 6750, 3.1).
pub(super) fn challenge(
    public_url: &PublicUrl,
    prefix: &str,
    reason: &ChallengeReason,
) -> Option<HeaderValue> {
    let defaults = || DEFAULT_SCOPES.join(" ");
    let (error, scopes) = match reason {
        ChallengeReason::NoToken => (None, defaults()),
        ChallengeReason::BadRequest => (Some("invalid_request"), defaults()),
        ChallengeReason::BadToken => (Some("invalid_token"), defaults()),
        ChallengeReason::MissingScope(scopes) => {
            (Some("insufficient_scope"), scopes.clone().into())
        }
    };
    let error = error.map(|code| format!("error=\"{code}\", ")).unwrap_or_default();
    let metadata = public_url.metadata_url(prefix);
    let value =
        format!("Bearer {error}resource_metadata=\"{metadata}\", scope=\"{}\"", quotable(&scopes));
    HeaderValue::from_str(&value).ok()
}

/// Scopes as they may stand in quotes. Names of tools come from callers, and so may anything.
fn quotable(scopes: &str) -> String {
    scopes.chars().filter(|c| (c.is_ascii_graphic() || *c == ' ') && !"\"\\".contains(*c)).collect()
}

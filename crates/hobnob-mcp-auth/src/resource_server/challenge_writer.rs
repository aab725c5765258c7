//! Writes the `WWW-Authenticate` header of our refusals.
//!
//! The values come from settings; only the scopes of a step-up depend on the request, and they are
//! made quotable first.

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

/// Drops what may not stand in quotes: callers choose tool names, so scopes may contain anything.
fn quotable(scopes: &str) -> String {
    scopes.chars().filter(|c| (c.is_ascii_graphic() || *c == ' ') && !"\"\\".contains(*c)).collect()
}

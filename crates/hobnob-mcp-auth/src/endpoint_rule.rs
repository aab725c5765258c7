//! Which URLs a login may use: encrypted ones, and those of this machine if the server is on it.
//!
//! Every URL that a server names passes through [`EndpointRule::check`] before it is fetched or
//! shown to a person.

use hobnob_web_client::is_loopback;
use reqwest::Url;

use crate::error::AuthError;

#[cfg(test)]
mod tests;

/// The longest URL that is accepted from a server, in bytes.
const MAX_URL: usize = 4096;

/// The rule for the URLs of one server's login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointRule {
    /// The server is elsewhere: https only.
    Encrypted,
    /// The server is on this machine: http that does not leave it is safe too.
    EncryptedOrLocal,
}

impl EndpointRule {
    /// The rule for a login to this server.
    pub fn for_server(server: &Url) -> Self {
        if is_loopback(server) { Self::EncryptedOrLocal } else { Self::Encrypted }
    }

    /// Parses a URL if it may be used; `what` names it in the error, which does not repeat it.
    pub fn check(self, text: &str, what: &str) -> Result<Url, AuthError> {
        let stop = |why: &str| Err(AuthError::stop(format!("the {what} {why}")));
        if MAX_URL < text.len() {
            return stop("is too long");
        }
        let Ok(url) = Url::parse(text) else { return stop("is no URL") };
        let local = url.scheme() == "http" && is_loopback(&url);
        match (url.scheme(), self) {
            ("https", _) => {}
            ("http", Self::EncryptedOrLocal) if local => {}
            ("http", _) => return stop("is not encrypted; it must begin with https"),
            (_, _) => return stop("is neither https nor http"),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return stop("has a user name in it");
        }
        if url.fragment().is_some() {
            return stop("has a fragment");
        }
        Ok(url)
    }
}

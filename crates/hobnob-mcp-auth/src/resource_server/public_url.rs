//! The public origin of a listener, and the URLs that are derived from it.
//!
//! Everything that the listener publishes about itself is derived from this origin. What must stay
//! true: no part of a request, neither `Host` nor a proxy's headers, gets into such a URL.

use hobnob_web_client::is_loopback;
use reqwest::Url;

#[cfg(test)]
mod tests;

/// The path of resource metadata below the origin (RFC 9728).
pub(super) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The origin of a listener as its clients write it, such as `https://hub.example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(Box<str>);

/// Why a text is not a valid public origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPublicUrl {
    /// It is no URL with the scheme https or http.
    #[error("it is no URL; write one such as \"https://hub.example.com\"")]
    NoUrl,
    /// It is plain http to another machine, which would send tokens in the clear.
    #[error(
        "it is not encrypted; it must begin with https, or with http and a name of this machine"
    )]
    NotEncrypted,
    /// It has a path, a query, a fragment or a user name.
    #[error("it must be an origin and nothing else, such as \"https://hub.example.com\"")]
    NoOrigin,
}

impl PublicUrl {
    /// Parses an origin. Slashes at its end are dropped.
    pub fn parse(text: &str) -> Result<Self, BadPublicUrl> {
        let url = Url::parse(text).map_err(|_| BadPublicUrl::NoUrl)?;
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            "http" => return Err(BadPublicUrl::NotEncrypted),
            _ => return Err(BadPublicUrl::NoUrl),
        }
        let origin = url.origin().ascii_serialization();
        match text.trim_end_matches('/').eq_ignore_ascii_case(&origin) {
            true => Ok(Self(origin.into())),
            false => Err(BadPublicUrl::NoOrigin),
        }
    }

    /// The origin, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host with its port, as clients write it in `Host`.
    pub fn authority(&self) -> &str {
        self.0.split_once("://").map_or(&*self.0, |(_, authority)| authority)
    }

    /// The URL of the server below `prefix`, as the resource that tokens are issued for.
    pub fn resource(&self, prefix: &str) -> String {
        format!("{}{prefix}/mcp", self.0)
    }

    /// The URL of that resource's metadata.
    pub fn metadata_url(&self, prefix: &str) -> String {
        format!("{}{WELL_KNOWN}{prefix}/mcp", self.0)
    }
}

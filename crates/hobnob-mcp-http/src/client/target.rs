//! The address of a server: its URL, and the user's headers for every request.
//!
//! What must stay true: possible secrets (header values, user info, the query) are never shown,
//! neither by `Display` nor by `Debug`, and never sent to another origin.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hobnob_web_client::is_loopback;
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use reqwest::Url;

use crate::client::authorizer::RequestAuthorizer;

#[cfg(test)]
mod tests;

/// Headers that belong to the connection, so that no setting may replace them.
const FRAMING: [HeaderName; 5] = [CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING, UPGRADE];

/// Shorter header values are not redacted: they are no secrets, and occur in ordinary text.
const MIN_SECRET: usize = 6;

/// Why no request can be sent to a server.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The text is no absolute URL.
    #[error("the url of the server is not valid ({0}); write it as https://host/path")]
    Url(Box<str>),
    /// The scheme is neither `http` nor `https`.
    #[error("the url of the server begins with `{0}:`; only http and https are spoken")]
    Scheme(Box<str>),
    /// A configured header would break the framing of HTTP.
    #[error("the header `{0}` belongs to the connection; remove it from the settings")]
    Header(HeaderName),
    /// TLS, name resolution or the runtime is missing.
    #[error("no HTTP client could be made: {0}")]
    Setup(Box<str>),
}

/// The address of one server: its URL, and the headers that go with every request.
#[derive(Clone)]
pub struct HttpTarget {
    url: Url,
    headers: HeaderMap,
    authorizer: Option<Arc<dyn RequestAuthorizer>>,
    /// The text that logs show in place of the URL.
    shown: Box<str>,
}

impl HttpTarget {
    /// Checks a URL and takes the headers that go with every request. All their values are treated
    /// as secrets. User info in the URL becomes an `Authorization` header, unless there is one
    /// already.
    pub fn new(url: &str, headers: HeaderMap) -> Result<Self, TargetError> {
        let mut url =
            Url::parse(url).map_err(|error| TargetError::Url(error.to_string().into()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(TargetError::Scheme(url.scheme().into()));
        }
        let mut headers = headers;
        if let Some(name) = FRAMING.into_iter().find(|name| headers.contains_key(name)) {
            return Err(TargetError::Header(name));
        }
        let login = basic(&url);
        // Neither call can fail for a URL that has a host, which http and https URLs always have.
        let _cleared = url.set_username("").and_then(|()| url.set_password(None));
        url.set_fragment(None);
        if let (Some(login), false) = (login, headers.contains_key(AUTHORIZATION)) {
            headers.insert(AUTHORIZATION, login);
        }
        for value in headers.values_mut() {
            value.set_sensitive(true);
        }
        let shown = format!("{}{}", url.origin().ascii_serialization(), url.path()).into();
        Ok(Self { url, headers, authorizer: None, shown })
    }

    /// Makes logs show this text instead of the URL, which may contain a secret.
    #[must_use]
    pub fn shown_as(self, text: &str) -> Self {
        Self { shown: text.into(), ..self }
    }

    /// Uses an authorizer, whose headers go with every request and replace configured headers of
    /// the same name.
    #[must_use]
    pub fn authorized_by(self, authorizer: Arc<dyn RequestAuthorizer>) -> Self {
        Self { authorizer: Some(authorizer), ..self }
    }

    /// The authorizer of requests to this server, if there is one.
    pub fn authorizer(&self) -> Option<&Arc<dyn RequestAuthorizer>> {
        self.authorizer.as_ref()
    }

    /// Whether messages cross a network unencrypted: plain HTTP to another machine.
    pub fn is_cleartext_remote(&self) -> bool {
        self.url.scheme() == "http" && !self.is_loopback()
    }

    /// Whether the server is on this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }

    /// The URL, without user info.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// The headers the user configured; their values may be secret.
    pub(super) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The same server at another URL of the same origin; `None` for another origin.
    pub(super) fn at(&self, reference: &str) -> Option<Self> {
        let url = self.url.join(reference).ok()?;
        let bare = url.username().is_empty() && url.password().is_none();
        let same = bare && url.origin() == self.url.origin();
        same.then(|| Self { url, ..self.clone() })
    }

    /// The same server with additional headers, whose values count as secrets.
    pub(super) fn with_headers(&self, headers: HeaderMap) -> Self {
        let mut target = self.clone();
        target.headers.extend(headers);
        target
    }

    /// Removes our secrets from a text, since a server may echo what it was sent.
    pub(super) fn redact(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        let values = self.headers.values().filter_map(|value| value.to_str().ok());
        let query = self.url.query();
        for secret in values.flat_map(|value| [Some(value), last_word(value)]).chain([query]) {
            let Some(secret) = secret else { continue };
            if secret.len() >= MIN_SECRET && clean.contains(secret) {
                clean = clean.replace(secret, "[redacted]");
            }
        }
        clean
    }
}

/// The token in `Bearer token`.
fn last_word(value: &str) -> Option<&str> {
    value.rsplit_once(' ').map(|(_, word)| word)
}

/// The `Authorization` header for the user info of a URL.
fn basic(url: &Url) -> Option<HeaderValue> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut login: Vec<u8> = percent_decode_str(url.username()).collect();
    login.push(b':');
    login.extend(percent_decode_str(url.password().unwrap_or_default()));
    HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(login))).ok()
}

impl fmt::Display for HttpTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for HttpTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.keys().map(HeaderName::as_str).collect();
        write!(f, "HttpTarget({self}, headers {names:?})")
    }
}

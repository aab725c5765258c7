//! The settings of an endpoint: server, model and key, validated before anything is sent.
//!
//! The client uses them. The key is never displayed and never sent unencrypted.

use std::time::Duration;

use hobnob_web_client::is_private;
use reqwest::Url;
use reqwest::header::HeaderValue;

use crate::embedder::{EmbedError, ModelId};

#[cfg(test)]
mod tests;

/// The default timeout of a request.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// The settings of an [`EndpointEmbedder`](crate::EndpointEmbedder).
pub struct EndpointOptions {
    /// The base URL, to which `/embeddings` is appended, such as `https://api.openai.com/v1`.
    pub url: String,
    /// The model's name, as the server knows it.
    pub model: String,
    /// The API key, sent as a bearer token.
    pub key: Option<ApiKey>,
    /// The timeout of a request.
    pub timeout: Duration,
}

impl EndpointOptions {
    /// Settings for a server that needs no key.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self { url: url.into(), model: model.into(), key: None, timeout: DEFAULT_TIMEOUT }
    }
}

/// An API key. It implements neither `Debug` nor `Display`, and leaves only in a header.
pub struct ApiKey(Box<str>);

impl ApiKey {
    /// Takes the key and trims white space.
    pub fn new(secret: &str) -> Self {
        Self(secret.trim().into())
    }

    /// The text with the key replaced: a server may echo what it received.
    pub(super) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.into() } else { text.replace(&*self.0, "[redacted]") }
    }

    pub(super) fn header(&self) -> Result<HeaderValue, EmbedError> {
        let header = HeaderValue::try_from(format!("Bearer {}", self.0));
        let settings =
            |_shows_no_secret| settings("the key has characters that are not allowed in a header");
        let mut header = header.map_err(settings)?;
        header.set_sensitive(true);
        Ok(header)
    }
}

/// The URL that requests go to.
pub(super) fn address(options: &EndpointOptions) -> Result<Url, EmbedError> {
    let url = Url::parse(options.url.trim());
    let mut url = url.map_err(|error| settings(&format!("the URL is not valid ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(settings("the URL must begin with https: or http:"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(settings("the URL contains a user name or password; set the key instead"));
    }
    if options.key.is_some() && !is_private(&url) {
        return Err(settings("the key would be sent unencrypted; use https"));
    }
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().push("embeddings");
    }
    url.set_fragment(None);
    Ok(url)
}

/// The id includes the server's name, since two servers may use one name for different models.
pub(super) fn model_id(url: &Url, model: &str) -> Result<ModelId, EmbedError> {
    if model.trim().is_empty() || model.contains(char::is_control) {
        return Err(settings("the model has no name"));
    }
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    Ok(ModelId::new(format!("openai:{host}{port}:{model}")))
}

fn settings(what: &str) -> EmbedError {
    EmbedError::Settings(what.into())
}

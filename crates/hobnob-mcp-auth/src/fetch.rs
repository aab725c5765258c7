//! How the steps of a login reach the servers that take part in it, without knowing how.
//!
//! Every step takes a [`Fetch`]: the guarded one outside of tests. What must stay true of one: no
//! redirect is followed, and what it returns is bounded.

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::Revision;
use http::HeaderMap;
use reqwest::Url;
use serde::de::DeserializeOwned;

use crate::error::AuthError;
use crate::secret::SecretText;

/// Sends one request and returns its answer.
pub trait Fetch: Send + Sync + 'static {
    /// An answer of any status is an answer; a redirect is one too.
    fn fetch(&self, request: FetchRequest) -> BoxFuture<'_, Result<FetchResponse, AuthError>>;
}

/// One request of a login.
#[derive(Debug, Clone)]
pub struct FetchRequest {
    /// Where it goes; checked before it gets here.
    pub url: Url,
    /// What is sent, if anything.
    pub body: FetchBody,
    /// Headers besides those that follow from the body. Values may be secrets.
    pub headers: Vec<(&'static str, SecretText)>,
}

/// What a request sends, and so its method and its type.
#[derive(Debug, Clone)]
pub enum FetchBody {
    /// GET for a document.
    Nothing,
    /// POST of a form, which may have secrets in it.
    Form(SecretText),
    /// POST of a JSON document.
    Json(Box<str>),
}

impl FetchRequest {
    /// Asks for a document. Spec 2025-06-18: discovery says which revision asks.
    pub fn document(url: Url) -> Self {
        let revision = SecretText::new(Revision::NEWEST.as_str());
        Self { url, body: FetchBody::Nothing, headers: vec![("mcp-protocol-version", revision)] }
    }

    /// Posts a form, as token endpoints want it.
    pub fn form(url: Url, form: SecretText) -> Self {
        Self { url, body: FetchBody::Form(form), headers: Vec::new() }
    }

    /// Posts a JSON document.
    pub fn json(url: Url, document: impl Into<Box<str>>) -> Self {
        Self { url, body: FetchBody::Json(document.into()), headers: Vec::new() }
    }
}

/// The answer to a request.
#[derive(Clone)]
pub struct FetchResponse {
    /// The status of HTTP.
    pub status: u16,
    /// All headers of the answer.
    pub headers: HeaderMap,
    /// The whole body, within the bounds of the fetch.
    pub body: Vec<u8>,
}

impl FetchResponse {
    /// The body as a document of this type; `what` names it in the error.
    pub(crate) fn read<T: DeserializeOwned>(&self, what: &str) -> Result<T, AuthError> {
        // The reason may quote the body, which may be a secret.
        serde_json::from_slice(&self.body)
            .map_err(|error| AuthError::stop(format!("the {what} cannot be read{}", place(&error))))
    }
}

fn place(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Data => {
            format!(": a member is missing or of the wrong kind in line {}", error.line())
        }
        _ => ": it is no JSON".into(),
    }
}

impl std::fmt::Debug for FetchResponse {
    /// The body may be a token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FetchResponse({}, {} bytes)", self.status, self.body.len())
    }
}

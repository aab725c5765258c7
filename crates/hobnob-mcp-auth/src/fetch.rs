//! The trait through which this crate sends HTTP requests; the trait itself sends nothing.
//!
//! The steps of a client's login take a [`Fetch`], and so do servers that fetch an issuer's keys or
//! a client's document. Outside of tests it is [`GuardedFetch`](crate::GuardedFetch). What must
//! stay true of an implementation: it follows no redirect, and bounds the size of what it returns.

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::Revision;
use http::HeaderMap;
use reqwest::Url;
use serde::de::DeserializeOwned;

use crate::error::AuthError;
use crate::secret::SecretText;

/// Sends one request and returns its response.
pub trait Fetch: Send + Sync + 'static {
    /// Sends the request. A response of any status is `Ok`, redirects and errors included.
    fn fetch(&self, request: FetchRequest) -> BoxFuture<'_, Result<FetchResponse, AuthError>>;
}

/// One HTTP request: a GET, or a POST with its body.
#[derive(Debug, Clone)]
pub struct FetchRequest {
    /// The URL, which has already been checked.
    pub url: Url,
    /// The body, if any.
    pub body: FetchBody,
    /// Headers besides those that follow from the body. Values may be secrets.
    pub headers: Vec<(&'static str, SecretText)>,
}

/// The body of a request, which determines its method and content type.
#[derive(Debug, Clone)]
pub enum FetchBody {
    /// GET without a body.
    Nothing,
    /// POST of a form, which may contain secrets.
    Form(SecretText),
    /// POST of a JSON document.
    Json(Box<str>),
}

impl FetchRequest {
    /// A GET for a document. Spec 2025-06-18: discovery sends the protocol version.
    pub fn document(url: Url) -> Self {
        let revision = SecretText::new(Revision::NEWEST.as_str());
        Self { url, body: FetchBody::Nothing, headers: vec![("mcp-protocol-version", revision)] }
    }

    /// A POST of a form, as token endpoints expect it.
    pub fn form(url: Url, form: SecretText) -> Self {
        Self { url, body: FetchBody::Form(form), headers: Vec::new() }
    }

    /// A POST of a JSON document.
    pub fn json(url: Url, document: impl Into<Box<str>>) -> Self {
        Self { url, body: FetchBody::Json(document.into()), headers: Vec::new() }
    }
}

/// The response to a request.
#[derive(Clone)]
pub struct FetchResponse {
    /// The HTTP status code.
    pub status: u16,
    /// All headers of the response.
    pub headers: HeaderMap,
    /// The whole body, within the size limit of the fetch.
    pub body: Vec<u8>,
}

impl FetchResponse {
    /// Parses the body as JSON of this type; `what` names it in the error.
    pub(crate) fn read<T: DeserializeOwned>(&self, what: &str) -> Result<T, AuthError> {
        // The parser's message may quote the body, which may be a secret.
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
    /// Leaves the body out, since it may contain a token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FetchResponse({}, {} bytes)", self.status, self.body.len())
    }
}

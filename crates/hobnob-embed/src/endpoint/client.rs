//! Sends texts to a server with OpenAI's embeddings API in batches, and retries while the server is
//! overloaded or cannot be reached.
//!
//! The memory service uses it through `Embedder`. It follows no redirect, because that would send the
//! key and the texts elsewhere.

use std::sync::OnceLock;
use std::time::Duration;

use hobnob_text::first_chars;
use hobnob_web_client::{describe_error, is_private, one_line, retry_after};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde::Serialize;
use tokio::time::sleep;

use super::answer::read;
use super::options::{ApiKey, EndpointOptions, address, model_id};
use super::retry::pause;
use crate::embedder::{EmbedError, EmbedFuture, Embedder, ModelId};
use crate::vector::Vector;
use crate::web::client;

/// Maximum number of texts per request.
const BATCH_SIZE: usize = 64;

/// Maximum characters sent of a text. Servers reject texts beyond their model's context, which is
/// about this long in scripts with one token per character.
const MAX_TEXT_CHARS: usize = 8_000;

/// Maximum size of an answer: a batch of vectors with 16,000 components fits.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// Maximum bytes read of an error response.
const MAX_REFUSAL_BYTES: usize = 16 << 10;

/// Computes vectors with a server that has OpenAI's embeddings API.
///
/// Only the first 8,000 characters of a text are sent.
pub struct EndpointEmbedder {
    id: ModelId,
    url: Url,
    model: String,
    key: Option<ApiKey>,
    http: Client,
    /// Learned from the first answer; every later answer must agree.
    dimensions: OnceLock<usize>,
}

impl EndpointEmbedder {
    /// Validates the settings without sending anything.
    pub fn new(options: EndpointOptions) -> Result<Self, EmbedError> {
        let url = address(&options)?;
        let id = model_id(&url, &options.model)?;
        let mut headers = HeaderMap::new();
        if let Some(key) = &options.key {
            headers.insert(AUTHORIZATION, key.header()?);
        }
        if !is_private(&url) {
            tracing::warn!(model = %id, "texts are sent to the embedding endpoint unencrypted");
        }
        // A redirect would send the key and the texts elsewhere.
        let http = client(&url, Policy::none())
            .timeout(options.timeout)
            .default_headers(headers)
            .build()
            .map_err(|error| EmbedError::Settings(describe_error(error)))?;
        let EndpointOptions { model, key, .. } = options;
        Ok(Self { id, url, model, key, http, dimensions: OnceLock::new() })
    }

    /// Requests one batch, with retries.
    async fn ask(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError> {
        let input = texts.iter().map(|text| truncated(text)).collect();
        let question = Question { model: &self.model, input, encoding_format: "float" };
        let question =
            serde_json::to_vec(&question).map_err(|error| unusable(&error.to_string()))?;
        let mut retries = 0;
        loop {
            let (error, asked) = match self.try_once(question.clone()).await {
                Ok(body) => return self.learn(&body, texts.len()),
                Err(Failure::Permanent(error)) => return Err(error),
                Err(Failure::Transient { reason, retry_after }) => {
                    (EmbedError::Unavailable { reason, retry_after }, retry_after)
                }
            };
            let Some(wait) = pause(retries, asked) else { return Err(error) };
            tracing::debug!(model = %self.id, %error, ?wait, "asking the embedding endpoint again");
            sleep(wait).await;
            retries += 1;
        }
    }

    async fn try_once(&self, question: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let request = self.http.post(self.url.clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(question);
        let mut response = request.send().await?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if MAX_ANSWER_BYTES < body.len() + chunk.len() {
                return Err(Failure::Permanent(unusable("it is too long")));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Classifies an error response.
    async fn refusal(&self, mut response: Response) -> Failure {
        let status = response.status();
        let retry_after = retry_after(response.headers());
        let mut body = Vec::new();
        // A truncated body is fine: the status is what counts.
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if MAX_REFUSAL_BYTES < body.len() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&body);
        let reason = one_line(&self.key.as_ref().map_or(text.to_string(), |key| key.redact(&text)));
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            let reason = format!("status {}: {reason}", status.as_u16()).into();
            return Failure::Transient { reason, retry_after };
        }
        let reason =
            if status.is_redirection() { "redirects are not followed".into() } else { reason };
        Failure::Permanent(EmbedError::Refused { status: status.as_u16(), reason })
    }

    fn learn(&self, body: &[u8], count: usize) -> Result<Vec<Vector>, EmbedError> {
        let vectors = read(body, count, self.dimensions())?;
        if let Some(vector) = vectors.first() {
            let found = vector.as_slice().len();
            let known = *self.dimensions.get_or_init(|| found);
            // Another request may have set it meanwhile.
            if known != found {
                return Err(unusable(&format!("vectors have {found} numbers, others {known}")));
            }
        }
        Ok(vectors)
    }
}

impl Embedder for EndpointEmbedder {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions.get().copied()
    }

    fn embed(&self, texts: Vec<String>) -> EmbedFuture<'_, Result<Vec<Vector>, EmbedError>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            for batch in texts.chunks(BATCH_SIZE) {
                vectors.extend(self.ask(batch).await?);
            }
            Ok(vectors)
        })
    }
}

/// Why one request failed.
enum Failure {
    /// A retry may succeed.
    Transient { reason: Box<str>, retry_after: Option<Duration> },
    /// A retry would fail too, or take too long.
    Permanent(EmbedError),
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        let late = error.is_timeout();
        let reason = describe_error(error);
        if late {
            return Self::Permanent(EmbedError::Unavailable { reason, retry_after: None });
        }
        Self::Transient { reason, retry_after: None }
    }
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    input: Vec<&'a str>,
    encoding_format: &'static str,
}

/// The part of a text that is sent. Servers reject an empty one.
fn truncated(text: &str) -> &str {
    if text.is_empty() { " " } else { first_chars(text, MAX_TEXT_CHARS) }
}

fn unusable(what: &str) -> EmbedError {
    EmbedError::Unusable(what.into())
}

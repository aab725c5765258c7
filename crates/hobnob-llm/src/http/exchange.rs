//! One request with its retries: reads the key, reserves the budget, delivers the events.
//!
//! A provider runs it behind a stream. What must stay true: no retry follows once an event was
//! delivered, so that no event arrives twice; no error shows the key.

use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

use hobnob_web_client::{client_builder, describe_error};
use reqwest::Client;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use tokio::time::{sleep, timeout};

use super::attempt::PreparedRequest;
use super::delivery::Delivery;
use super::failure::AttemptFailure;
use super::options::ProviderOptions;
use crate::budget::BudgetShare;
use crate::dialect::{DecoderOptions, KeyHeader, OutputLimitName, RequestContext};
use crate::error::{ProviderError, WaitPhase};
use crate::key::ProviderKey;
use crate::model::ModelInfo;
use crate::request::ModelRequest;
use crate::stream::ModelEventSender;

/// The tokens to reserve for an answer if neither the request nor the model's entry limits it.
const DEFAULT_OUTPUT_TOKENS: u32 = 8_192;

/// The state that all requests to one provider share.
pub(super) struct ProviderState {
    pub(super) options: ProviderOptions,
    /// Built for the first request: loading the system's certificates is slower than a whole start.
    http: OnceLock<Client>,
    /// Read before the first request, and again after the provider has refused it.
    key: Mutex<Option<Arc<ProviderKey>>>,
}

impl ProviderState {
    pub(super) fn new(options: ProviderOptions) -> Self {
        Self { options, http: OnceLock::new(), key: Mutex::new(None) }
    }

    /// The HTTP client for all requests. It follows no redirect.
    pub(super) fn http(&self) -> Result<&Client, ProviderError> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        let http = client_builder(&self.options.url, self.options.timeouts.connect)
            .redirect(Policy::none())
            .build()
            .map_err(|error| ProviderError::Settings(describe_error(error)))?;
        Ok(self.http.get_or_init(|| http))
    }

    /// Runs a request, and delivers its events, or the one error, to the reader.
    pub(super) async fn exchange(&self, request: ModelRequest, events: ModelEventSender) {
        let limit = self.options.timeouts.total;
        let done = match timeout(limit, self.ask(request, events.clone())).await {
            Ok(done) => done,
            Err(_) => Err(ProviderError::Late { phase: WaitPhase::Total, limit }),
        };
        if let Err(error) = done {
            tracing::debug!(provider = %self.options.name, %error, "a model did not answer");
            events.fail(error).await;
        }
    }

    async fn ask(
        &self,
        mut request: ModelRequest,
        events: ModelEventSender,
    ) -> Result<(), ProviderError> {
        let known = self.options.models.get(&request.model);
        let share = reserve(&mut request, known)?;
        let key = self.key().await?;
        let prepared = self.prepared(&request, known, key.as_deref())?;
        let mut delivery = Delivery::new(events, share, prepared.body.len());
        self.ask_with_retries(&prepared, &mut delivery, key.as_deref()).await
    }

    async fn ask_with_retries(
        &self,
        prepared: &PreparedRequest<'_>,
        delivery: &mut Delivery,
        key: Option<&ProviderKey>,
    ) -> Result<(), ProviderError> {
        let without_key = |error: ProviderError| match key {
            Some(key) => error.map_text(|text| key.redact(text)),
            None => error,
        };
        let mut retries = 0;
        loop {
            let (error, asked) = match prepared.attempt(delivery).await {
                Ok(()) | Err(AttemptFailure::ReaderGone) => return Ok(()),
                Err(AttemptFailure::Permanent(error)) => {
                    self.forget_refused_key(&error);
                    return Err(without_key(error));
                }
                Err(AttemptFailure::Transient { error, retry_after }) => {
                    (without_key(error), retry_after)
                }
            };
            if delivery.has_begun() {
                return Err(error);
            }
            let wait = self.options.retry.pause(retries, asked, fastrand::f64());
            let Some(wait) = wait else { return Err(error) };
            let provider = &self.options.name;
            tracing::debug!(%provider, ?wait, retries, "asking the model provider again");
            delivery.report_retry(error.to_string(), wait).await;
            sleep(wait).await;
            retries += 1;
        }
    }

    fn prepared<'a>(
        &'a self,
        request: &ModelRequest,
        known: Option<&ModelInfo>,
        key: Option<&ProviderKey>,
    ) -> Result<PreparedRequest<'a>, ProviderError> {
        let options = &self.options;
        let context = RequestContext {
            thinking: known.and_then(|model| model.thinking),
            max_output: known.and_then(|model| model.max_output),
            output_limit: output_limit_name(options),
        };
        let body = options.dialect.write(request, &context)?;
        let decoding = DecoderOptions {
            model: request.model.clone(),
            call_seed: fastrand::u64(..),
            prices: known.and_then(|model| model.prices),
            frame_bytes: options.limits.event_bytes,
        };
        let body = body.to_string().into_bytes();
        Ok(PreparedRequest {
            http: self.http()?,
            options,
            headers: headers(options, key)?,
            body,
            decoding,
        })
    }

    async fn key(&self) -> Result<Option<Arc<ProviderKey>>, ProviderError> {
        let Some(source) = &self.options.key else { return Ok(None) };
        let known = self.key.lock().clone();
        if known.is_some() {
            return Ok(known);
        }
        let key = Arc::new(source.read().await?);
        *self.key.lock() = Some(Arc::clone(&key));
        Ok(Some(key))
    }

    /// Drops a key that the provider refused, because its source may hold a new one by then.
    fn forget_refused_key(&self, error: &ProviderError) {
        if matches!(error, ProviderError::Refused { status: 401 | 403, .. }) {
            *self.key.lock() = None;
        }
    }
}

/// Reserves the answer's share of the budget, and limits the answer to it.
fn reserve(
    request: &mut ModelRequest,
    known: Option<&ModelInfo>,
) -> Result<Option<BudgetShare>, ProviderError> {
    let Some(budget) = &request.budget else { return Ok(None) };
    let wanted = request.max_tokens.or(known.and_then(|model| model.max_output));
    let share = budget.reserve(wanted.unwrap_or(DEFAULT_OUTPUT_TOKENS))?;
    request.max_tokens = Some(share.output_limit());
    Ok(Some(share))
}

/// OpenAI's own servers, and OpenAI's models on Azure, take `max_completion_tokens`.
fn output_limit_name(options: &ProviderOptions) -> OutputLimitName {
    let host = options.url.host_str().unwrap_or_default();
    if host == "openai.com" || host.ends_with(".openai.com") || host.ends_with(".azure.com") {
        return OutputLimitName::MaxCompletionTokens;
    }
    OutputLimitName::MaxTokens
}

/// The headers of every request, including the key.
pub(super) fn headers(
    options: &ProviderOptions,
    key: Option<&ProviderKey>,
) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::new();
    for (name, value) in options.dialect.headers() {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(key) = key {
        let (name, before) = match options.dialect.key_header() {
            KeyHeader::Bearer => (AUTHORIZATION, "Bearer "),
            KeyHeader::ApiKey => (HeaderName::from_static("x-api-key"), ""),
        };
        headers.insert(name, key.header(before)?);
    }
    Ok(headers)
}

//! One batch of spans as an HTTP request, with its retries.
//!
//! `span_export` makes the batches. What must stay true: a batch is tried a few times within a
//! bounded time, and what the receiver answers is read up to a limit.

use hobnob_web_client::{RetryPolicy, client_builder, describe_error, one_line, retry_after};
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use std::time::Duration;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a request may take.
const REQUEST: Duration = Duration::from_secs(10);
/// More of an answer is not read.
const MAX_ANSWER: usize = 64 << 10;

/// The address of the receiver cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("`endpoint` of [traces] in config.toml is no address of a receiver: {0}")]
pub struct BadEndpoint(Box<str>);

/// Why a batch was not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotPosted {
    #[error("the receiver cannot be reached: {0}")]
    Unreached(Box<str>),
    #[error("the receiver answers {0}: {1}")]
    Refused(StatusCode, Box<str>),
}

/// The client of one receiver.
#[derive(Debug)]
pub(crate) struct SpanPost {
    client: Client,
    url: Url,
    retries: RetryPolicy,
}

/// What a receiver says that took only a part.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PartialSuccess {
    error_message: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Answer {
    partial_success: PartialSuccess,
}

impl SpanPost {
    pub(crate) fn new(endpoint: &str) -> Result<Self, BadEndpoint> {
        let mut url =
            Url::parse(endpoint).map_err(|why| BadEndpoint(one_line(&why.to_string())))?;
        match url.path_segments_mut() {
            Ok(mut path) => drop(path.pop_if_empty().extend(["v1", "traces"])),
            Err(()) => return Err(BadEndpoint("it has no path".into())),
        }
        let client = client_builder(&url, CONNECT).redirect(Policy::none()).timeout(REQUEST);
        let client = client.build().map_err(|why| BadEndpoint(describe_error(why)))?;
        Ok(Self { client, url, retries: RetryPolicy::default() })
    }

    /// Posts a body of JSON; what the conventions call retryable is tried again.
    pub(crate) async fn post(&self, body: String) -> Result<(), NotPosted> {
        let mut tries = 0;
        loop {
            let (error, asked) = match self.post_once(body.clone()).await {
                Ok(()) => return Ok(()),
                Err(failed) => failed,
            };
            let can_help = match &error {
                NotPosted::Unreached(_) => true,
                // OTLP, section "Retryable response codes".
                NotPosted::Refused(status, _) => [429, 502, 503, 504].contains(&status.as_u16()),
            };
            let pause = self.retries.pause(tries, asked, fastrand::f64());
            let Some(pause) = pause.filter(|_| can_help) else { return Err(error) };
            tokio::time::sleep(pause).await;
            tries += 1;
        }
    }

    async fn post_once(&self, body: String) -> Result<(), (NotPosted, Option<Duration>)> {
        let request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json");
        let sent = request.body(body).send().await;
        let response = sent.map_err(|error| (NotPosted::Unreached(describe_error(error)), None))?;
        let (status, asked) = (response.status(), retry_after(response.headers()));
        let answer = read(response).await;
        if !status.is_success() {
            let said = one_line(&String::from_utf8_lossy(&answer));
            return Err((NotPosted::Refused(status, said), asked));
        }
        let answer: Answer = serde_json::from_slice(&answer).unwrap_or_default();
        let said = answer.partial_success.error_message;
        if !said.is_empty() {
            tracing::warn!(said = %one_line(&said), "the receiver did not take all traces");
        }
        Ok(())
    }
}

/// The beginning of an answer; what cannot be read is left out, since the status says enough.
async fn read(mut response: Response) -> Vec<u8> {
    let mut answer = Vec::new();
    while answer.len() < MAX_ANSWER
        && let Ok(Some(chunk)) = response.chunk().await
    {
        answer.extend_from_slice(&chunk);
    }
    answer
}

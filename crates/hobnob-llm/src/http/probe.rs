//! Checks at no cost whether a provider can be used: reads its key, and requests its models.
//!
//! `hobnob doctor` and the search for Ollama use it. What must stay true: no report shows the key.

use std::time::Duration;

use hobnob_web_client::describe_error;
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use tokio::time::timeout;

use super::exchange::headers;
use super::options::ProviderOptions;

/// The most bytes that are read of a list of models.
const MAX_LIST_BYTES: usize = 4 << 20;

/// The result of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderProbe {
    /// The provider accepts the key and lists its models.
    Ready {
        /// The ids in the provider's order; empty if the list cannot be read.
        models: Vec<Box<str>>,
    },
    /// A server answers but has no list of models. It may answer requests nevertheless.
    NoList {
        /// The status of the HTTP answer.
        status: u16,
    },
    /// The key cannot be read. The text names its source.
    NoKey(Box<str>),
    /// The provider refuses the key.
    KeyRefused {
        /// The status of the HTTP answer.
        status: u16,
    },
    /// No server answers in time, or the server reports an error of its own.
    Unreachable(Box<str>),
}

/// Requests the list of models once.
pub(super) async fn probe(
    http: &Client,
    options: &ProviderOptions,
    limit: Duration,
) -> ProviderProbe {
    let late = || format!("no answer within {} s", limit.as_secs());
    let key = match &options.key {
        None => None,
        Some(source) => match timeout(limit, source.read()).await {
            Ok(Ok(key)) => Some(key),
            Ok(Err(error)) => return ProviderProbe::NoKey(error.to_string().into()),
            Err(_) => return ProviderProbe::NoKey(late().into()),
        },
    };
    let headers = match headers(options, key.as_ref()) {
        Ok(headers) => headers,
        Err(error) => return ProviderProbe::NoKey(error.to_string().into()),
    };
    let redacted = |text: &str| key.as_ref().map_or_else(|| text.into(), |key| key.redact(text));
    let request = http.get(list_url(options)).headers(headers);
    let response = match timeout(limit, request.send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return ProviderProbe::Unreachable(redacted(&describe_error(error))),
        Err(_) => return ProviderProbe::Unreachable(late().into()),
    };
    let status = response.status();
    match status {
        _ if status.is_success() => {
            let models = timeout(limit, read_ids(response)).await.unwrap_or_default();
            ProviderProbe::Ready { models }
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            ProviderProbe::KeyRefused { status: status.as_u16() }
        }
        _ if status.is_server_error() => {
            ProviderProbe::Unreachable(format!("status {}", status.as_u16()).into())
        }
        _ => ProviderProbe::NoList { status: status.as_u16() },
    }
}

/// Reads the ids from a list of models. Every provider puts the list in `data` or in `models`.
async fn read_ids(mut response: Response) -> Vec<Box<str>> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct ModelList {
        data: Vec<ListedModel>,
        models: Vec<ListedModel>,
    }
    #[derive(Deserialize)]
    struct ListedModel {
        #[serde(alias = "name")]
        id: Box<str>,
    }
    let mut body = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        body.extend_from_slice(&piece);
        if MAX_LIST_BYTES < body.len() {
            return Vec::new();
        }
    }
    let ModelList { data, models } = serde_json::from_slice(&body).unwrap_or_default();
    data.into_iter().chain(models).map(|model| model.id).collect()
}

/// The URL of the list, which the dialect places beside the URL of requests.
fn list_url(options: &ProviderOptions) -> Url {
    let mut url = options.url.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        for _ in options.dialect.path() {
            segments.pop();
        }
        segments.extend(options.dialect.list_path());
    }
    url
}

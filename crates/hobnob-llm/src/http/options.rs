//! The options of a provider over HTTP: its address, its key, and its limits.
//!
//! The check of the settings produces them. What must stay true: every wait for a server and every
//! size that a server controls has a limit.

use std::collections::BTreeMap;
use std::time::Duration;

use hobnob_web_client::RetryPolicy;
use reqwest::Url;

use crate::dialect::ProviderDialect;
use crate::key::KeySource;
use crate::model::ModelInfo;

/// The options of one provider.
#[derive(Debug, Clone)]
pub struct ProviderOptions {
    /// The name that the settings give it.
    pub name: Box<str>,
    /// The wire format that the provider speaks.
    pub dialect: ProviderDialect,
    /// The URL that requests are sent to, with its whole path.
    pub url: Url,
    /// Where the key comes from; absent if the provider needs none.
    pub key: Option<KeySource>,
    /// How long the provider may take.
    pub timeouts: ProviderTimeouts,
    /// When a failed request is retried.
    pub retry: RetryPolicy,
    /// How much the provider may send.
    pub limits: ProviderLimits,
    /// The entries of its models, by id. Other models can be used too.
    pub models: BTreeMap<Box<str>, ModelInfo>,
}

/// How long a provider may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderTimeouts {
    /// To establish a connection.
    pub connect: Duration,
    /// From the request to the head of the answer.
    pub first_byte: Duration,
    /// From one piece of the answer to the next. Models that think may say nothing for minutes.
    pub silence: Duration,
    /// For everything, including earlier attempts and the time that the reader takes.
    pub total: Duration,
}

impl Default for ProviderTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            silence: Duration::from_secs(300),
            total: Duration::from_secs(1_800),
        }
    }
}

/// How much a provider may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderLimits {
    /// The largest event or line.
    pub event_bytes: usize,
    /// The largest answer, all events together.
    pub answer_bytes: usize,
    /// How much of an error's body is read.
    pub error_bytes: usize,
}

impl Default for ProviderLimits {
    fn default() -> Self {
        Self { event_bytes: 4 << 20, answer_bytes: 64 << 20, error_bytes: 64 << 10 }
    }
}

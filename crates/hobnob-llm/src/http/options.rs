//! What a provider over HTTP is made from: where it is, its key, and its bounds.
//!
//! Settings are checked into it. Every wait and every size that a server could use has a bound.

use std::collections::BTreeMap;
use std::time::Duration;

use hobnob_web_client::RetryPolicy;
use reqwest::Url;

use crate::dialect::ProviderDialect;
use crate::key::KeySource;
use crate::model::ModelInfo;

/// What a provider is made from.
#[derive(Debug, Clone)]
pub struct ProviderOptions {
    /// The name that the settings give it.
    pub name: Box<str>,
    /// The form that it speaks.
    pub dialect: ProviderDialect,
    /// Where requests go, with the whole path.
    pub url: Url,
    /// Where its key comes from; absent if it wants none.
    pub key: Option<KeySource>,
    /// How long it may take.
    pub timeouts: ProviderTimeouts,
    /// When it is asked again.
    pub retry: RetryPolicy,
    /// How much it may send.
    pub limits: ProviderLimits,
    /// What is known of its models, by id. Others can be used too.
    pub models: BTreeMap<Box<str>, ModelInfo>,
}

/// How long a provider may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderTimeouts {
    /// For a connection to stand.
    pub connect: Duration,
    /// From the request to the head of the answer.
    pub first_byte: Duration,
    /// From one piece of the answer to the next. Models that think may say nothing for minutes.
    pub silence: Duration,
    /// For everything, with the tries before and the time that the reader takes.
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

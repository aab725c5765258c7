//! A provider as users write it, and the check that turns it into [`ProviderOptions`].
//!
//! What must stay true: nothing is sent unencrypted to another machine unless the user allows it.

use std::collections::BTreeMap;
use std::time::Duration;

use hobnob_web_client::{RetryPolicy, is_private};
use reqwest::Url;
use serde::Deserialize;

use super::key::KeySettings;
use super::model::ModelSettings;
use super::problem::{Problems, SettingProblem};
use crate::dialect::ProviderDialect;
use crate::http::{ProviderLimits, ProviderOptions, ProviderTimeouts};
use crate::key::KeySource;

/// The longest time that may be set: a day.
const MAX_SECONDS: u64 = 24 * 60 * 60;

/// The most retries that may be set.
const MAX_RETRIES: u32 = 10;

/// One provider. Only `dialect` is required.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSettings {
    /// The wire format that the provider speaks.
    pub dialect: ProviderDialect,
    /// The URL of the provider, without the path that the dialect appends (`/v1/messages`,
    /// `/chat/completions`, `/responses`, `/api/chat`); the vendor's own server if left out.
    pub url: Option<String>,
    /// Where the key comes from. If left out, the vendor's own server gets the key in the usual
    /// variable (`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`), and any other server gets none.
    pub key: Option<KeySettings>,
    /// Whether another machine may be reached over plain `http`, which others on the way can read.
    #[serde(default)]
    pub allow_http: bool,
    /// How long it may take to establish a connection.
    pub connect_seconds: Option<u64>,
    /// How long the beginning of an answer may take.
    pub first_byte_seconds: Option<u64>,
    /// How long the next piece of an answer may take.
    pub silence_seconds: Option<u64>,
    /// How long a whole answer may take.
    pub total_seconds: Option<u64>,
    /// How often a request is retried if the provider is overloaded or unreachable.
    pub retries: Option<u32>,
    /// The entries of its models, by id. They replace the known entries of the data file.
    #[serde(default)]
    pub models: BTreeMap<String, ModelSettings>,
}

impl ProviderSettings {
    /// Settings with this dialect and nothing else.
    pub fn new(dialect: ProviderDialect) -> Self {
        Self {
            dialect,
            url: None,
            key: None,
            allow_http: false,
            connect_seconds: None,
            first_byte_seconds: None,
            silence_seconds: None,
            total_seconds: None,
            retries: None,
            models: BTreeMap::new(),
        }
    }

    /// Checks the settings of the provider with this name, and returns its options or all problems.
    pub fn check(&self, name: &str) -> Result<ProviderOptions, Vec<SettingProblem>> {
        let mut problems = Problems::of(name);
        let legal = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
        if name.is_empty() || !name.chars().all(legal) {
            problems.report("", "a provider's name has letters, digits, `_` and `-` only");
        }
        let url = self.address(&mut problems);
        let key = self.key_source(&mut problems);
        let timeouts = self.timeouts(&mut problems);
        let retries = self.retries.unwrap_or(RetryPolicy::default().retries);
        if MAX_RETRIES < retries {
            problems.report("retries", format!("use 0 to {MAX_RETRIES}"));
        }
        let models = self.models.iter();
        let models = models.map(|(id, model)| (id.as_str().into(), model.check(id, &mut problems)));
        let models = models.collect();
        let options = url.map(|url| ProviderOptions {
            name: name.into(),
            dialect: self.dialect,
            url,
            key,
            timeouts,
            retry: RetryPolicy { retries, ..RetryPolicy::default() },
            limits: ProviderLimits::default(),
            models,
        });
        problems.or(options)
    }

    /// Whether this is the server of the dialect's own vendor, whose models are in the data file.
    pub(crate) fn is_vendors_own(&self) -> bool {
        let host = |url: &str| Url::parse(url).ok()?.host_str().map(str::to_owned);
        let own = host(self.dialect.default_url());
        self.url.as_deref().is_none_or(|url| host(url.trim()) == own)
    }

    fn address(&self, problems: &mut Problems<'_>) -> Option<Url> {
        let text = self.url.as_deref().unwrap_or(self.dialect.default_url());
        let mut url = match Url::parse(text.trim()) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => url,
            Ok(_) | Err(_) => {
                problems.report("url", "write an address that begins with https: or http:");
                return None;
            }
        };
        if !url.username().is_empty() || url.password().is_some() {
            problems.report("url", "remove the user name and password; set `key` instead");
        }
        if !is_private(&url) && !self.allow_http {
            let what = "anybody on the way could read the key and the conversation: use https, or \
                        set `allow_http`";
            problems.report("url", what);
        }
        append(&mut url, self.dialect.path());
        Some(url)
    }

    fn key_source(&self, problems: &mut Problems<'_>) -> Option<KeySource> {
        match &self.key {
            Some(key) => key.check(problems),
            None if self.is_vendors_own() => {
                self.dialect.usual_variable().map(|name| KeySource::Variable(name.into()))
            }
            None => None,
        }
    }

    fn timeouts(&self, problems: &mut Problems<'_>) -> ProviderTimeouts {
        let mut timeouts = ProviderTimeouts::default();
        for (below, set, place) in [
            ("connect_seconds", self.connect_seconds, &mut timeouts.connect),
            ("first_byte_seconds", self.first_byte_seconds, &mut timeouts.first_byte),
            ("silence_seconds", self.silence_seconds, &mut timeouts.silence),
            ("total_seconds", self.total_seconds, &mut timeouts.total),
        ] {
            match set {
                None => {}
                Some(seconds @ 1..=MAX_SECONDS) => *place = Duration::from_secs(seconds),
                Some(_) => problems.report(below, format!("use 1 to {MAX_SECONDS}")),
            }
        }
        timeouts
    }
}

/// Appends the path. The user may have written its first segment already (`/v1`).
fn append(url: &mut Url, path: &[&str]) {
    let written =
        url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let path = match path {
        [first, rest @ ..] if *first == written && !rest.is_empty() => rest,
        path => path,
    };
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    url.set_fragment(None);
}

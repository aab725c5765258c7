//! The tables `[metrics]` and `[traces]` of `config.toml`: what those who run a hub learn about its
//! calls.
//!
//! `serve` reads them when it starts. What must stay true: both are off by default.

use serde::{Deserialize, Deserializer, de};
use std::path::PathBuf;

/// `[metrics]`: read when Hobnob starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsSettings {
    /// Whether `serve --http` has the page `/metrics`.
    pub enabled: bool,
    /// The file with the token that readers of the page send, as written: relative to the folder of
    /// `config.toml`. Without one, Hobnob makes a token of its own.
    pub token_file: Option<PathBuf>,
}

/// `[traces]`: read when Hobnob starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TraceSettings {
    /// The address of a receiver of OTLP over HTTP, without `/v1/traces`.
    #[serde(deserialize_with = "endpoint")]
    pub endpoint: Option<String>,
}

fn endpoint<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let is_address = |rest: &str| {
        let host = rest.split('/').next().unwrap_or_default();
        !host.is_empty() && !host.contains('@') && !rest.contains(['?', '#', ' '])
    };
    match rest.is_some_and(is_address) {
        true => Ok(Some(text.trim_end_matches('/').to_owned())),
        false => Err(de::Error::custom(
            "no address of a receiver: write one such as \"http://127.0.0.1:4318\", without \
             a user, a query or /v1/traces",
        )),
    }
}

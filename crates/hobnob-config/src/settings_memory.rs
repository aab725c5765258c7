//! The tables `[memory]` and `[embeddings]` of `config.toml`.
//!
//! The binary turns them into the settings of the memory service at startup.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use crate::duration::parse_duration;

/// What memory stores, for how long, and how it is exchanged.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemorySettings {
    /// What happens to content with secrets or personal data in it.
    pub secrets: SecretsChoice,
    /// Whether national identity numbers count as personal data too.
    pub national_ids: bool,
    /// Largest memory in bytes; at most 4 MiB. A larger one is refused.
    #[serde(deserialize_with = "memory_bytes")]
    pub max_bytes: usize,
    /// How long a deleted memory can be restored.
    #[serde(deserialize_with = "long")]
    pub keep_deleted: Duration,
    /// The git ref that a project's memories are exchanged through.
    #[serde(deserialize_with = "notes_ref")]
    pub sync_ref: String,
    /// How Hobnob tells whether a prompt asks to remember or to recall something.
    pub intent: IntentChoice,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            secrets: SecretsChoice::Block,
            national_ids: false,
            max_bytes: 256 << 10,
            keep_deleted: Duration::from_secs(30 * 24 * 3_600),
            sync_ref: "refs/notes/hobnob".into(),
            intent: IntentChoice::Off,
        }
    }
}

/// What happens to content with secrets or personal data in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretsChoice {
    /// A capture is refused, unless it asks for masking.
    #[default]
    Block,
    /// The secrets in a capture are masked before it is stored.
    Redact,
    /// Content is stored unchanged, without any check.
    Off,
}

/// How Hobnob tells whether a prompt asks to remember or to recall something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IntentChoice {
    /// It does not: the tool for it does not exist.
    #[default]
    Off,
    /// By the words of the prompt.
    Words,
    /// By a model: the client's, or the default one.
    Model,
}

/// The model that turns text into vectors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// Which model is used, if any.
    pub provider: EmbeddingProvider,
    /// The URL of an OpenAI-compatible endpoint, without `/embeddings` at its end.
    pub url: Option<String>,
    /// The name of the model at the endpoint.
    pub model: Option<String>,
    /// The environment variable that holds the endpoint's key.
    pub key_variable: Option<String>,
}

/// Where embeddings come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingProvider {
    /// The installed model, if there is one.
    #[default]
    Auto,
    /// The installed model; without one, searches use words alone, and `doctor` says why.
    Local,
    /// The OpenAI-compatible endpoint at `url`.
    Endpoint,
    /// None: memories are found by their words alone.
    None,
}

fn memory_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let bytes = usize::deserialize(deserializer)?;
    if (1..=4 << 20).contains(&bytes) {
        return Ok(bytes);
    }
    Err(de::Error::custom("use 1 to 4194304 bytes"))
}

fn long<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    parse_duration(&String::deserialize(deserializer)?).map_err(de::Error::custom)
}

fn notes_ref<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let legal = |it: char| it.is_ascii_alphanumeric() || "-_./".contains(it);
    let name = text.strip_prefix("refs/notes/").unwrap_or_default();
    if name.is_empty() || !name.chars().all(legal) || name.contains("..") || name.ends_with('/') {
        return Err(de::Error::custom("use a name below refs/notes/, such as refs/notes/hobnob"));
    }
    Ok(text)
}

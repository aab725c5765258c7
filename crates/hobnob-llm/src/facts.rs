//! The known models of Anthropic and OpenAI: a dated data file that is compiled in.
//!
//! The model directory reads it. What must stay true: the file can be decoded; a test checks this.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::dialect::ProviderDialect;
use crate::settings::ModelSettings;

#[cfg(test)]
mod tests;

/// The data file, as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    as_of: String,
    anthropic: BTreeMap<String, ModelSettings>,
    openai: BTreeMap<String, ModelSettings>,
}

static FACTS: LazyLock<Facts> = LazyLock::new(|| {
    toml::from_str(include_str!("../data/models.toml")).unwrap_or_else(|error| {
        tracing::error!(%error, "the list of known models cannot be read");
        Facts::default()
    })
});

/// The day on which the sizes and prices of known models were looked up, as `2026-01-31`.
pub fn facts_date() -> &'static str {
    &FACTS.as_of
}

/// The known models of the dialect's own vendor, by id.
pub(crate) fn known_models(
    dialect: ProviderDialect,
) -> impl Iterator<Item = (&'static String, &'static ModelSettings)> {
    let models = match dialect {
        ProviderDialect::Anthropic => Some(&FACTS.anthropic),
        ProviderDialect::OpenaiChat | ProviderDialect::OpenaiResponses => Some(&FACTS.openai),
        // Its models are those that each user has pulled.
        ProviderDialect::Ollama => None,
    };
    models.into_iter().flatten()
}

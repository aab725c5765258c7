//! The providers of the settings, as services that talk to models hold them.
//!
//! A provider whose table cannot be used is an error with the place in it, as any other setting is.

use anyhow::Context as _;
use hobnob_config::Settings;
use hobnob_llm::{ModelDirectory, ProviderSettings, ResolvedModel};
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// Makes all providers. Nothing is sent, and no key is read.
pub(super) fn open_models(settings: &Settings) -> anyhow::Result<ModelDirectory> {
    let mut providers = BTreeMap::new();
    for (name, table) in &settings.providers {
        let table: ProviderSettings = toml::from_str(table.as_toml())
            // Positions would be those of the table by itself.
            .map_err(|error| anyhow::anyhow!("{}", error.message()))
            .with_context(|| format!("config.toml: [providers.{name}]"))?;
        providers.insert(name.clone(), table);
    }
    ModelDirectory::from_settings(&providers).map_err(|problems| {
        let problems: Vec<String> =
            problems.iter().map(|problem| format!("providers.{problem}")).collect();
        anyhow::anyhow!("config.toml: {}", problems.join("; "))
    })
}

/// The model that the settings name as the default. One that cannot be used is none, for whoever can
/// do without.
pub(super) fn default_model(settings: &Settings) -> Option<ResolvedModel> {
    let name = settings.models.default.as_deref()?;
    let found = open_models(settings).and_then(|models| Ok(models.resolve(name)?));
    found.map_err(|error| tracing::warn!("[models] default cannot be used: {error:#}")).ok()
}

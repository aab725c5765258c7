//! The providers of the settings, as services that talk to models use them.
//!
//! An invalid table of a provider is an error that names the place, as for any other setting.

use anyhow::Context as _;
use hobnob_config::{ProviderTable, Settings};
use hobnob_llm::{HttpProvider, ModelDirectory, ProviderSettings, SettingProblem};
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// Creates all providers. Nothing is sent, and no key is read.
pub fn open_models(settings: &Settings) -> anyhow::Result<ModelDirectory> {
    ModelDirectory::from_settings(&tables(settings)?).map_err(unusable)
}

/// Each provider of the settings by itself, for checks whether it can be used.
pub fn open_providers(
    settings: &Settings,
) -> anyhow::Result<Vec<(String, anyhow::Result<HttpProvider>)>> {
    let open = |(name, table): (String, ProviderSettings)| {
        let provider = table.check(&name).map(HttpProvider::new).map_err(unusable);
        (name, provider)
    };
    Ok(tables(settings)?.into_iter().map(open).collect())
}

fn tables(settings: &Settings) -> anyhow::Result<BTreeMap<String, ProviderSettings>> {
    let read = |(name, table): (&String, &ProviderTable)| {
        let table = toml::from_str(table.as_toml())
            // Without positions: they would be relative to this table.
            .map_err(|error| anyhow::anyhow!("{}", error.message()))
            .with_context(|| format!("config.toml: [providers.{name}]"))?;
        Ok((name.clone(), table))
    };
    settings.providers.iter().map(read).collect()
}

fn unusable(problems: Vec<SettingProblem>) -> anyhow::Error {
    let problems: Vec<String> =
        problems.iter().map(|problem| format!("providers.{problem}")).collect();
    anyhow::anyhow!("config.toml: {}", problems.join("; "))
}

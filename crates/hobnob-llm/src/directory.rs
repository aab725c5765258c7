//! All providers and models of the settings, and the lookup of a model by name.
//!
//! Services that talk to models hold one, built when the settings are read. What must stay true: a
//! name that fits several providers is refused with the list of choices, never guessed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::ProviderError;
use crate::facts::known_models;
use crate::http::HttpProvider;
use crate::model::ModelInfo;
use crate::provider::Provider;
use crate::settings::{ProviderSettings, SettingProblem};

#[cfg(test)]
mod tests;

/// The providers of the settings, by name.
#[derive(Clone, Default)]
pub struct ModelDirectory {
    providers: BTreeMap<Box<str>, Arc<dyn Provider>>,
}

/// The provider that answers for a name, and the model's entry there.
#[derive(Clone)]
pub struct ResolvedModel {
    /// The provider to send requests to.
    pub provider: Arc<dyn Provider>,
    /// The model's entry, or only its id if it has none.
    pub model: ModelInfo,
}

impl ResolvedModel {
    /// The name that finds this model again: `provider/model`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.provider.name(), self.model.id)
    }
}

impl ModelDirectory {
    /// Builds all providers, or reports every problem of their settings.
    pub fn from_settings(
        settings: &BTreeMap<String, ProviderSettings>,
    ) -> Result<Self, Vec<SettingProblem>> {
        let mut directory = Self::default();
        let mut problems = Vec::new();
        for (name, settings) in settings {
            match open(name, settings) {
                Ok(provider) => directory.insert(Arc::new(provider)),
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() { Ok(directory) } else { Err(problems) }
    }

    /// Adds a provider, and replaces one with the same name.
    pub fn insert(&mut self, provider: Arc<dyn Provider>) {
        self.providers.insert(provider.name().into(), provider);
    }

    /// Whether the directory has no provider.
    pub fn is_empty(&self) -> bool {
        self.providers.is_empty()
    }

    /// The names of all providers, in order.
    pub fn provider_names(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().map(AsRef::as_ref)
    }

    /// All known models with the names of their providers, in order.
    pub fn models(&self) -> Vec<(Box<str>, ModelInfo)> {
        let models = self.providers.iter().flat_map(|(name, provider)| {
            provider.models().into_iter().map(|model| (name.clone(), model))
        });
        models.collect()
    }

    /// Finds the provider for a name: `provider/model`, or the id of a model that only one provider
    /// is known to have, or any id if there is only one provider.
    pub fn resolve(&self, name: &str) -> Result<ResolvedModel, ProviderError> {
        let named = name.split_once('/').and_then(|(provider, model)| {
            let provider = self.providers.get(provider).filter(|_| !model.is_empty())?;
            Some(resolved(provider, model))
        });
        if let Some(found) = named {
            return Ok(found);
        }
        let matching: Vec<_> = self.providers.values().filter(|it| knows(it, name)).collect();
        let all: Vec<_> = self.providers.values().collect();
        match (&matching[..], &all[..]) {
            ([], []) => Err(unknown("no model provider is set up; add one to the settings".into())),
            ([one], _) | ([], [one]) if !name.is_empty() => Ok(resolved(one, name)),
            ([], _) => Err(unknown(format!(
                "no provider is known to have the model `{name}`; write it as PROVIDER/{name} with \
                 one of {}",
                names(&all)
            ))),
            (matching, _) => Err(unknown(format!(
                "several providers have the model `{name}`; write it as PROVIDER/{name} with one \
                 of {}",
                names(matching)
            ))),
        }
    }
}

/// Builds a provider. An entry of the user replaces the known entry of the same model.
fn open(name: &str, settings: &ProviderSettings) -> Result<HttpProvider, Vec<SettingProblem>> {
    let mut settings = settings.clone();
    if settings.is_vendors_own() {
        for (id, model) in known_models(settings.dialect) {
            settings.models.entry(id.clone()).or_insert_with(|| model.clone());
        }
    }
    settings.check(name).map(HttpProvider::new)
}

fn knows(provider: &Arc<dyn Provider>, id: &str) -> bool {
    provider.models().iter().any(|model| *model.id == *id)
}

fn resolved(provider: &Arc<dyn Provider>, id: &str) -> ResolvedModel {
    let known = provider.models().into_iter().find(|model| *model.id == *id);
    let model = known.unwrap_or_else(|| ModelInfo { id: id.into(), ..ModelInfo::default() });
    ResolvedModel { provider: Arc::clone(provider), model }
}

fn names(providers: &[&Arc<dyn Provider>]) -> String {
    providers.iter().map(|it| format!("`{}`", it.name())).collect::<Vec<_>>().join(", ")
}

fn unknown(what: String) -> ProviderError {
    ProviderError::Request(what.into())
}

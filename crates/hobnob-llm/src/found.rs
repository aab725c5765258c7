//! Providers that can be asked without settings: a key in the environment, or Ollama on this machine.
//!
//! A chat looks for them where the settings name none. What must stay true: a key goes nowhere but to the
//! address that its own variables name.

use std::time::Duration;

use crate::dialect::ProviderDialect;
use crate::http::{HttpProvider, ProviderProbe};
use crate::settings::{KeySettings, ProviderSettings};

#[cfg(test)]
mod tests;

/// How long Ollama may take to list its models.
const OLLAMA_LIMIT: Duration = Duration::from_secs(1);
const OLLAMA_PORT: &str = ":11434";

/// A provider, and the model to ask there.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundProvider {
    /// Its name, as settings would have it.
    pub name: &'static str,
    /// What settings would say of it.
    pub settings: ProviderSettings,
    /// The id of the model.
    pub model: String,
    /// What it was found by.
    pub source: String,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundProviders {
    /// The best one first.
    pub providers: Vec<FoundProvider>,
    /// Why a provider that is there cannot be asked.
    pub problem: Option<String>,
}

/// Looks for providers, with the variables of the environment.
pub async fn find_providers(variable: impl Fn(&str) -> Option<String>) -> FoundProviders {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let providers = with_keys(&set);
    if !providers.is_empty() {
        return FoundProviders { providers, problem: None };
    }
    let mut settings = ProviderSettings::new(ProviderDialect::Ollama);
    settings.url = set("OLLAMA_HOST").map(|host| ollama_url(&host));
    let Ok(options) = settings.check("ollama") else { return FoundProviders::default() };
    let address = settings.url.as_deref().unwrap_or(ProviderDialect::Ollama.default_url());
    let ProviderProbe::Ready { models } = HttpProvider::new(options).probe(OLLAMA_LIMIT).await
    else {
        return FoundProviders::default();
    };
    let source = format!("Ollama at {address}");
    // Models that only embed texts cannot chat.
    let model = models.into_iter().find(|model| !model.contains("embed"));
    match model.map(String::from) {
        Some(model) => {
            let found = FoundProvider { name: "ollama", settings, model, source };
            FoundProviders { providers: vec![found], problem: None }
        }
        None => {
            let problem = format!("{source} has no model yet; to get one: ollama pull MODEL");
            FoundProviders { providers: Vec::new(), problem: Some(problem) }
        }
    }
}

/// The providers whose usual variable has a key.
fn with_keys(set: &impl Fn(&str) -> Option<String>) -> Vec<FoundProvider> {
    let known = [
        ("anthropic", ProviderDialect::Anthropic, "ANTHROPIC_BASE_URL"),
        ("openai", ProviderDialect::OpenaiResponses, "OPENAI_BASE_URL"),
    ];
    let found = known.into_iter().filter_map(|(name, dialect, address)| {
        let (variable, model) = (dialect.usual_variable()?, dialect.usual_model()?);
        set(variable)?;
        let key = KeySettings { variable: Some(variable.into()), ..KeySettings::default() };
        let mut settings = ProviderSettings::new(dialect);
        (settings.url, settings.key) = (set(address), Some(key));
        let source = format!("{variable} is set");
        Some(FoundProvider { name, settings, model: model.into(), source })
    });
    found.collect()
}

/// The address in `OLLAMA_HOST`, which may lack the scheme and the port. A server that listens on every
/// address is asked on this machine.
fn ollama_url(host: &str) -> String {
    let host = host.trim().trim_end_matches('/').replace("0.0.0.0", "127.0.0.1");
    if host.contains("://") {
        return host;
    }
    match host.rsplit_once(':') {
        Some(("", port)) => format!("http://127.0.0.1:{port}"),
        Some(_) => format!("http://{host}"),
        None => format!("http://{host}{OLLAMA_PORT}"),
    }
}

//! Finds providers that need no settings: a key in the environment, or Ollama on this machine.
//!
//! A chat looks for them if the settings name no provider. What must stay true: a key goes only to
//! its own vendor, or to the address in the vendor's own variable.

use std::time::Duration;

use crate::dialect::ProviderDialect;
use crate::http::{HttpProvider, ProviderProbe};
use crate::settings::{KeySettings, ProviderSettings};

#[cfg(test)]
mod tests;

/// How long Ollama may take to list its models.
const OLLAMA_TIMEOUT: Duration = Duration::from_secs(1);
const OLLAMA_PORT: &str = ":11434";

/// A provider, and the model to ask there.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundProvider {
    /// The name that settings would give it.
    pub name: &'static str,
    /// The settings that would describe it.
    pub settings: ProviderSettings,
    /// The id of the model to ask.
    pub model: String,
    /// What revealed the provider: a variable or an address.
    pub source: String,
}

/// The result of the search for providers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundProviders {
    /// The providers, best choice first.
    pub providers: Vec<FoundProvider>,
    /// Why a provider that was found cannot be used.
    pub problem: Option<String>,
}

/// Looks for providers; `variable` reads an environment variable.
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
    let ProviderProbe::Ready { models } = HttpProvider::new(options).probe(OLLAMA_TIMEOUT).await
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

/// The providers whose usual variable holds a key.
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

/// The URL for the value of `OLLAMA_HOST`, which may lack the scheme and the port. A server that
/// listens on every address is reached at the loopback address.
fn ollama_url(host: &str) -> String {
    let host = host.trim().trim_end_matches('/').replace("0.0.0.0", "127.0.0.1");
    if host.contains("://") {
        return host;
    }
    match host.rsplit_once(':') {
        Some(("", port)) => format!("http://127.0.0.1:{port}"),
        // The colons of an IPv6 address are inside its brackets.
        Some(_) if host.ends_with(']') => format!("http://{host}{OLLAMA_PORT}"),
        Some(_) => format!("http://{host}"),
        None => format!("http://{host}{OLLAMA_PORT}"),
    }
}

//! Checks of the providers of models. `doctor` runs them.
//!
//! What must stay true: no request costs anything, and no key is printed.

use hobnob_config::Settings;
use hobnob_hub::finding::{CheckFinding, Verdict};
use hobnob_hub::services::open_providers;
use hobnob_llm::{HttpProvider, ProviderProbe};
use std::time::Duration;
use tokio::task::JoinSet;

/// How long it may take to read the key of a provider and to list its models.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// What each provider of the settings says, in the order of their names.
pub(super) async fn providers(settings: &Settings) -> Vec<CheckFinding> {
    let providers = match open_providers(settings) {
        Ok(providers) => providers,
        Err(error) => {
            return vec![CheckFinding::new("models", Verdict::Broken, format!("{error:#}"))];
        }
    };
    let mut probes = JoinSet::new();
    for (place, (name, provider)) in providers.into_iter().enumerate() {
        probes.spawn(async move { (place, examine(&name, provider).await) });
    }
    let mut findings = probes.join_all().await;
    findings.sort_by_key(|(place, _)| *place);
    findings.into_iter().map(|(_, finding)| finding).collect()
}

async fn examine(name: &str, provider: anyhow::Result<HttpProvider>) -> CheckFinding {
    let finding = |verdict, message: String| CheckFinding::new("models", verdict, message);
    let provider = match provider {
        Ok(provider) => provider,
        Err(error) => return finding(Verdict::Broken, format!("{error:#}")),
    };
    match provider.probe(PROBE_TIMEOUT).await {
        ProviderProbe::Ready { .. } => finding(Verdict::Ok, format!("{name} lists its models")),
        ProviderProbe::NoList { status } => {
            let message = format!("{name} answers, but lists no models (status {status})");
            finding(Verdict::Note, message)
                .hint(format!("if chats fail, check `url` in [providers.{name}]"))
        }
        ProviderProbe::NoKey(why) => finding(Verdict::Warning, format!("{name}: {why}"))
            .hint(format!("set the key that [providers.{name}] names")),
        ProviderProbe::KeyRefused { status } => {
            finding(Verdict::Warning, format!("{name} refuses the key (status {status})"))
                .hint("check the key, and whether it is for this provider")
        }
        ProviderProbe::Unreachable(why) => {
            finding(Verdict::Warning, format!("{name} cannot be reached: {why}"))
                .hint(format!("check the network and `url` in [providers.{name}]"))
        }
    }
}

//! Chooses the model of a chat: the one that the person names, else the one of the settings. If the
//! settings have no provider, it looks for keys in the environment and for a local Ollama, and as a
//! last resort sets a model up with the person, which writes the settings.
//!
//! `open` calls it. What must stay true: a problem with the model shows before the first question,
//! as far as Hobnob can find it without asking the model anything.

use super::set_up::set_up_model;
use hobnob_config::{Places, Settings};
use hobnob_hub::services::open_models;
use hobnob_llm::{
    FoundProviders, ModelDirectory, ProviderSettings, ResolvedModel, SettingProblem, find_providers,
};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::terminal::Keyboard;
use std::collections::BTreeMap;

/// The chosen model, and the directory of all models.
pub(super) struct ChosenModel {
    pub(super) models: ModelDirectory,
    pub(super) model: ResolvedModel,
    /// How it was found, if no settings name it.
    pub(super) found: Option<String>,
}

impl ChosenModel {
    /// Chooses by the settings, or finds a model where they name no provider. If there is none,
    /// `person` sets one up.
    pub(super) async fn choose(
        places: &Places,
        settings: &Settings,
        wanted: Option<&str>,
        keyboard: Option<&Keyboard>,
    ) -> anyhow::Result<Self> {
        let models = open_models(settings)?;
        if !models.is_empty() {
            let usual = settings.chat.model.as_deref().or(settings.models.default.as_deref());
            let model = resolve(&models, wanted.or(usual)).await?;
            return Ok(Self { models, model, found: None });
        }
        let found = find_providers(|name| std::env::var(name).ok()).await;
        let Some(first) = found.providers.first() else {
            let Some(keyboard) = keyboard else { return Err(no_model(&found).into()) };
            if !set_up_model(keyboard, places, &found).await? {
                return Err(Ended::silently(Code::Interrupted).into());
            }
            let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
            return Box::pin(Self::choose(places, &settings, wanted, None)).await;
        };
        let usual = format!("{}/{}", first.name, first.model);
        let source = format!("{}, so {usual} answers", first.source);
        let models = directory(found)?;
        let model = resolve(&models, Some(wanted.unwrap_or(&usual))).await?;
        Ok(Self { models, model, found: Some(source).filter(|_| wanted.is_none()) })
    }
}

fn directory(found: FoundProviders) -> Result<ModelDirectory, Ended> {
    let settings: BTreeMap<String, ProviderSettings> =
        found.providers.into_iter().map(|it| (it.name.to_owned(), it.settings)).collect();
    ModelDirectory::from_settings(&settings).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(SettingProblem::to_string).collect();
        Ended::usage(format!("the environment: {}", problems.join("; ")))
    })
}

async fn resolve(models: &ModelDirectory, name: Option<&str>) -> Result<ResolvedModel, Ended> {
    let Some(name) = name else {
        let known: Vec<String> =
            models.models().iter().map(|(provider, it)| format!("{provider}/{}", it.id)).collect();
        let known = match known.is_empty() {
            true => String::new(),
            false => format!("; there are {}", known.join(", ")),
        };
        return Err(Ended::usage(format!(
            "no model is named: pass --model, or run `hobnob config set models.default NAME`{known}"
        )));
    };
    let resolved = models.resolve(name);
    let model = resolved.map_err(|error| Ended::usage(format!("model {name}: {error}")))?;
    match model.provider.problem().await {
        None => Ok(model),
        Some(problem) => {
            let provider = model.provider.name();
            Err(Ended::new(Code::Failed, format!("provider `{provider}`: {problem}")))
        }
    }
}

fn no_model(found: &FoundProviders) -> Ended {
    let why = found.problem.as_deref().map(|why| format!("\n{why}")).unwrap_or_default();
    Ended::new(
        Code::Failed,
        format!(
            "no model can be asked: set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, or run \
             `hobnob chat` at a terminal to set one up{why}"
        ),
    )
}

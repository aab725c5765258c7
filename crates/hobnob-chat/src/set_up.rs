//! Sets up a model with a person who has none: asks for provider and key, tests the key for free.
//!
//! `chosen_model` calls it. What must stay true: a key never appears on the screen, and is in a
//! file that only its owner can read before the settings name that file.

use anyhow::Context as _;
use hobnob_config::{Places, SettingPlan, toml_string};
use hobnob_disk::{FileMode, make_folder, write_atomic};
use hobnob_llm::{
    FoundProviders, HttpProvider, KeySettings, ProviderDialect, ProviderProbe, ProviderSettings,
};
use hobnob_terminal::render;
use hobnob_terminal::terminal::Keyboard;
use std::path::PathBuf;
use std::time::Duration;

/// How often a key may be refused before the set-up ends.
const MAX_TRIES: usize = 5;
/// How long a provider may take to list its models.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Most models that a person can choose from.
const MAX_CHOICES: usize = 20;

/// A provider to be set up.
struct NewProvider {
    name: &'static str,
    settings: ProviderSettings,
}

/// Asks the person, and returns whether there is a model now.
pub(super) async fn set_up_model(
    keyboard: &Keyboard,
    places: &Places,
    found: &FoundProviders,
) -> anyhow::Result<bool> {
    render::note(
        "No model is set up yet: neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set, and no Ollama with \
         a model answers on this machine.",
    );
    if let Some(problem) = &found.problem {
        render::note(problem);
    }
    let answers = [
        "Anthropic, with an API key",
        "OpenAI, with an API key",
        "Another server that speaks OpenAI's chat completions",
        "Not now",
    ];
    let answers = answers.map(str::to_owned).to_vec();
    let provider = match keyboard.ask_choice("Which models should answer?", answers).await {
        Some(0) => NewProvider::of("anthropic", ProviderDialect::Anthropic),
        Some(1) => NewProvider::of("openai", ProviderDialect::OpenaiResponses),
        Some(2) => {
            let Some(url) = keyboard.ask_line("Its address, such as https://example.org/v1").await
            else {
                return Ok(false);
            };
            let mut provider = NewProvider::of("other", ProviderDialect::OpenaiChat);
            provider.settings.url = Some(url.trim().to_owned());
            provider
        }
        _ => return Ok(false),
    };
    provider.set_up(keyboard, places).await
}

impl NewProvider {
    fn of(name: &'static str, dialect: ProviderDialect) -> Self {
        Self { name, settings: ProviderSettings::new(dialect) }
    }

    /// Asks for the key until the provider accepts it, then for the model, and stores both.
    async fn set_up(mut self, keyboard: &Keyboard, places: &Places) -> anyhow::Result<bool> {
        for _ in 0..MAX_TRIES {
            let Some(key) = keyboard.ask_secret("API key (not shown)").await else {
                return Ok(false);
            };
            self.store_key(key.trim(), places)?;
            match self.probe().await {
                Ok(models) => return self.save(keyboard, places, models).await,
                Err(why) => render::error(&why),
            }
        }
        Ok(false)
    }

    fn key_file(&self, places: &Places) -> PathBuf {
        places.config_dir.join("keys").join(self.name)
    }

    fn store_key(&mut self, key: &str, places: &Places) -> anyhow::Result<()> {
        self.settings.key = None;
        if key.is_empty() {
            return Ok(());
        }
        let file = self.key_file(places);
        let folder = file.parent().context("the key has no folder")?;
        make_folder(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        write_atomic(&file, format!("{key}\n").as_bytes(), FileMode::Private)
            .with_context(|| format!("cannot write {}", file.display()))?;
        self.settings.key = Some(KeySettings { file: Some(file), ..KeySettings::default() });
        Ok(())
    }

    /// The models that the provider lists, or why it cannot be asked.
    async fn probe(&self) -> Result<Vec<Box<str>>, String> {
        let options = self.settings.check(self.name).map_err(|problems| {
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        })?;
        match HttpProvider::new(options).probe(PROBE_TIMEOUT).await {
            ProviderProbe::Ready { models } => Ok(models),
            ProviderProbe::NoList { .. } => Ok(Vec::new()),
            ProviderProbe::NoKey(why) => Err(why.into()),
            ProviderProbe::KeyRefused { status } => {
                Err(format!("the provider refuses this key (status {status})"))
            }
            ProviderProbe::Unreachable(why) => {
                Err(format!("the provider cannot be reached: {why}"))
            }
        }
    }

    async fn save(
        &self,
        keyboard: &Keyboard,
        places: &Places,
        models: Vec<Box<str>>,
    ) -> anyhow::Result<bool> {
        let Some(model) = self.model(keyboard, models).await else { return Ok(false) };
        let settings = places.settings();
        let provider = format!("providers.{}", self.name);
        SettingPlan::new(&settings, &provider, Some(&self.as_toml()))?.write()?;
        let default = format!("{}/{model}", self.name);
        SettingPlan::new(&settings, "models.default", Some(&toml_string(&default)))?.write()?;
        render::note(&format!(
            "{default} is the model from now on; written to {}",
            settings.display()
        ));
        Ok(true)
    }

    /// The model to ask: the provider's usual model, or the model that the person chooses.
    async fn model(&self, keyboard: &Keyboard, models: Vec<Box<str>>) -> Option<String> {
        if let (None, Some(usual)) = (&self.settings.url, self.settings.dialect.usual_model()) {
            return Some(usual.to_owned());
        }
        let shown: Vec<String> =
            models.iter().take(MAX_CHOICES).map(|it| render::one_line(it)).collect();
        let model = match shown.is_empty() {
            true => keyboard.ask_line("Model").await?,
            false => {
                let chosen = keyboard.ask_choice("Which model should answer?", shown).await?;
                models.get(chosen)?.to_string()
            }
        };
        Some(model.trim().to_owned()).filter(|model| !model.is_empty())
    }

    /// The provider as an inline table of the settings.
    fn as_toml(&self) -> String {
        let mut table = format!("{{ dialect = {}", serde_json::json!(self.settings.dialect));
        if let Some(url) = &self.settings.url {
            table.push_str(&format!(", url = {}", toml_string(url)));
        }
        if let Some(file) = self.settings.key.as_ref().and_then(|key| key.file.as_ref()) {
            let file = toml_string(&file.display().to_string());
            table.push_str(&format!(", key = {{ file = {file} }}"));
        }
        table + " }"
    }
}

//! Opens the service `memory` as the settings say, with the model that finds memories by meaning.
//!
//! The registry calls `open`; `hobnob embeddings` and `hobnob doctor` ask for the model. A model
//! that cannot be used never keeps the service from working: it falls back to text search.

use super::context::ServiceContext;
use super::programs::ProgramAudit;
use anyhow::Context as _;
use hobnob_config::{EmbeddingProvider, EmbeddingSettings, IntentChoice, Places, SecretsChoice};
use hobnob_disk::Lock;
use hobnob_embed::{ApiKey, Embedder, EndpointEmbedder, EndpointOptions, MODELS, open_model};
use hobnob_secrets::{PersonalData, ScanScope, Scanner};
use hobnob_services::BuiltInService;
use hobnob_services::memory::recall::{EmbeddingModels, Recall};
use hobnob_services::memory::{
    IntentRule, MemoryOptions, MemoryParts, MemoryService, SecretsRule, VectorLock,
};
use std::path::Path;
use std::sync::Arc;

/// Opens the service for the registry.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    Ok(Arc::new(open_memory(context)))
}

/// Opens the service by its own type, for the command that computes vectors.
pub(super) fn open_memory(context: &ServiceContext<'_>) -> MemoryService {
    let (places, settings, store) = (context.places, context.settings, context.store());
    let chosen = &settings.memory;
    let scope = match chosen.national_ids {
        true => ScanScope::default().with(PersonalData::NationalId),
        false => ScanScope::default(),
    };
    let secrets = match chosen.secrets {
        SecretsChoice::Block => SecretsRule::Block,
        SecretsChoice::Redact => SecretsRule::Redact,
        SecretsChoice::Off => SecretsRule::Off,
    };
    // A command may be typed in a shell that lacks the API key; `doctor` and `embeddings status`
    // report the problem.
    let models = embedding_models(places, &settings.embeddings).unwrap_or_else(|error| {
        tracing::warn!("memories are found by text only: {error:#}");
        EmbeddingModels::default()
    });
    MemoryService::new(MemoryParts {
        memories: store.clone(),
        prompts: store.clone(),
        marks: store.clone(),
        recall: Recall::with_models(store, models),
        scanner: Scanner::new(scope),
        settings: MemoryOptions {
            secrets,
            max_bytes: chosen.max_bytes,
            keep_deleted: chosen.keep_deleted,
            sync_ref: chosen.sync_ref.clone(),
            intent: match chosen.intent {
                IntentChoice::Off => IntentRule::Off,
                IntentChoice::Words => IntentRule::Words,
                IntentChoice::Model => IntentRule::Model,
            },
        },
        folder: places.project.clone(),
        sync_folder: places.state_dir.join("sync"),
        programs: Arc::new(ProgramAudit(context.audit.clone())),
        vector_lock: vector_lock(&places.data_dir),
        model: context.default_model(),
        grants: Arc::clone(&context.grants) as _,
    })
}

/// A file lock that lets one process at a time compute vectors; the system releases it when the
/// process ends.
fn vector_lock(folder: &Path) -> VectorLock {
    let path = folder.join("embedding.lock");
    Box::new(move || Some(Box::new(Lock::try_acquire(&path).ok()?)))
}

/// Opens the configured embedder and the installed models that work beside it: the multilingual
/// one, and those that may have been configured before. Reads no weights yet.
pub fn embedding_models(
    places: &Places,
    chosen: &EmbeddingSettings,
) -> anyhow::Result<EmbeddingModels> {
    let mut models = EmbeddingModels::from(embedder(places, chosen)?);
    if chosen.provider == EmbeddingProvider::None {
        return Ok(models);
    }
    let main = models.main.as_ref().map(|main| main.model().to_string());
    for model in MODELS {
        let Some(folder) = model.installed(&places.models()) else { continue };
        if main.as_deref() == Some(model.id) {
            continue;
        }
        match open_model(model, &folder) {
            Ok(opened) if model.is_companion() => models.multilingual = Some(opened),
            Ok(opened) => models.former.push(opened),
            Err(error) => tracing::warn!(model = model.id, %error, "a model cannot be used"),
        }
    }
    Ok(models)
}

/// Opens the configured embedder, if any. Reads no weights yet.
pub fn embedder(
    places: &Places,
    chosen: &EmbeddingSettings,
) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
    // Of several installed models, the earlier in the table finds more.
    let mut installed = MODELS.into_iter().filter(|model| !model.is_companion());
    let mut local = || {
        let found = installed.find_map(|it| Some((it, it.installed(&places.models())?)));
        found.map(|(model, folder)| open_model(model, &folder)).transpose()
    };
    match chosen.provider {
        EmbeddingProvider::None => Ok(None),
        EmbeddingProvider::Auto => {
            // Memory works without a model: if the settings name none, a broken one is no error.
            let model = local().unwrap_or_else(|error| {
                tracing::warn!(%error, "the embedding model cannot be used; text search goes on");
                None
            });
            Ok(model)
        }
        EmbeddingProvider::Local => {
            let model = local().context("[embeddings] provider = \"local\"")?;
            let model = model.context(
                "[embeddings] provider = \"local\": no model is installed; \
                 run `hobnob embeddings install`",
            )?;
            Ok(Some(model))
        }
        EmbeddingProvider::Endpoint => {
            let missing = "[embeddings] provider = \"endpoint\" needs `url` and `model`";
            let (url, model) = chosen.url.clone().zip(chosen.model.clone()).context(missing)?;
            let mut options = EndpointOptions::new(url, model);
            if let Some(variable) = &chosen.key_variable {
                let key = std::env::var(variable);
                let key = key.with_context(|| {
                    format!("[embeddings] key_variable: the variable {variable} is not set")
                })?;
                options.key = Some(ApiKey::new(&key));
            }
            let endpoint = EndpointEmbedder::new(options).context("[embeddings]")?;
            Ok(Some(Arc::new(endpoint)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::embedder;
    use crate::test_places::places;
    use hobnob_config::EmbeddingSettings;
    use std::fs::{File, create_dir_all};

    #[test]
    fn of_two_installed_models_the_one_that_finds_more_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        let used = || embedder(&places, &EmbeddingSettings::default()).unwrap();
        assert!(used().is_none());
        // Files of the right sizes: no weights are read before the first question.
        for (model, bytes) in [("gte-small", 34_304_520), ("all-MiniLM-L6-v2", 23_470_104)] {
            let folder = places.models().join(model);
            create_dir_all(&folder).unwrap();
            for (file, bytes) in [("model-int8.safetensors", bytes), ("vocab.txt", 231_508)] {
                File::create(folder.join(file)).unwrap().set_len(bytes).unwrap();
            }
            assert_eq!(used().unwrap().model().as_str(), model);
        }
    }
}

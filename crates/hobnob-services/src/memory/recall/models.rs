//! The embedding models of a recall, by role.
//!
//! `find` asks them all; `vectors` makes the vectors of those in use. What must stay true: scores of
//! two models are fused, never compared.

use super::meaning::Meanings;
use super::model_role::ModelRole;
use hobnob_embed::Embedder;
use std::sync::Arc;

/// The models that find memories by meaning.
#[derive(Clone, Default)]
pub struct EmbeddingModels {
    /// The model of the settings.
    pub main: Option<Arc<dyn Embedder>>,
    /// The model that finds memories across languages, beside the main one.
    pub multilingual: Option<Arc<dyn Embedder>>,
    /// Earlier main models that can still embed a question, the preferred first. Each answers for
    /// the memories that have no vector of the main model yet.
    pub former: Vec<Arc<dyn Embedder>>,
}

impl EmbeddingModels {
    /// The models that every memory gets a vector from, the most important first.
    pub fn in_use(&self) -> impl Iterator<Item = &Arc<dyn Embedder>> {
        self.main.iter().chain(&self.multilingual)
    }
}

impl From<Option<Arc<dyn Embedder>>> for EmbeddingModels {
    fn from(main: Option<Arc<dyn Embedder>>) -> Self {
        Self { main, ..Self::default() }
    }
}

/// A model with its cached questions.
pub(super) struct RecallModel {
    pub(super) role: ModelRole,
    pub(super) embedder: Arc<dyn Embedder>,
    pub(super) meanings: Meanings,
}

/// All models with their roles: the main one, the multilingual one, the former ones.
pub(super) fn recall_models(models: &EmbeddingModels) -> Vec<RecallModel> {
    let with_role = |role| {
        move |embedder: &Arc<dyn Embedder>| RecallModel {
            role,
            embedder: Arc::clone(embedder),
            meanings: Meanings::default(),
        }
    };
    let main = models.main.iter().map(with_role(ModelRole::Main));
    let multilingual = models.multilingual.iter().map(with_role(ModelRole::Multilingual));
    let former = models.former.iter().map(with_role(ModelRole::Former));
    main.chain(multilingual).chain(former).collect()
}

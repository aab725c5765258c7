//! The BERT encoders as an `Embedder`; `local_threads` runs them.

use std::path::{Path, PathBuf};

use super::bert::DIMENSIONS;
use super::model::MiniLmModel;
use crate::embedder::{EmbedError, EmbedFuture, Embedder, ModelId};
use crate::local_threads::LocalThreads;
use crate::package::{LocalModel, MINILM};
use crate::vector::{EmbeddedText, Vector};

/// The encoder layers of all-MiniLM-L6-v2.
const MINILM_LAYERS: usize = 6;

/// The model all-MiniLM-L6-v2, computed in this process.
///
/// A text of more than 254 word pieces is split into up to four sequences of about equal length,
/// and its vector is the normalised sum of theirs; pieces after the first 1016 are ignored.
pub struct MiniLm {
    id: ModelId,
    model: &'static LocalModel,
    layers: usize,
    folder: PathBuf,
    threads: LocalThreads<MiniLmModel>,
}

impl MiniLm {
    /// Opens all-MiniLM-L6-v2 in this folder. Checks only that the files exist with the right sizes.
    pub fn open(folder: &Path) -> Result<Self, EmbedError> {
        Self::open_model(&MINILM, MINILM_LAYERS, folder)
    }

    /// Opens a model with the same network in this folder.
    pub(crate) fn open_model(
        model: &'static LocalModel,
        layers: usize,
        folder: &Path,
    ) -> Result<Self, EmbedError> {
        if let Some(file) = model.missing_file(folder) {
            return Err(EmbedError::Incomplete { folder: folder.into(), file });
        }
        let (id, threads) = (ModelId::new(model.id), LocalThreads::new());
        Ok(Self { id, model, layers, folder: folder.into(), threads })
    }
}

impl Embedder for MiniLm {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> Option<usize> {
        Some(DIMENSIONS)
    }

    fn embed(&self, texts: Vec<String>) -> EmbedFuture<'_, Result<Vec<Vector>, EmbedError>> {
        Box::pin(async move {
            let embedded = self.embed_with_words(texts).await?;
            Ok(embedded.into_iter().map(|text| text.vector).collect())
        })
    }

    fn has_words(&self) -> bool {
        true
    }

    fn embed_with_words(
        &self,
        texts: Vec<String>,
    ) -> EmbedFuture<'_, Result<Vec<EmbeddedText>, EmbedError>> {
        let (model, layers, folder) = (self.model, self.layers, self.folder.clone());
        Box::pin(self.threads.run(
            move || MiniLmModel::load(model, layers, &folder),
            move |loaded, abandoned| loaded.embed(&texts, abandoned),
        ))
    }
}

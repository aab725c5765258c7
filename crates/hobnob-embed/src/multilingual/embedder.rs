//! The multilingual model as an `Embedder`; `local_threads` runs it.

use std::path::{Path, PathBuf};

use super::embeddings::DIMENSIONS;
use super::model::MultilingualModel;
use crate::embedder::{EmbedError, EmbedFuture, Embedder, ModelId};
use crate::local_threads::LocalThreads;
use crate::package::MULTILINGUAL;
use crate::vector::Vector;

/// The model Universal Sentence Encoder multilingual v3, computed in this process.
///
/// It was trained on Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean,
/// Polish, Portuguese, Russian, Spanish, Thai and Turkish, so that a text and its translation have
/// similar vectors. Pieces of a text after the first 1022 are ignored.
pub struct MultilingualEncoder {
    id: ModelId,
    folder: PathBuf,
    threads: LocalThreads<MultilingualModel>,
}

impl MultilingualEncoder {
    /// Opens the model in this folder. Checks only that the files exist with the right sizes.
    pub fn open(folder: &Path) -> Result<Self, EmbedError> {
        if let Some(file) = MULTILINGUAL.missing_file(folder) {
            return Err(EmbedError::Incomplete { folder: folder.into(), file });
        }
        let (id, threads) = (ModelId::new(MULTILINGUAL.id), LocalThreads::new());
        Ok(Self { id, folder: folder.into(), threads })
    }
}

impl Embedder for MultilingualEncoder {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> Option<usize> {
        Some(DIMENSIONS)
    }

    fn embed(&self, texts: Vec<String>) -> EmbedFuture<'_, Result<Vec<Vector>, EmbedError>> {
        let folder = self.folder.clone();
        Box::pin(self.threads.run(
            move || {
                let [weights, vocabulary] = &MULTILINGUAL.files;
                MultilingualModel::load(&folder, [weights, vocabulary])
            },
            move |model, abandoned| model.embed(&texts, abandoned),
        ))
    }
}

//! The multilingual model as an `Embedder`: loaded for the first text, one blocking thread per
//! request.
//!
//! Requests wait for a permit, so that no more threads compute than the machine has processors.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;

use super::embeddings::DIMENSIONS;
use super::model::MultilingualModel;
use crate::embedder::{EmbedError, EmbedFuture, Embedder, ModelId};
use crate::minilm::idle_cache::IdleCache;
use crate::package::MULTILINGUAL;
use crate::vector::Vector;

/// The 65 MB of weights are freed after being unused for this long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The model Universal Sentence Encoder multilingual v3, computed in this process.
///
/// It was trained on Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean,
/// Polish, Portuguese, Russian, Spanish, Thai and Turkish, so that a text and its translation have
/// similar vectors. Pieces of a text after the first 1022 are ignored.
pub struct MultilingualEncoder {
    id: ModelId,
    folder: PathBuf,
    idle_cache: IdleCache<MultilingualModel>,
    /// Limits concurrent computations; a request holds a permit while it computes.
    places: Arc<Semaphore>,
}

impl MultilingualEncoder {
    /// Opens the model in this folder. Checks only that the files exist with the right sizes.
    pub fn open(folder: &Path) -> Result<Self, EmbedError> {
        if let Some(file) = MULTILINGUAL.missing_file(folder) {
            return Err(EmbedError::Incomplete { folder: folder.into(), file });
        }
        // With at least two permits, a query need not wait for a long list of texts.
        let places = available_parallelism().map_or(2, |count| count.get().max(2));
        Ok(Self {
            id: ModelId::new(MULTILINGUAL.id),
            folder: folder.into(),
            idle_cache: IdleCache::new(IDLE_TIMEOUT),
            places: Arc::new(Semaphore::new(places)),
        })
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
        Box::pin(async move {
            let place = Arc::clone(&self.places).acquire_owned().await;
            let place = place.map_err(|_closed| EmbedError::Stopped)?;
            let (handle, folder) = (self.idle_cache.handle(), self.folder.clone());
            // Dropping the future drops the receiver, which the thread notices between texts.
            let (interest, _waiting) = oneshot::channel::<()>();
            let computing = spawn_blocking(move || {
                let _until_done = place;
                let [weights, vocabulary] = &MULTILINGUAL.files;
                let model =
                    handle.get(|| MultilingualModel::load(&folder, [weights, vocabulary]))?;
                model.embed(&texts, || interest.is_closed())
            });
            computing.await.map_err(|_ended| EmbedError::Stopped)?
        })
    }
}

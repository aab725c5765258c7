//! The local model as an `Embedder`: loaded for the first text, one blocking thread per request.
//!
//! Requests wait for a permit, so that no more threads compute than the machine has processors.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;

use super::bert::DIMENSIONS;
use super::idle_cache::IdleCache;
use super::model::MiniLmModel;
use crate::embedder::{EmbedError, EmbedFuture, Embedder, ModelId};
use crate::package::{LocalModel, MINILM};
use crate::vector::{EmbeddedText, Vector};

/// The encoder layers of all-MiniLM-L6-v2.
const MINILM_LAYERS: usize = 6;

/// The 23 or 34 MB of weights are freed after being unused for this long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The model all-MiniLM-L6-v2, computed in this process.
///
/// A text of more than 254 word pieces is split into up to four sequences of about equal length,
/// and its vector is the normalised sum of theirs; pieces after the first 1016 are ignored.
pub struct MiniLm {
    id: ModelId,
    model: &'static LocalModel,
    layers: usize,
    folder: PathBuf,
    idle_cache: IdleCache<MiniLmModel>,
    /// Limits concurrent computations; a request holds a permit while it computes.
    places: Arc<Semaphore>,
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
        // With at least two permits, a query need not wait for a long list of texts.
        let places = available_parallelism().map_or(2, |count| count.get().max(2));
        Ok(Self {
            id: ModelId::new(model.id),
            model,
            layers,
            folder: folder.into(),
            idle_cache: IdleCache::new(IDLE_TIMEOUT),
            places: Arc::new(Semaphore::new(places)),
        })
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
        Box::pin(async move {
            let place = Arc::clone(&self.places).acquire_owned().await;
            let place = place.map_err(|_closed| EmbedError::Stopped)?;
            let (handle, folder) = (self.idle_cache.handle(), self.folder.clone());
            let (model, layers) = (self.model, self.layers);
            // Dropping the future drops the receiver, which the thread notices between texts.
            let (interest, _waiting) = oneshot::channel::<()>();
            let computing = spawn_blocking(move || {
                let _until_done = place;
                let loaded = handle.get(|| MiniLmModel::load(model, layers, &folder))?;
                loaded.embed(&texts, || interest.is_closed())
            });
            computing.await.map_err(|_ended| EmbedError::Stopped)?
        })
    }
}

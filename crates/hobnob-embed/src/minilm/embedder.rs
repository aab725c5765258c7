//! The local model as an `Embedder`: loaded at the first text, one blocking thread per request.
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
use crate::package::MINILM;
use crate::vector::{EmbeddedText, Vector};

/// The model's 90 MB are freed when nobody needed them for this long.
const REST: Duration = Duration::from_secs(10 * 60);

/// all-MiniLM-L6-v2, in this process.
///
/// A text of more than 254 word pieces is cut into up to four sequences of about the same length,
/// and its vector is the direction between theirs; what comes after 1016 pieces has no part in it.
pub struct MiniLm {
    id: ModelId,
    folder: PathBuf,
    idle_cache: IdleCache<MiniLmModel>,
    /// A request computes for as long as it has a place.
    places: Arc<Semaphore>,
}

impl MiniLm {
    /// Takes the folder that the model was installed to. Only looks whether the files are there.
    pub fn open(folder: &Path) -> Result<Self, EmbedError> {
        if let Some(file) = MINILM.missing_file(folder) {
            return Err(EmbedError::Incomplete { folder: folder.into(), file });
        }
        // With two at least, a question need not wait for a long list of texts.
        let places = available_parallelism().map_or(2, |count| count.get().max(2));
        Ok(Self {
            id: ModelId::new(MINILM.name),
            folder: folder.into(),
            idle_cache: IdleCache::new(REST),
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
            // The thread sees that nobody waits any more by the other end being dropped.
            let (interest, _waiting) = oneshot::channel::<()>();
            let computing = spawn_blocking(move || {
                let _until_done = place;
                let model = handle.get(|| MiniLmModel::load(&folder))?;
                model.embed(&texts, || interest.is_closed())
            });
            computing.await.map_err(|_ended| EmbedError::Stopped)?
        })
    }
}

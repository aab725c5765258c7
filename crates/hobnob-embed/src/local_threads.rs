//! Computes with a local model: loaded for the first text, one blocking thread per request.
//!
//! Requests wait for a permit, so that no more threads compute than the machine has processors.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;

use crate::embedder::EmbedError;
use crate::idle_cache::IdleCache;

/// The weights are freed after being unused for this long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The threads of a model, and its weights while they are in use.
pub(crate) struct LocalThreads<M> {
    weights: IdleCache<M>,
    /// Limits concurrent computations; a request holds a permit while it computes.
    places: Arc<Semaphore>,
}

impl<M: Send + Sync + 'static> LocalThreads<M> {
    pub(crate) fn new() -> Self {
        // With at least two permits, a query need not wait for a long list of texts.
        let places = available_parallelism().map_or(2, |count| count.get().max(2));
        Self { weights: IdleCache::new(IDLE_TIMEOUT), places: Arc::new(Semaphore::new(places)) }
    }

    /// Calls `compute` on a thread, after `load` if the weights are not in memory. `compute` asks
    /// its second argument whether anything still waits for the result.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        load: impl FnOnce() -> Result<M, EmbedError> + Send + 'static,
        compute: impl FnOnce(&M, &dyn Fn() -> bool) -> Result<T, EmbedError> + Send + 'static,
    ) -> Result<T, EmbedError> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_closed| EmbedError::Stopped)?;
        let weights = self.weights.handle();
        // Dropping the future drops the receiver, which the thread notices between texts.
        let (interest, _waiting) = oneshot::channel::<()>();
        let computing = spawn_blocking(move || {
            let _until_done = place;
            let loaded = weights.get(load)?;
            compute(&loaded, &|| interest.is_closed())
        });
        computing.await.map_err(|_ended| EmbedError::Stopped)?
    }
}

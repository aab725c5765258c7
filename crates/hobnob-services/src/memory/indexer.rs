//! Vectors for memories that have none yet: made in the background, a few at a time, while
//! everything else goes on.

use super::service::MemoryService;
use hobnob_store::memory::Gone;
use hobnob_store::{StoreError, Time};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Memories that are embedded at once. Few, so that what was captured last is soon found.
const AT_ONCE: usize = 16;
/// How long after a failure it is tried again.
const AFTER_FAILURE: Duration = Duration::from_secs(30);
/// How often it is looked for what another process captured, and for what has expired.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// How soon it is looked again whether another process has made the vectors.
const NOT_OUR_TURN: Duration = Duration::from_secs(2);

/// Lets one of all processes that share the store make vectors at a time: what it gives is held
/// meanwhile, and it gives nothing while another process holds it.
pub type Turns = Box<dyn Fn() -> Option<Box<dyn Send>> + Send + Sync>;

impl MemoryService {
    /// Says that there may be something to embed.
    pub(super) fn wake_indexer(&self) {
        self.0.captured.notify_one();
    }

    /// Ends what has expired, and purges what was deleted long ago.
    pub async fn clean_up(&self) -> Result<Gone, StoreError> {
        let now = Time::now();
        self.0.memories.clean_up(now, now.minus(self.0.settings.keep_deleted)).await
    }

    /// Keeps vectors in step with the memories and removes what is over, until told to stop.
    pub async fn tend(self, turns: Turns, stop: CancellationToken) {
        loop {
            let wait = match turns() {
                None => NOT_OUR_TURN,
                Some(_turn) => self.tend_once(&stop).await,
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.0.captured.notified() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// How long to wait for the next time.
    async fn tend_once(&self, stop: &CancellationToken) -> Duration {
        if let Err(error) = self.clean_up().await {
            tracing::warn!(%error, "memories could not be cleaned up");
        }
        match self.embed_all(stop).await {
            Ok(()) => LOOK_EVERY,
            Err(problem) => {
                tracing::warn!(problem, "memories cannot be embedded; text search goes on");
                AFTER_FAILURE
            }
        }
    }

    async fn embed_all(&self, stop: &CancellationToken) -> Result<(), String> {
        let Some(embedder) = &self.0.recall.embedder else { return Ok(()) };
        let search = &self.0.recall.search;
        let model = embedder.model().to_string();
        let told = |error: StoreError| error.to_string();
        let mut made = false;
        while !stop.is_cancelled() {
            let missing = search.unembedded(model.clone(), AT_ONCE).await.map_err(told)?;
            if missing.is_empty() {
                // Vectors of another model are of use until this one has all.
                return match made {
                    true => search.forget_models_but(model).await.map_err(told),
                    false => Ok(()),
                };
            }
            let texts = missing.iter().map(|memory| memory.text.clone()).collect();
            let vectors = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                vectors = embedder.embed(texts) => vectors.map_err(|error| error.to_string())?,
            };
            let named = missing.into_iter().zip(vectors);
            let vectors = named.map(|(it, vector)| (it.id, it.version, vector.as_slice().into()));
            search.put_vectors(model.clone(), vectors.collect()).await.map_err(told)?;
            made = true;
        }
        Ok(())
    }
}

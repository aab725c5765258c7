//! The background work of the memory service: it makes vectors, removes what has expired, and frees
//! what searches no longer use.
//!
//! A process that stays runs `maintain`; commands call the single steps. One process at a time makes
//! vectors (see [`VectorLock`](super::vector_lock::VectorLock)).

use super::service::MemoryService;
use super::vectors::{RefusedTexts, VectorFailure, make_all};
use hobnob_store::memory::CleanUpCounts;
use hobnob_store::{Owner, StoreError, Time};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long after a failure it tries again.
const AFTER_FAILURE: Duration = Duration::from_secs(30);
/// How often it looks for what another process captured, and for what has expired.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// How soon it looks again whether another process has made the vectors.
const NOT_OUR_TURN: Duration = Duration::from_secs(2);
/// After how long vectors that nobody searches in are freed.
const VECTORS_IDLE: Duration = Duration::from_secs(600);
/// How often `embed_in_turn` reports, and tries again to get the lock.
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// How far a model has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedded {
    /// The embedder's name and version, as vectors are stored under it.
    pub model: String,
    /// Memories that have a vector of it.
    pub having: u64,
    /// All memories that should.
    pub all: u64,
}

/// Why vectors could not be made.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct EmbedMissing(VectorFailure);

impl EmbedMissing {
    fn store(error: StoreError) -> Self {
        Self(VectorFailure::Store(error))
    }
}

impl MemoryService {
    /// Says that there may be something to embed. Without a model there is not, and a capture
    /// costs no more than its write.
    pub(super) fn wake_indexer(&self) {
        if self.0.recall.embedder.is_some() {
            self.0.captured.notify_one();
        }
    }

    /// Ends what has expired, and purges what was deleted long ago, of one owner or of everybody.
    pub async fn clean_up(&self, of: Option<Owner>) -> Result<CleanUpCounts, StoreError> {
        let now = Time::now();
        self.0.memories.clean_up(of, now, now.minus(self.0.settings.keep_deleted)).await
    }

    /// How many memories have a vector of the model; `None` if there is no model.
    pub async fn embedded(&self) -> Result<Option<Embedded>, StoreError> {
        let recall = &self.0.recall;
        let Some(embedder) = &recall.embedder else { return Ok(None) };
        let model = embedder.model().to_string();
        let (having, all) = recall.search.embedded(model.clone()).await?;
        Ok(Some(Embedded { model, having, all }))
    }

    /// Makes the vectors that are missing, once. Those that the model refuses stay missing.
    pub async fn embed_missing(&self, stop: &CancellationToken) -> Result<(), EmbedMissing> {
        make_all(&self.0.recall, &mut RefusedTexts::default(), stop).await.map_err(EmbedMissing)
    }

    /// Makes the vectors that are missing, once, as soon as no other process does. Calls `report`
    /// with the progress every so often. `None` if there is no model.
    pub async fn embed_in_turn(
        &self,
        mut report: impl FnMut(&Embedded),
    ) -> Result<Option<Embedded>, EmbedMissing> {
        let making = async {
            loop {
                if let Some(_lock) = (self.0.vector_lock)() {
                    return self.embed_missing(&CancellationToken::new()).await;
                }
                tokio::time::sleep(REPORT_EVERY).await;
            }
        };
        tokio::pin!(making);
        loop {
            tokio::select! {
                made = &mut making => {
                    made?;
                    return self.embedded().await.map_err(EmbedMissing::store);
                }
                () = tokio::time::sleep(REPORT_EVERY) => {}
            }
            if let Some(so_far) = self.embedded().await.map_err(EmbedMissing::store)? {
                report(&so_far);
            }
        }
    }

    /// Does the background work until `stop`.
    pub(super) async fn maintain(&self, stop: CancellationToken) {
        let releasing = async {
            let mut ticks = tokio::time::interval(VECTORS_IDLE / 10);
            loop {
                ticks.tick().await;
                self.0.recall.search.release_idle(VECTORS_IDLE);
            }
        };
        tokio::select! {
            () = self.index(stop) => {}
            never = releasing => match never {},
        }
    }

    /// Keeps vectors in step with the memories and removes what has expired, until `stop`.
    async fn index(&self, stop: CancellationToken) {
        let mut refused = RefusedTexts::default();
        let mut cleaned: Option<Instant> = None;
        loop {
            let wait = match (self.0.vector_lock)() {
                None => NOT_OUR_TURN,
                Some(_lock) => {
                    // Captures wake this many times a minute, and time does its part slowly.
                    if cleaned.is_none_or(|at| LOOK_EVERY <= at.elapsed()) {
                        self.tidy_up().await;
                        cleaned = Some(Instant::now());
                    }
                    self.index_once(&mut refused, &stop).await
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.0.captured.notified() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Does what is due by the clock, and what an older version of Hobnob left to do.
    async fn tidy_up(&self) {
        if let Err(error) = self.clean_up(None).await {
            tracing::warn!(%error, "memories could not be cleaned up");
        }
        if let Err(error) = self.0.memories.catch_up().await {
            tracing::warn!(%error, "memories of an older version could not be completed");
        }
    }

    /// Returns how long to wait before the next time.
    async fn index_once(&self, refused: &mut RefusedTexts, stop: &CancellationToken) -> Duration {
        match make_all(&self.0.recall, refused, stop).await {
            Ok(()) | Err(VectorFailure::Stopped) => LOOK_EVERY,
            Err(problem) => {
                tracing::warn!(%problem, "memories cannot be embedded; text search goes on");
                AFTER_FAILURE
            }
        }
    }
}

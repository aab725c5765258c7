//! The background task of the memory service: makes missing vectors, removes expired memories, and
//! frees unused search data.
//!
//! A long-running process runs `maintain`; commands call the single steps. One process at a time
//! makes vectors (see [`VectorLock`](super::vector_lock::VectorLock)).

use super::service::MemoryService;
use super::vectors::{RefusedTexts, VectorFailure, make_all};
use hobnob_store::memory::{CleanUpCounts, MemoryRepository};
use hobnob_store::{Owner, StoreError, Time};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Delay before the next attempt after a failure.
const RETRY_DELAY: Duration = Duration::from_secs(30);
/// How often to look for memories of other processes and for expired ones.
const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// Delay before the next attempt to get the lock from another process.
const LOCK_RETRY: Duration = Duration::from_secs(2);
/// How long vectors stay in memory after their last use by a search.
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);
/// How often `embed_in_turn` reports its progress and tries to get the lock.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

/// How many memories have a vector of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedded {
    /// The embedder's name and version, under which its vectors are stored.
    pub model: String,
    /// Number of memories that have a vector of this model.
    pub having: u64,
    /// Number of memories that should have one.
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
    /// Deletes expired memories and purges those deleted long ago, of one owner or of all.
    pub async fn clean_up(&self, of: Option<Owner>) -> Result<CleanUpCounts, StoreError> {
        clean_up(&*self.0.memories, self.0.settings.keep_deleted, of).await
    }

    /// How many memories have a vector of each model in use, the main model first.
    pub async fn embedded(&self) -> Result<Vec<Embedded>, StoreError> {
        let recall = &self.0.recall;
        let mut counts = Vec::new();
        for embedder in recall.models.in_use() {
            let model = embedder.model().to_string();
            let (having, all) = recall.search.embedded(model.clone()).await?;
            counts.push(Embedded { model, having, all });
        }
        Ok(counts)
    }

    /// Makes the missing vectors, once. Texts that the model refuses stay without one.
    pub async fn embed_missing(&self, stop: &CancellationToken) -> Result<(), EmbedMissing> {
        make_all(&self.0.recall, &mut RefusedTexts::default(), stop).await.map_err(EmbedMissing)
    }

    /// Makes the missing vectors, once, as soon as no other process does so. Calls `report` with
    /// the progress of all models periodically. Empty if there is no model.
    pub async fn embed_in_turn(
        &self,
        mut report: impl FnMut(&[Embedded]),
    ) -> Result<Vec<Embedded>, EmbedMissing> {
        let making = async {
            loop {
                if let Some(_lock) = (self.0.vector_lock)() {
                    return self.embed_missing(&CancellationToken::new()).await;
                }
                tokio::time::sleep(REPORT_INTERVAL).await;
            }
        };
        tokio::pin!(making);
        loop {
            tokio::select! {
                made = &mut making => {
                    made?;
                    return self.embedded().await.map_err(EmbedMissing::store);
                }
                () = tokio::time::sleep(REPORT_INTERVAL) => {}
            }
            report(&self.embedded().await.map_err(EmbedMissing::store)?);
        }
    }

    /// Does the background work until `stop`.
    pub(super) async fn maintain(&self, stop: CancellationToken) {
        let releasing = async {
            let mut ticks = tokio::time::interval(IDLE_TIMEOUT / 10);
            loop {
                ticks.tick().await;
                self.0.recall.search.release_idle(IDLE_TIMEOUT);
            }
        };
        tokio::select! {
            () = self.index(stop) => {}
            never = releasing => match never {},
        }
    }

    /// Keeps vectors up to date and removes expired memories, until `stop`.
    async fn index(&self, stop: CancellationToken) {
        let mut refused = RefusedTexts::default();
        let mut cleaned: Option<Instant> = None;
        loop {
            let wait = match (self.0.vector_lock)() {
                None => LOCK_RETRY,
                Some(_lock) => {
                    // Captures may wake this loop often, but clean-up is due only by time.
                    if cleaned.is_none_or(|at| POLL_INTERVAL <= at.elapsed()) {
                        self.tidy_up().await;
                        cleaned = Some(Instant::now());
                    }
                    self.index_once(&mut refused, &stop).await
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.0.captured.woken() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Cleans up expired memories, and completes those of an older version of Hobnob.
    async fn tidy_up(&self) {
        if let Err(error) = self.clean_up(None).await {
            tracing::warn!(%error, "memories could not be cleaned up");
        }
        if let Err(error) = self.0.memories.catch_up().await {
            tracing::warn!(%error, "memories of an older version could not be completed");
        }
    }

    /// Makes missing vectors, and returns the delay before the next time.
    async fn index_once(&self, refused: &mut RefusedTexts, stop: &CancellationToken) -> Duration {
        match make_all(&self.0.recall, refused, stop).await {
            Ok(()) | Err(VectorFailure::Stopped) => POLL_INTERVAL,
            Err(problem) => {
                tracing::warn!(%problem, "memories cannot be embedded; text search goes on");
                RETRY_DELAY
            }
        }
    }
}

/// Deletes expired memories and purges those deleted longer ago than `keep_deleted`.
pub(super) async fn clean_up(
    memories: &dyn MemoryRepository,
    keep_deleted: Duration,
    of: Option<Owner>,
) -> Result<CleanUpCounts, StoreError> {
    let now = Time::now();
    memories.clean_up(of, now, now.minus(keep_deleted)).await
}

//! What is done in the background while everything else goes on: vectors are made, and what is over
//! is removed.

use super::service::MemoryService;
use super::vectors::{Aside, Stuck, make_all};
use hobnob_store::memory::CleanUpCounts;
use hobnob_store::{StoreError, Time};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long after a failure it is tried again.
const AFTER_FAILURE: Duration = Duration::from_secs(30);
/// How often it is looked for what another process captured, and for what has expired.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// How soon it is looked again whether another process has made the vectors.
const NOT_OUR_TURN: Duration = Duration::from_secs(2);

/// Lets one of all processes that share the store make vectors at a time: what it gives is held
/// meanwhile, and it gives nothing while another process holds it.
pub type Turns = Box<dyn Fn() -> Option<Box<dyn Send>> + Send + Sync>;

/// How far a model has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedded {
    /// Which model.
    pub model: String,
    /// Memories that have a vector of it.
    pub having: u64,
    /// All memories that should.
    pub all: u64,
}

/// Why vectors could not be made.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct EmbedMissing(Stuck);

impl MemoryService {
    /// Says that there may be something to embed.
    pub(super) fn wake_indexer(&self) {
        self.0.captured.notify_one();
    }

    /// Ends what has expired, and purges what was deleted long ago.
    pub async fn clean_up(&self) -> Result<CleanUpCounts, StoreError> {
        let now = Time::now();
        self.0.memories.clean_up(now, now.minus(self.0.settings.keep_deleted)).await
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
        make_all(&self.0.recall, &mut Aside::default(), stop).await.map_err(EmbedMissing)
    }

    /// Keeps vectors in step with the memories and removes what is over, until told to stop.
    pub async fn tend(self, turns: Turns, stop: CancellationToken) {
        let mut aside = Aside::default();
        loop {
            let wait = match turns() {
                None => NOT_OUR_TURN,
                Some(_turn) => self.tend_once(&mut aside, &stop).await,
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.0.captured.notified() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// How long to wait for the next time.
    async fn tend_once(&self, aside: &mut Aside, stop: &CancellationToken) -> Duration {
        if let Err(error) = self.clean_up().await {
            tracing::warn!(%error, "memories could not be cleaned up");
        }
        match make_all(&self.0.recall, aside, stop).await {
            Ok(()) | Err(Stuck::Stopped) => LOOK_EVERY,
            Err(problem) => {
                tracing::warn!(%problem, "memories cannot be embedded; text search goes on");
                AFTER_FAILURE
            }
        }
    }
}

//! The signal to the background task that makes vectors: there may be a text to embed.
//!
//! Tools that store texts send it; `indexer` waits for it.

use super::recall::Recall;
use tokio::sync::Notify;

/// Without a model there is no text to embed, and a capture costs no more than its write.
pub(super) struct IndexSignal(Option<Notify>);

impl IndexSignal {
    pub(super) fn new(recall: &Recall) -> Self {
        Self(recall.models.in_use().next().map(|_| Notify::new()))
    }

    pub(super) fn wake(&self) {
        if let Some(notify) = &self.0 {
            notify.notify_one();
        }
    }

    /// Returns once a text was stored; never without a model.
    pub(super) async fn woken(&self) {
        match &self.0 {
            Some(notify) => notify.notified().await,
            None => std::future::pending().await,
        }
    }
}

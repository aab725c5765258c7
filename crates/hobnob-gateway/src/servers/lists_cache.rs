//! The lists of servers on the disk, so that a server need not run to be known.
//!
//! A server that is installed gets the lists stored of it; whoever reads new ones has them stored
//! before they are published.

use crate::background::BackgroundTasks;
use crate::upstream::lists::Lists;
use crate::upstream::server::Upstream;
use hobnob_config::{CatalogueCache, Digest};
use std::path::Path;
use std::time::Duration;

/// How long the lists of a server wait for the disk before they are published all the same.
const MAX_STORE_WAIT: Duration = Duration::from_secs(5);

/// The stored lists of all servers.
#[derive(Clone)]
pub(crate) struct ListsCache {
    cache: CatalogueCache,
    tasks: BackgroundTasks,
}

impl ListsCache {
    /// In this folder, written by such tasks.
    pub(crate) fn new(folder: &Path, tasks: BackgroundTasks) -> Self {
        Self { cache: CatalogueCache::new(folder), tasks }
    }

    /// What was stored of a server, if anything and if it can be read.
    pub(super) fn load(&self, identity: &Digest) -> Option<Lists> {
        self.cache.load(identity).as_deref().and_then(Lists::from_json)
    }

    /// Writes an upstream's lists to the disk: `hobnob approve`, which a client may advise as soon
    /// as they are published, reads them there. A disk that hangs is not waited for.
    pub(crate) fn store(&self, upstream: &Upstream) -> impl Future<Output = ()> + Send + use<> {
        let known = upstream.known();
        // Only the whole truth is kept.
        let lists = known.lists.filter(|_| known.problems.is_empty());
        let (cache, digest) = (self.cache.clone(), upstream.configured().identity);
        let stored = lists.map(|lists| {
            self.tasks.tracker.spawn_blocking(move || {
                if let Err(error) = cache.store(&digest, &lists.to_json()) {
                    tracing::warn!(%error, "a catalogue cannot be stored");
                }
            })
        });
        async {
            if let Some(stored) = stored {
                drop(tokio::time::timeout(MAX_STORE_WAIT, stored).await);
            }
        }
    }
}

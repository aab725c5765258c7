//! The lists of servers on the disk, so that a server is known without being started.
//!
//! An installed server gets its stored lists. New lists are stored before they are published.

use crate::background::BackgroundTasks;
use crate::upstream::lists::Lists;
use crate::upstream::server::Upstream;
use hobnob_config::{CatalogueCache, Digest};
use std::path::Path;
use std::time::Duration;

/// The longest time that publishing lists waits for the disk.
const MAX_STORE_WAIT: Duration = Duration::from_secs(5);

/// The stored lists of all servers.
#[derive(Clone)]
pub(crate) struct ListsCache {
    cache: CatalogueCache,
    tasks: BackgroundTasks,
}

impl ListsCache {
    /// Stores lists in this folder, on blocking tasks of `tasks`.
    pub(crate) fn new(folder: &Path, tasks: BackgroundTasks) -> Self {
        Self { cache: CatalogueCache::new(folder), tasks }
    }

    /// The stored lists of a server, if there are any and they can be read.
    pub(super) fn load(&self, identity: &Digest) -> Option<Lists> {
        self.cache.load(identity).as_deref().and_then(Lists::from_json)
    }

    /// Writes an upstream's lists to the disk before they are published: from then on, a client may
    /// advise `hobnob approve`, which reads them there. A disk that hangs delays nothing for long.
    pub(crate) fn store(&self, upstream: &Upstream) -> impl Future<Output = ()> + Send + use<> {
        let known = upstream.lists.get();
        // Incomplete lists are not stored.
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

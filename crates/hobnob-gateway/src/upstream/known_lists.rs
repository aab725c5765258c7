//! What is known of the lists of one upstream, whether or not it runs.
//!
//! `life` brings new readings and publishes what is new; the catalogue, the status and whoever
//! decides about starts read it. A connection is handed out only when whatever was learned before
//! is published.

use crate::upstream::lists::{Lists, ListsReading};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use tokio::sync::watch;

/// The newest lists, and what could not be read of them.
#[derive(Clone, Default)]
pub(crate) struct Known {
    /// `None` if it has never run.
    pub(crate) lists: Option<Arc<Lists>>,
    pub(crate) problems: Vec<String>,
    /// Whether its tools could not be listed.
    tools_failed: bool,
}

/// The same behind its lock, and what of it clients cannot see yet.
pub(super) struct KnownLists {
    known: RwLock<Known>,
    /// How many readings are on their way to the snapshots.
    publishing: watch::Sender<usize>,
}

/// A reading on its way to the snapshots; it has arrived when this is dropped.
#[derive(Debug)]
pub(super) struct Publication(watch::Sender<usize>);

impl Drop for Publication {
    fn drop(&mut self) {
        self.0.send_modify(|publishing| *publishing -= 1);
    }
}

impl KnownLists {
    /// With what was stored the last time.
    pub(super) fn new(lists: Option<Lists>) -> Self {
        let known = Known { lists: lists.map(Arc::new), ..Known::default() };
        Self { known: RwLock::new(known), publishing: watch::Sender::new(0) }
    }

    pub(super) fn get(&self) -> Known {
        self.read().clone()
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.read().lists.is_none()
    }

    /// Whether it is not known which tools it has: it never ran, or could not list them.
    pub(super) fn lacks_tools(&self) -> bool {
        let known = self.read();
        let none = |lists: &Arc<Lists>| known.tools_failed && lists.tools.is_empty();
        known.lists.as_ref().is_none_or(none)
    }

    /// Takes a new reading; to be published if it differs from what was known, or is complete for
    /// the first time.
    pub(super) fn update(&self, reading: ListsReading) -> Option<Publication> {
        let ListsReading { lists, problems, tools_failed, .. } = reading;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let mended = problems.is_empty() && !known.problems.is_empty();
        known.problems = problems;
        known.tools_failed = tools_failed;
        let differs = mended || known.lists.as_deref() != Some(&lists);
        differs.then(|| {
            known.lists = Some(Arc::new(lists));
            self.publishing.send_modify(|publishing| *publishing += 1);
            Publication(self.publishing.clone())
        })
    }

    /// Returns when everything that was learned is published.
    pub(super) async fn published(&self) {
        let mut publishing = self.publishing.subscribe();
        // The sender is ours, so it cannot be gone.
        drop(publishing.wait_for(|publishing| *publishing == 0).await);
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::KnownLists;
    use crate::upstream::lists::{Lists, ListsReading, Unfinished};
    use futures_util::FutureExt as _;

    fn reading(tool: &str) -> ListsReading {
        let lists = Lists { tools: vec![tool.into()], ..Lists::default() };
        ListsReading {
            lists,
            problems: Vec::new(),
            tools_failed: false,
            unfinished: Unfinished::No,
        }
    }

    #[test]
    fn who_learns_nothing_new_waits_for_what_another_is_publishing() {
        let lists = KnownLists::new(None);
        assert!(lists.published().now_or_never().is_some(), "there is nothing to publish");
        let publication = lists.update(reading("a"));
        assert!(publication.is_some());
        assert!(lists.update(reading("a")).is_none(), "another connection reads the same");
        assert!(lists.published().now_or_never().is_none(), "and clients do not see it yet");
        drop(publication);
        assert!(lists.published().now_or_never().is_some());
    }
}

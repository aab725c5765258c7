//! The known lists of one upstream, whether it is running or not.
//!
//! `life` brings new readings and publishes changes; the catalogue, the status and the first starts
//! read them. A connection is handed out only after everything learned before it is published.

use crate::upstream::lists::{Lists, ListsReading};
use hobnob_mcp_client::EraHint;
use hobnob_mcp_types::Era;
use parking_lot::{RwLock, RwLockReadGuard};
use std::sync::Arc;
use tokio::sync::watch;

/// The newest lists, and the problems of the last reading.
#[derive(Clone, Default)]
pub(crate) struct Known {
    /// `None` if the server has never run.
    pub(crate) lists: Option<Arc<Lists>>,
    pub(crate) problems: Vec<String>,
    /// Whether the tools could not be listed.
    tools_failed: bool,
}

/// The known lists behind a lock, with the number of pending publications.
pub(crate) struct KnownLists {
    known: RwLock<Known>,
    /// How many readings are on their way to the snapshots.
    publishing: watch::Sender<usize>,
}

/// A reading on its way to the snapshots; dropping this says that it has arrived.
#[derive(Debug)]
pub(super) struct Publication(watch::Sender<usize>);

impl Drop for Publication {
    fn drop(&mut self) {
        self.0.send_modify(|publishing| *publishing -= 1);
    }
}

impl KnownLists {
    /// Starts from the stored lists, if there are any.
    pub(super) fn new(lists: Option<Lists>) -> Self {
        let known = Known { lists: lists.map(Arc::new), ..Known::default() };
        Self { known: RwLock::new(known), publishing: watch::Sender::new(0) }
    }

    pub(crate) fn get(&self) -> Known {
        self.read().clone()
    }

    /// The protocol era that the server spoke last time.
    pub(super) fn era(&self) -> EraHint {
        match self.read().lists.as_ref().and_then(|lists| lists.about.era()) {
            Some(Era::Legacy) => EraHint::Legacy,
            Some(Era::Modern) => EraHint::Modern,
            None => EraHint::Unknown,
        }
    }

    /// Whether the lists are unknown because the server has never run.
    pub(crate) fn is_unknown(&self) -> bool {
        self.read().lists.is_none()
    }

    /// Whether the newest lists have arrived in the snapshots.
    pub(crate) fn is_offered(&self) -> bool {
        !self.is_unknown() && *self.publishing.borrow() == 0
    }

    /// Whether the tools are unknown: the server never ran, or could not list them.
    pub(crate) fn lacks_tools(&self) -> bool {
        let known = self.read();
        let none = |lists: &Arc<Lists>| known.tools_failed && lists.tools.is_empty();
        known.lists.as_ref().is_none_or(none)
    }

    /// Why a running server has no tools, if it could not list them. Recorded, so that it is not
    /// started again only to find that out.
    pub(super) fn missing_tools(&self) -> Option<String> {
        let problem = self.get().problems.into_iter().next().filter(|_| self.lacks_tools())?;
        Some(format!("it runs, but its tools cannot be listed: {problem}"))
    }

    /// Takes a new reading. Returns a publication if the reading differs from what was known, or is
    /// the first complete one.
    pub(super) fn update(&self, reading: ListsReading) -> Option<Publication> {
        let ListsReading { lists, problems, tools_failed, .. } = reading;
        let mut known = self.known.write();
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

    /// Waits until all earlier readings are published.
    pub(super) async fn published(&self) {
        let mut publishing = self.publishing.subscribe();
        // `self` owns the sender, so `wait_for` cannot fail.
        drop(publishing.wait_for(|publishing| *publishing == 0).await);
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read()
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
        assert!(publication.is_some() && !lists.is_unknown() && !lists.is_offered());
        assert!(lists.update(reading("a")).is_none(), "another connection reads the same");
        assert!(lists.published().now_or_never().is_none(), "and clients do not see it yet");
        drop(publication);
        assert!(lists.published().now_or_never().is_some() && lists.is_offered());
    }
}

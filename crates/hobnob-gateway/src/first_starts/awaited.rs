//! The servers whose first start is under way: lists wait until this set is empty for their view.

use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::watch;

/// The servers whose first start is under way, and that lists wait for.
#[derive(Debug)]
pub(super) struct Awaited(watch::Sender<BTreeSet<Arc<str>>>);

impl Default for Awaited {
    fn default() -> Self {
        Self(watch::Sender::new(BTreeSet::new()))
    }
}

impl Awaited {
    pub(super) fn add(&self, name: &str) {
        self.0.send_if_modified(|names| names.insert(name.into()));
    }

    pub(super) fn remove<'a>(&self, done: impl IntoIterator<Item = &'a str>) {
        self.0.send_if_modified(|names| {
            let before = names.len();
            for name in done {
                names.remove(name);
            }
            names.len() < before
        });
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.borrow().contains(name)
    }

    /// Follows the set as it changes.
    pub(super) fn subscribe(&self) -> watch::Receiver<BTreeSet<Arc<str>>> {
        self.0.subscribe()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }
}

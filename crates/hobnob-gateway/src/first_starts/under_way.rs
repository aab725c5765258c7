//! The servers whose first start is under way, and which of them lists wait for.
//!
//! A start that takes too long for a list goes on without anything waiting for it; the entry stays
//! until it ends, so a hub without clients knows that it is still of use.

use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::watch;

/// Whether lists wait for a first start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waited {
    Yes,
    No,
}

/// The servers whose first start is under way.
#[derive(Debug)]
pub(super) struct StartsUnderWay(watch::Sender<BTreeMap<Arc<str>, Waited>>);

impl Default for StartsUnderWay {
    fn default() -> Self {
        Self(watch::Sender::new(BTreeMap::new()))
    }
}

impl StartsUnderWay {
    pub(super) fn add(&self, name: &str, waited: Waited) {
        self.0.send_modify(|starts| _ = starts.insert(name.into(), waited));
    }

    /// Lists stop waiting for these servers; their starts go on.
    pub(super) fn give_up(&self, names: &[Arc<str>]) {
        self.0.send_modify(|starts| {
            for (name, waited) in starts {
                if names.contains(name) {
                    *waited = Waited::No;
                }
            }
        });
    }

    pub(super) fn remove(&self, name: &str) {
        self.0.send_if_modified(|starts| starts.remove(name).is_some());
    }

    pub(super) fn get(&self, name: &str) -> Option<Waited> {
        self.0.borrow().get(name).copied()
    }

    pub(super) fn any_awaited(&self) -> bool {
        self.0.borrow().values().any(|waited| *waited == Waited::Yes)
    }

    /// Watches the starts as they begin, time out and end.
    pub(super) fn subscribe(&self) -> watch::Receiver<BTreeMap<Arc<str>, Waited>> {
        self.0.subscribe()
    }
}

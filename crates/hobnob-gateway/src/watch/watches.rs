//! What is watched, as far as it is remembered between two updates.
//!
//! `updates` acts on it; polls, servers and whoever publishes snapshots report to it.

use crate::watch::pace::Pace;
use crate::watch::polled::PolledResources;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;
use tokio::time::Instant;

/// Resources that are remembered as not reported by their servers.
const MAX_UNREPORTED: usize = 4096;

/// Which watched resources have to be polled, and the signal to update.
pub(crate) struct Watches {
    /// Wakes the task that updates; whoever publishes snapshots notifies it too.
    changed: Arc<Notify>,
    /// Resources whose servers report changes of others but not of them, by public URI.
    unreported: Mutex<BTreeSet<Box<str>>>,
    /// Polls of resources whose servers report nothing, by public URI.
    pub(super) polled: Mutex<PolledResources>,
    /// How often they are read.
    pub(super) pace: Pace,
}

impl Watches {
    /// Updated whenever `changed` is notified.
    pub(crate) fn new(changed: Arc<Notify>) -> Self {
        Self {
            changed,
            unreported: Mutex::default(),
            polled: Mutex::default(),
            pace: Pace::default(),
        }
    }

    /// Returns when there is something to update.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// A server refused to report changes of this one, so it has to be polled.
    pub(crate) fn must_poll(&self, uri: &str) {
        let mut unreported = self.unreported.lock().unwrap_or_else(PoisonError::into_inner);
        if unreported.len() < MAX_UNREPORTED && unreported.insert(uri.into()) {
            self.changed.notify_one();
        }
    }

    /// Whether a server refused to report changes of this one.
    pub(super) fn is_unreported(&self, uri: &str) -> bool {
        self.unreported.lock().unwrap_or_else(PoisonError::into_inner).contains(uri)
    }

    /// A resource was read, so it exists.
    pub(super) fn proved(&self, uri: &str) {
        self.polled.lock().unwrap_or_else(PoisonError::into_inner).proved(uri);
    }

    /// A resource cannot be read, so it is not polled any more.
    pub(super) fn give_up(&self, uri: &str) {
        let mut polled = self.polled.lock().unwrap_or_else(PoisonError::into_inner);
        polled.give_up(uri, Instant::now());
        drop(polled);
        // There is room for another.
        self.notify();
    }

    /// Has everything updated soon.
    pub(crate) fn notify(&self) {
        self.changed.notify_one();
    }
}

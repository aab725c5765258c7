//! The state about watched resources that is kept between two updates.
//!
//! `updates` acts on it; polls, servers and publishers of snapshots report to it.

use crate::watch::pace::Pace;
use crate::watch::polled::PolledResources;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The most resources remembered as not reported by their servers.
const MAX_UNREPORTED: usize = 4096;

/// Which watched resources have to be polled, and the signal to update.
pub(crate) struct Watches {
    /// Wakes the updating task; publishers of snapshots notify it, too.
    changed: Arc<Notify>,
    /// Resources that their servers refuse to report although they report others, by public URI.
    unreported: Mutex<BTreeSet<Box<str>>>,
    /// Polls of unreported resources, by public URI.
    pub(super) polled: Mutex<PolledResources>,
    /// The rate at which servers are read.
    pub(super) pace: Pace,
}

impl Watches {
    /// The state of an updater that `changed` wakes.
    pub(crate) fn new(changed: Arc<Notify>) -> Self {
        Self {
            changed,
            unreported: Mutex::default(),
            polled: Mutex::default(),
            pace: Pace::default(),
        }
    }

    /// Waits until there is something to update.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Records that a server refused to report changes of a resource: it has to be polled.
    pub(crate) fn must_poll(&self, uri: &str) {
        let mut unreported = self.unreported.lock();
        if unreported.len() < MAX_UNREPORTED && unreported.insert(uri.into()) {
            self.changed.notify_one();
        }
    }

    /// Whether a server refused to report changes of this resource.
    pub(super) fn is_unreported(&self, uri: &str) -> bool {
        self.unreported.lock().contains(uri)
    }

    /// Records that a resource was read, so it exists.
    pub(super) fn proved(&self, uri: &str) {
        self.polled.lock().proved(uri);
    }

    /// Records that a resource cannot be read: its poll is over.
    pub(super) fn give_up(&self, uri: &str) {
        let mut polled = self.polled.lock();
        polled.give_up(uri, Instant::now());
        drop(polled);
        // Another resource may take its place.
        self.notify();
    }

    /// Schedules an update of everything.
    pub(crate) fn notify(&self) {
        self.changed.notify_one();
    }
}

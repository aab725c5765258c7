//! What is watched, as far as it is remembered between two updates.
//!
//! The gateway holds one; `update` acts on it and polls report to it.

use crate::watch::pace::Pace;
use crate::watch::polled::PolledResources;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;
use tokio::time::Instant;

/// Resources that are remembered as not reported by their servers.
const MAX_UNREPORTED: usize = 4096;

/// Which watched resources have to be polled, and the signal to update.
#[derive(Default)]
pub(crate) struct Watches {
    pub(super) notify: Notify,
    /// Resources whose servers report changes of others but not of them, by public URI.
    unreported: Mutex<BTreeSet<Box<str>>>,
    /// Polls of resources whose servers report nothing, by public URI.
    pub(super) polled: Mutex<PolledResources>,
    /// How often they are read.
    pub(crate) pace: Pace,
}

impl Watches {
    /// A server refused to report changes of this one, so it has to be polled.
    pub(crate) fn must_poll(&self, uri: &str) {
        let mut unreported = self.unreported.lock().unwrap_or_else(PoisonError::into_inner);
        if unreported.len() < MAX_UNREPORTED && unreported.insert(uri.into()) {
            self.notify.notify_one();
        }
    }

    /// Whether a server refused to report changes of this one.
    pub(super) fn is_unreported(&self, uri: &str) -> bool {
        self.unreported.lock().unwrap_or_else(PoisonError::into_inner).contains(uri)
    }

    /// A resource was read, so it exists.
    pub(crate) fn proved(&self, uri: &str) {
        self.polled.lock().unwrap_or_else(PoisonError::into_inner).proved(uri);
    }

    /// A resource cannot be read, so it is not polled any more.
    pub(crate) fn give_up(&self, uri: &str) {
        let mut polled = self.polled.lock().unwrap_or_else(PoisonError::into_inner);
        polled.give_up(uri, Instant::now());
        drop(polled);
        // There is room for another.
        self.notify();
    }

    /// Has everything updated soon.
    pub(crate) fn notify(&self) {
        self.notify.notify_one();
    }
}

//! What changed in a hub besides calls and servers, so that a page reads it again: a set of kinds.
//!
//! The hub reports changes; the event stream sends them once a second at most.

use serde::Serialize;
use std::sync::atomic::{AtomicU8, Ordering};

/// A kind of data that pages show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageChange {
    /// The memories that assistants keep for their users.
    Memory,
    /// Tasks, their states and dependencies.
    Tasks,
    /// The trees in which conversations are kept.
    Trees,
    /// Lists of tools, resources and prompts.
    Tools,
    /// The lines of the audit log.
    Audit,
    /// The figures about calls that the store keeps.
    Usage,
    /// Rules, grants, tokens, approvals, lasting answers and logins.
    Rules,
    /// How near the hub's limits are.
    Health,
}

impl PageChange {
    const ALL: [Self; 8] = [
        Self::Memory,
        Self::Tasks,
        Self::Trees,
        Self::Tools,
        Self::Audit,
        Self::Usage,
        Self::Rules,
        Self::Health,
    ];

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The kinds that changed since they were last sent.
#[derive(Debug, Default)]
pub(crate) struct PageChanges(AtomicU8);

/// The data of a `changed` event.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ChangedJson {
    pub(crate) what: Vec<PageChange>,
}

impl PageChanges {
    pub(crate) fn add(&self, change: PageChange) {
        self.0.fetch_or(change.bit(), Ordering::Relaxed);
    }

    /// The kinds that changed since the last time, if any.
    pub(crate) fn take(&self) -> Option<ChangedJson> {
        let bits = self.0.swap(0, Ordering::Relaxed);
        let what = PageChange::ALL.into_iter().filter(|change| bits & change.bit() != 0);
        Some(ChangedJson { what: what.collect() }).filter(|_| bits != 0)
    }
}

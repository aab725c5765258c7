//! What happened to each server lately: when it started, was ready, failed and ended, and why.
//!
//! `server`, `start` and `life` add changes; the page of a hub reads them. A server's history
//! outlives its `Upstream`, which every change of its entry replaces. What must stay true: the
//! changes are bounded, for each server and for all together, and their reasons name no secrets.

use crate::upstream::configured::Configured;
use crate::upstream::status::Phase;
use parking_lot::Mutex;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};

/// The most changes and bytes that are kept of one server.
const MAX_CHANGES: usize = 100;
const MAX_BYTES: usize = 64 << 10;

/// Longer reasons are cut: a server may fail with pages of text.
const MAX_REASON_BYTES: usize = 4 << 10;

/// The most servers with a history: those that changed last.
const MAX_SERVERS: usize = 256;

/// One change of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhaseChange {
    /// When the phase began.
    pub at: jiff::Timestamp,
    /// The phase that began.
    pub phase: Phase,
    /// Why, if there is a reason, with secrets concealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Box<str>>,
}

/// The histories of all servers, by name.
#[derive(Default)]
pub(crate) struct ServerHistories(Mutex<BTreeMap<Box<str>, VecDeque<PhaseChange>>>);

impl ServerHistories {
    /// Adds a change with a reason that may name secrets of the server's settings.
    pub(super) fn note(&self, configured: &Configured, phase: Phase, reason: Option<&str>) {
        let reason = reason.map(|reason| configured.conceal(reason));
        self.add(configured.name.as_str(), phase, reason.as_deref());
    }

    /// Adds a change. What differs from the last one in nothing but time is no change.
    pub(crate) fn add(&self, server: &str, phase: Phase, reason: Option<&str>) {
        let change =
            PhaseChange { at: jiff::Timestamp::now(), phase, reason: reason.map(shortened) };
        let mut servers = self.0.lock();
        if !servers.contains_key(server) && MAX_SERVERS <= servers.len() {
            let latest = |changes: &VecDeque<PhaseChange>| changes.back().map(|it| it.at);
            let oldest = servers.iter().min_by_key(|(_, changes)| latest(changes));
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|name| servers.remove(&name));
        }
        let changes = servers.entry(server.into()).or_default();
        let is_same = |last: &PhaseChange| last.phase == phase && last.reason == change.reason;
        if changes.back().is_some_and(is_same) {
            return;
        }
        changes.push_back(change);
        let bytes = |it: &PhaseChange| it.reason.as_deref().map_or(0, str::len);
        let mut kept: usize = changes.iter().map(bytes).sum();
        while MAX_CHANGES < changes.len() || MAX_BYTES < kept {
            kept -= changes.pop_front().as_ref().map_or(0, bytes);
        }
    }

    /// The changes of every server, the oldest first.
    pub(crate) fn all(&self) -> BTreeMap<Box<str>, Vec<PhaseChange>> {
        let servers = self.0.lock();
        let list = |changes: &VecDeque<PhaseChange>| changes.iter().cloned().collect();
        servers.iter().map(|(name, changes)| (name.clone(), list(changes))).collect()
    }

    /// The changes of one server, the oldest first.
    pub(crate) fn of(&self, server: &str) -> Vec<PhaseChange> {
        self.0.lock().get(server).into_iter().flatten().cloned().collect()
    }
}

fn shortened(reason: &str) -> Box<str> {
    if reason.len() <= MAX_REASON_BYTES {
        return reason.into();
    }
    let end = reason.floor_char_boundary(MAX_REASON_BYTES - '…'.len_utf8());
    format!("{}…", &reason[..end]).into()
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, MAX_CHANGES, MAX_SERVERS, ServerHistories};
    use crate::upstream::status::Phase;

    #[test]
    fn changes_are_kept_in_order_and_repetitions_are_none() {
        let histories = ServerHistories::default();
        for phase in [Phase::Starting, Phase::Starting, Phase::Failed, Phase::Starting] {
            histories.add("shop", phase, (phase == Phase::Failed).then_some("no settings"));
        }
        let changes = histories.of("shop");
        let phases: Vec<Phase> = changes.iter().map(|change| change.phase).collect();
        assert_eq!(phases, [Phase::Starting, Phase::Failed, Phase::Starting]);
        assert_eq!(changes[1].reason.as_deref(), Some("no settings"));
        assert_eq!(histories.of("other"), []);
    }

    #[test]
    fn histories_are_bounded() {
        let histories = ServerHistories::default();
        for number in 0..10 * MAX_CHANGES {
            histories.add("busy", Phase::Failed, Some(&format!("failure {number}")));
            histories.add("wordy", Phase::Failed, Some(&format!("{number}{}", "é".repeat(9_000))));
        }
        assert_eq!(histories.of("busy").len(), MAX_CHANGES);
        let wordy = histories.of("wordy");
        let bytes: usize = wordy.iter().filter_map(|it| it.reason.as_deref()).map(str::len).sum();
        assert!(bytes <= MAX_BYTES && 10 < wordy.len(), "{bytes} in {}", wordy.len());
        for number in 0..MAX_SERVERS {
            histories.add(&format!("server {number}"), Phase::Disabled, None);
        }
        assert_eq!(histories.all().len(), MAX_SERVERS);
        assert_eq!(histories.of("busy"), [], "the oldest make room");
    }
}

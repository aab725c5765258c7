//! Which resources are watched, so that a service asks for updates of a resource only while a
//! client wants them.
//!
//! [`ChangeHub`](crate::ChangeHub) owns the table. It counts watches and notifies sinks of the
//! first watcher and of the last one; no two calls to one sink overlap.

use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Weak};

/// Whether a resource is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// The resource has its first watcher.
    Wanted,
    /// The resource has lost its last watcher.
    Unwanted,
}

/// A subscriber to changes of interest. It must never wait.
pub trait InterestSink: Send + Sync {
    /// A resource gained its first watcher or lost its last one. Calls to one sink never overlap,
    /// and the last call for a resource is right; changes in between may be left out.
    fn interest(&self, uri: &str, interest: Interest);
}

/// One watcher of one resource; dropping it ends the watch.
#[derive(Debug)]
pub struct Watch {
    interests: Arc<Interests>,
    uri: Box<str>,
}

impl Watch {
    pub(crate) fn new(interests: &Arc<Interests>, uri: &str) -> Self {
        interests.change(uri, |count| count + 1);
        Self { interests: Arc::clone(interests), uri: uri.into() }
    }

    /// The URI of the resource.
    pub fn uri(&self) -> &str {
        &self.uri
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.interests.change(&self.uri, |count| count.saturating_sub(1));
    }
}

/// All watches, and the sinks that are notified.
#[derive(Default)]
pub(crate) struct Interests(Mutex<Watched>);

#[derive(Default)]
struct Watched {
    counts: HashMap<Box<str>, usize>,
    next: u64,
    sinks: BTreeMap<u64, SinkState>,
}

/// A sink and the state it was last notified of.
struct SinkState {
    sink: Weak<dyn InterestSink>,
    /// The URIs that it was told are [wanted](Interest::Wanted).
    notified: BTreeSet<Box<str>>,
    /// The URIs whose state may differ from the last notification.
    pending: BTreeSet<Box<str>>,
    phase: Phase,
}

/// Whether a thread is calling a sink. Only one may, or an old state could arrive last.
#[derive(PartialEq, Eq)]
enum Phase {
    Idle,
    Notifying,
}

impl Interests {
    pub(crate) fn is_watched(&self, uri: &str) -> bool {
        self.lock().counts.contains_key(uri)
    }

    pub(crate) fn add_sink(&self, sink: Weak<dyn InterestSink>) {
        let mut watched = self.lock();
        let key = watched.next;
        watched.next += 1;
        let pending = watched.counts.keys().cloned().collect();
        let state = SinkState { sink, notified: BTreeSet::new(), pending, phase: Phase::Idle };
        watched.sinks.insert(key, state);
        drop(watched);
        self.notify(key);
    }

    fn change(&self, uri: &str, change: impl FnOnce(usize) -> usize) {
        let mut watched = self.lock();
        let before = watched.counts.get(uri).copied().unwrap_or_default();
        let after = change(before);
        match watched.counts.get_mut(uri) {
            Some(_) if after == 0 => drop(watched.counts.remove(uri)),
            Some(count) => *count = after,
            None => drop(watched.counts.insert(uri.into(), after)),
        }
        if (before == 0) == (after == 0) {
            return;
        }
        for state in watched.sinks.values_mut() {
            state.pending.insert(uri.into());
        }
        let keys: Vec<u64> = watched.sinks.keys().copied().collect();
        drop(watched);
        keys.into_iter().for_each(|key| self.notify(key));
    }

    /// Notifies a sink of everything pending, outside the lock. If another thread is doing that
    /// already, it will find what is pending now as well.
    fn notify(&self, key: u64) {
        if !self.lock().begin(key) {
            return;
        }
        let mut notifying = Notifying { interests: self, key, is_over: false };
        loop {
            // `next_notification` releases the lock before the sink is called, and before `break`.
            let next = self.lock().next_notification(key);
            let Some((sink, uri, interest)) = next else { break };
            sink.interest(&uri, interest);
        }
        notifying.is_over = true;
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.0.lock()
    }
}

impl Watched {
    /// Claims the sink; `true` if the caller must notify it now.
    fn begin(&mut self, key: u64) -> bool {
        match self.sinks.get_mut(&key) {
            Some(state) if state.phase == Phase::Idle => {
                state.phase = Phase::Notifying;
                true
            }
            _ => false,
        }
    }

    /// The next notification for a sink. If there is none, the sink becomes idle under the same
    /// lock, so the thread that adds the next pending URI will claim it.
    fn next_notification(
        &mut self,
        key: u64,
    ) -> Option<(Arc<dyn InterestSink>, Box<str>, Interest)> {
        let Self { counts, sinks, .. } = self;
        let state = sinks.get_mut(&key)?;
        while let Some(uri) = state.pending.pop_first() {
            let interest = match (counts.contains_key(&uri), state.notified.contains(&uri)) {
                (true, false) => {
                    state.notified.insert(uri.clone());
                    Interest::Wanted
                }
                (false, true) => {
                    state.notified.remove(&uri);
                    Interest::Unwanted
                }
                (true, true) | (false, false) => continue,
            };
            let Some(sink) = state.sink.upgrade() else {
                sinks.remove(&key);
                return None;
            };
            return Some((sink, uri, interest));
        }
        state.phase = Phase::Idle;
        None
    }
}

/// Makes a sink idle again if it panics; otherwise no thread could claim it any more.
struct Notifying<'a> {
    interests: &'a Interests,
    key: u64,
    is_over: bool,
}

impl Drop for Notifying<'_> {
    fn drop(&mut self) {
        if !self.is_over
            && let Some(state) = self.interests.lock().sinks.get_mut(&self.key)
        {
            state.phase = Phase::Idle;
        }
    }
}

impl std::fmt::Debug for Interests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Interests({})", self.lock().counts.len())
    }
}

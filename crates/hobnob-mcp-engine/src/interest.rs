//! Which resources anybody watches, so that a service can ask for their updates only while
//! somebody wants them. Reference-counted; sinks hear of the first watcher and of the last.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Whether a resource is watched by anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// It has its first watcher.
    Wanted,
    /// Its last watcher is gone.
    Unwanted,
}

/// Hears which resources are watched; never waits.
pub trait InterestSink: Send + Sync {
    /// Hears of a resource. Calls to one sink never overlap, and the last one for a resource
    /// tells how things are; what came and went in between may be left out.
    fn interest(&self, uri: &str, interest: Interest);
}

/// Somebody's interest in one resource; dropping it lets go.
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

    /// Which resource.
    pub fn uri(&self) -> &str {
        &self.uri
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.interests.change(&self.uri, |count| count.saturating_sub(1));
    }
}

/// All watchers, and who hears of them.
#[derive(Default)]
pub(crate) struct Interests(Mutex<Watched>);

#[derive(Default)]
struct Watched {
    counts: HashMap<Box<str>, usize>,
    next: u64,
    sinks: BTreeMap<u64, Ear>,
}

/// One sink and what it knows.
struct Ear {
    sink: Weak<dyn InterestSink>,
    /// What it was told is wanted.
    told: BTreeSet<Box<str>>,
    /// What may differ from what it was told.
    pending: BTreeSet<Box<str>>,
    phase: Phase,
}

/// Whether somebody is talking to a sink. Only one may, or an old word could come last.
#[derive(PartialEq, Eq)]
enum Phase {
    Quiet,
    Telling,
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
        let ear = Ear { sink, told: BTreeSet::new(), pending, phase: Phase::Quiet };
        watched.sinks.insert(key, ear);
        drop(watched);
        self.tell(key);
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
        for ear in watched.sinks.values_mut() {
            ear.pending.insert(uri.into());
        }
        let keys: Vec<u64> = watched.sinks.keys().copied().collect();
        drop(watched);
        keys.into_iter().for_each(|key| self.tell(key));
    }

    /// Tells a sink all that is pending, outside the lock. If somebody is doing that already,
    /// they will see what is pending now as well.
    fn tell(&self, key: u64) {
        if !self.lock().begin(key) {
            return;
        }
        let mut telling = Telling { interests: self, key, is_over: false };
        loop {
            // The lock is let go before the sink is called, or dropped for good.
            let next = self.lock().next_word(key);
            let Some((sink, uri, interest)) = next else { break };
            sink.interest(&uri, interest);
        }
        telling.is_over = true;
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    /// Whether the caller is the one to talk to this sink now.
    fn begin(&mut self, key: u64) -> bool {
        match self.sinks.get_mut(&key) {
            Some(ear) if ear.phase == Phase::Quiet => {
                ear.phase = Phase::Telling;
                true
            }
            _ => false,
        }
    }

    /// What to tell a sink next. With nothing left it is quiet, before the lock is let go: what
    /// becomes pending afterwards has a new teller.
    fn next_word(&mut self, key: u64) -> Option<(Arc<dyn InterestSink>, Box<str>, Interest)> {
        let Self { counts, sinks, .. } = self;
        let ear = sinks.get_mut(&key)?;
        while let Some(uri) = ear.pending.pop_first() {
            let interest = match (counts.contains_key(&uri), ear.told.contains(&uri)) {
                (true, false) => {
                    ear.told.insert(uri.clone());
                    Interest::Wanted
                }
                (false, true) => {
                    ear.told.remove(&uri);
                    Interest::Unwanted
                }
                (true, true) | (false, false) => continue,
            };
            let Some(sink) = ear.sink.upgrade() else {
                sinks.remove(&key);
                return None;
            };
            return Some((sink, uri, interest));
        }
        ear.phase = Phase::Quiet;
        None
    }
}

/// Somebody talks to a sink. A sink that panics must not be left without a teller for ever.
struct Telling<'a> {
    interests: &'a Interests,
    key: u64,
    is_over: bool,
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        if !self.is_over
            && let Some(ear) = self.interests.lock().sinks.get_mut(&self.key)
        {
            ear.phase = Phase::Quiet;
        }
    }
}

impl std::fmt::Debug for Interests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Interests({})", self.lock().counts.len())
    }
}

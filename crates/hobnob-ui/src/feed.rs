//! The calls that run and the last ones that ended. The gateway reports every call here; the event
//! stream and `/ui/api/state` read them.
//!
//! What must stay true: a report takes one short lock and copies no text of an ordinary call,
//! everything kept is bounded in number and in bytes, and the feed of a principal gets no call of
//! another one.

use crate::observed_call::{CallInProgress, EndedCall, MAX_TEXT_BYTES, shortened};
use crate::server_calls::{CallsSum, ServerCalls, end_of};
use hobnob_gateway::{CallObserver, ObservedCall, ObservedEnd, ObservedProgress};
use jiff::Timestamp;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Weak};
use tokio::sync::Notify;

/// How many running calls are shown. More of them run all the same, and are shown when they end.
const MAX_RUNNING: usize = 2_000;

/// How many ended calls are kept.
pub(crate) const MAX_RECENT: usize = 500;

/// How many calls' progress one frame contains.
const MAX_MOVED: usize = 200;

/// How many calls that begin and end within one frame it contains.
const MAX_BRIEF: usize = 500;

/// The calls of a hub, as its gateway reports them.
#[derive(Default)]
pub struct CallFeed {
    calls: Mutex<FeedCalls>,
    /// Notified when the next frame has a first call.
    pub(crate) has_fresh: Notify,
    /// Notified when a call has come further and pages do not know it yet.
    pub(crate) has_progress: Notify,
}

#[derive(Default)]
struct FeedCalls {
    running: BTreeMap<u64, Arc<ObservedCall>>,
    /// How far running calls have come, where they say so.
    progress: BTreeMap<u64, Arc<ObservedProgress>>,
    recent: VecDeque<EndedCall>,
    /// The calls of each server; `None` while no page watches.
    servers: Option<ServerCalls>,
    /// What happened since the last frame; `None` while no page watches.
    fresh: Option<FreshCalls>,
    /// The feeds of principals, one for each of their sessions.
    principals: Vec<PrincipalFeed>,
}

/// A feed that gets only the calls of one principal.
struct PrincipalFeed {
    principal: Box<str>,
    /// It ends with the session that shows it.
    feed: Weak<CallFeed>,
}

/// What happened since the last frame.
#[derive(Default)]
pub(crate) struct FreshCalls {
    pub(crate) begun: BTreeMap<u64, Arc<ObservedCall>>,
    pub(crate) ended: Vec<EndedCall>,
    /// How many ended calls the frame has no room for.
    pub(crate) dropped: u64,
    /// The running calls that have come further.
    moved: BTreeSet<u64>,
    brief: usize,
}

/// All calls at one moment.
pub(crate) struct CallsNow {
    /// The call that began first comes first.
    pub(crate) running: Vec<CallInProgress>,
    /// The call that ended last comes last.
    pub(crate) recent: Vec<EndedCall>,
}

impl CallFeed {
    /// A feed without calls, for the gateway to report to.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// A feed of this principal's calls alone, which begins with those that are known here.
    pub(crate) fn of_principal(&self, principal: &str) -> Arc<Self> {
        let feed = Self::new();
        let mut calls = self.calls.lock();
        // The name of a call that is kept may be shortened, so only a short name is surely whole.
        let is_own = |call: &ObservedCall| {
            principal.len() + '…'.len_utf8() < MAX_TEXT_BYTES && *call.principal == *principal
        };
        let mut own = feed.calls.lock();
        for (id, call) in calls.running.iter().filter(|(_, call)| is_own(call)) {
            own.running.insert(*id, Arc::clone(call));
            let progress = calls.progress.get(id).map(Arc::clone);
            own.progress.extend(progress.map(|progress| (*id, progress)));
        }
        own.recent = calls.recent.iter().filter(|ended| is_own(&ended.call)).cloned().collect();
        drop(own);
        calls.principals.retain(|known| 0 < known.feed.strong_count());
        let known = PrincipalFeed { principal: principal.into(), feed: Arc::downgrade(&feed) };
        calls.principals.push(known);
        feed
    }

    /// Whether a call of this feed runs.
    pub(crate) fn is_running(&self, id: u64) -> bool {
        self.calls.lock().running.contains_key(&id)
    }

    /// Collects calls for frames from now on.
    pub(crate) fn watch(&self) {
        let mut calls = self.calls.lock();
        calls.fresh.get_or_insert_default();
        if calls.servers.is_none() {
            // Calls that ended before the oldest one here are unknown, if there were any.
            let is_full = MAX_RECENT <= calls.recent.len();
            let since = calls.recent.front().filter(|_| is_full).map(end_of);
            calls.servers = Some(ServerCalls::new(calls.recent.iter(), since));
        }
    }

    /// Collects no more calls for frames.
    pub(crate) fn unwatch(&self) {
        let mut calls = self.calls.lock();
        calls.fresh = None;
        calls.servers = None;
    }

    /// What happened since the last frame; nothing if nothing did.
    pub(crate) fn take_fresh(&self) -> Option<FreshCalls> {
        self.calls.lock().take_fresh()
    }

    /// How far calls have come that moved since the last time, as many as fit in a frame. The others
    /// follow with the next one.
    pub(crate) fn take_progress(&self) -> Vec<(u64, Arc<ObservedProgress>)> {
        let mut calls = self.calls.lock();
        let FeedCalls { fresh: Some(fresh), progress, .. } = &mut *calls else { return Vec::new() };
        let mut taken = Vec::new();
        while taken.len() < MAX_MOVED
            && let Some(id) = fresh.moved.pop_first()
        {
            taken.extend(progress.get(&id).map(|progress| (id, Arc::clone(progress))));
        }
        if !fresh.moved.is_empty() {
            self.has_progress.notify_one();
        }
        taken
    }

    /// The calls of each server in the last quarter of an hour, and from when on they are counted if
    /// that is later.
    pub(crate) fn server_calls(
        &self,
        now: Timestamp,
    ) -> (BTreeMap<Box<str>, CallsSum>, Option<Timestamp>) {
        let calls = self.calls.lock();
        let servers = calls.servers.as_ref();
        servers.map_or_else(Default::default, |them| (them.sums(now), them.since(now)))
    }

    /// What happened since the last frame, and all calls as they are after it.
    pub(crate) fn take_all(&self) -> (Option<FreshCalls>, CallsNow) {
        let mut calls = self.calls.lock();
        let fresh = calls.take_fresh();
        let running = calls.running.values().map(|call| CallInProgress {
            call: Arc::clone(call),
            progress: calls.progress.get(&call.id).cloned(),
        });
        let running = running.collect();
        (fresh, CallsNow { running, recent: calls.recent.iter().cloned().collect() })
    }
}

impl FeedCalls {
    /// Reports to the feeds of a call's principal. They are locked while this one is, never the other
    /// way round, so that a new feed misses nothing and gets nothing twice.
    fn report_to_principal(&self, call: &ObservedCall, report: impl Fn(&CallFeed)) {
        for known in &self.principals {
            if known.principal == call.principal
                && let Some(feed) = known.feed.upgrade()
            {
                report(&feed);
            }
        }
    }

    fn take_fresh(&mut self) -> Option<FreshCalls> {
        let fresh = self.fresh.as_mut().filter(|fresh| !fresh.is_empty())?;
        // Progress has frames of its own.
        let moved = std::mem::take(&mut fresh.moved);
        let taken = std::mem::take(fresh);
        fresh.moved = moved;
        Some(taken)
    }
}

impl FreshCalls {
    fn is_empty(&self) -> bool {
        self.begun.is_empty() && self.ended.is_empty() && self.dropped == 0
    }

    /// A call that pages show as running must end there, so only others are ever left out.
    fn end(&mut self, ended: EndedCall, was_running: bool) {
        let is_shown = was_running && self.begun.remove(&ended.call.id).is_none();
        if is_shown {
            self.ended.push(ended);
        } else if self.brief < MAX_BRIEF {
            self.brief += 1;
            self.ended.push(ended);
        } else {
            self.dropped += 1;
        }
    }
}

impl CallObserver for CallFeed {
    fn begun(&self, call: &Arc<ObservedCall>) {
        let mut calls = self.calls.lock();
        calls.report_to_principal(call, |feed| feed.begun(call));
        let call = shortened(call);
        if MAX_RUNNING <= calls.running.len() {
            return;
        }
        let mut is_first = false;
        if let Some(fresh) = &mut calls.fresh {
            is_first = fresh.is_empty();
            fresh.begun.insert(call.id, Arc::clone(&call));
        }
        calls.running.insert(call.id, call);
        drop(calls);
        if is_first {
            self.has_fresh.notify_one();
        }
    }

    fn ended(&self, call: &Arc<ObservedCall>, end: &ObservedEnd) {
        let mut calls = self.calls.lock();
        calls.report_to_principal(call, |feed| feed.ended(call, end));
        // The same allocation as the gateway's, unless it had to be shortened.
        let known = calls.running.remove(&call.id);
        if !calls.progress.is_empty() {
            calls.progress.remove(&call.id);
        }
        let was_running = known.is_some();
        let ended = EndedCall { call: known.unwrap_or_else(|| shortened(call)), end: *end };
        let mut is_first = false;
        if let Some(fresh) = &mut calls.fresh {
            is_first = fresh.is_empty();
            fresh.end(ended.clone(), was_running);
        }
        if let Some(servers) = &mut calls.servers {
            servers.add(&ended);
        }
        let oldest = (MAX_RECENT <= calls.recent.len()).then(|| calls.recent.pop_front());
        calls.recent.push_back(ended);
        drop(calls);
        // Its last reference may be this one, and memory is freed outside the lock.
        drop(oldest);
        if is_first {
            self.has_fresh.notify_one();
        }
    }

    fn progressed(&self, call: &Arc<ObservedCall>, progress: ObservedProgress) {
        let mut calls = self.calls.lock();
        calls.report_to_principal(call, |feed| feed.progressed(call, progress.clone()));
        // A call that has ended may still say something, and one that is not shown needs nothing.
        if !calls.running.contains_key(&call.id) {
            return;
        }
        calls.progress.insert(call.id, Arc::new(progress));
        let is_first = calls.fresh.as_mut().is_some_and(|fresh| {
            let was_empty = fresh.moved.is_empty();
            fresh.moved.insert(call.id);
            was_empty
        });
        drop(calls);
        if is_first {
            self.has_progress.notify_one();
        }
    }
}

impl fmt::Debug for CallFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallFeed")
    }
}

//! The calls that run and the last ones that ended. The gateway reports every call here; the event
//! stream and `/ui/api/state` read them.
//!
//! What must stay true: a report takes one short lock and copies no text of an ordinary call, and
//! everything kept is bounded in number and in bytes.

use crate::observed_call::{EndedCall, shortened};
use hobnob_gateway::{CallObserver, ObservedCall, ObservedEnd};
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use tokio::sync::Notify;

/// How many running calls are shown. More of them run all the same, and are shown when they end.
const MAX_RUNNING: usize = 2_000;

/// How many ended calls are kept.
pub(crate) const MAX_RECENT: usize = 500;

/// How many calls that begin and end within one frame it contains.
const MAX_BRIEF: usize = 500;

/// The calls of a hub, as its gateway reports them.
#[derive(Default)]
pub struct CallFeed {
    calls: Mutex<FeedCalls>,
    /// Notified when the next frame has a first call.
    pub(crate) has_fresh: Notify,
}

#[derive(Default)]
struct FeedCalls {
    running: BTreeMap<u64, Arc<ObservedCall>>,
    recent: VecDeque<EndedCall>,
    /// What happened since the last frame; `None` while no page watches.
    fresh: Option<FreshCalls>,
}

/// What happened since the last frame.
#[derive(Default)]
pub(crate) struct FreshCalls {
    pub(crate) begun: BTreeMap<u64, Arc<ObservedCall>>,
    pub(crate) ended: Vec<EndedCall>,
    /// How many ended calls the frame has no room for.
    pub(crate) dropped: u64,
    brief: usize,
}

/// All calls at one moment.
pub(crate) struct CallsNow {
    /// The call that began first comes first.
    pub(crate) running: Vec<Arc<ObservedCall>>,
    /// The call that ended last comes last.
    pub(crate) recent: Vec<EndedCall>,
}

impl CallFeed {
    /// A feed without calls, for the gateway to report to.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Collects calls for frames from now on.
    pub(crate) fn watch(&self) {
        self.calls.lock().fresh.get_or_insert_default();
    }

    /// Collects no more calls for frames.
    pub(crate) fn unwatch(&self) {
        self.calls.lock().fresh = None;
    }

    /// What happened since the last frame; nothing if nothing did.
    pub(crate) fn take_fresh(&self) -> Option<FreshCalls> {
        self.calls.lock().take_fresh()
    }

    /// What happened since the last frame, and all calls as they are after it.
    pub(crate) fn take_all(&self) -> (Option<FreshCalls>, CallsNow) {
        let mut calls = self.calls.lock();
        let fresh = calls.take_fresh();
        let running = calls.running.values().cloned().collect();
        (fresh, CallsNow { running, recent: calls.recent.iter().cloned().collect() })
    }
}

impl FeedCalls {
    fn take_fresh(&mut self) -> Option<FreshCalls> {
        self.fresh.as_mut().filter(|fresh| !fresh.is_empty()).map(std::mem::take)
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
        let call = shortened(call);
        let mut calls = self.calls.lock();
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
        // The same allocation as the gateway's, unless it had to be shortened.
        let known = calls.running.remove(&call.id);
        let was_running = known.is_some();
        let ended = EndedCall { call: known.unwrap_or_else(|| shortened(call)), end: *end };
        let mut is_first = false;
        if let Some(fresh) = &mut calls.fresh {
            is_first = fresh.is_empty();
            fresh.end(ended.clone(), was_running);
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
}

impl fmt::Debug for CallFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallFeed")
    }
}

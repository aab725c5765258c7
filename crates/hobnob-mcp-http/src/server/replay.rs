//! The events of streams, stored so that a client can resume them. Each stream owns its
//! [`ReplayLog`]; the streams of all sessions share one [`Replay`] account of their bytes.
//!
//! What must stay true: the account exceeds its limit for no longer than one `push`. Ended streams
//! are dropped first, oldest first: their clients have most likely read them, although the last
//! events may still be lost on the way.

use crate::server::options::SessionLimits;
use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

#[cfg(test)]
mod tests;

/// The account of all streams.
#[derive(Debug)]
pub(crate) struct Replay {
    max_bytes: usize,
    bytes: AtomicUsize,
    ended: Mutex<Ended>,
}

/// The streams that have ended, in that order.
#[derive(Debug, Default)]
struct Ended {
    next: u64,
    streams: BTreeMap<u64, Weak<Mutex<Events>>>,
}

impl Replay {
    pub(crate) fn new(max_bytes: usize) -> Arc<Self> {
        Arc::new(Self { max_bytes, bytes: AtomicUsize::new(0), ended: Mutex::default() })
    }

    fn is_above_limit(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > self.max_bytes
    }

    /// Drops the events of ended streams until the account is within its limit.
    fn forget_ended(&self) {
        while self.is_above_limit() {
            let oldest = self.ended.lock().streams.pop_first();
            let Some((_, oldest)) = oldest else { return };
            if let Some(events) = oldest.upgrade() {
                events.lock().clear();
            }
        }
    }
}

/// The newest events of one stream.
#[derive(Debug)]
pub(crate) struct ReplayLog {
    events: Arc<Mutex<Events>>,
    replay: Arc<Replay>,
}

#[derive(Debug)]
struct Events {
    /// Oldest first, each with its number.
    queue: VecDeque<(u64, Bytes)>,
    bytes: usize,
    /// The number of the newest event that was dropped.
    forgotten: Option<u64>,
    replay: Arc<Replay>,
    /// The position among the ended streams.
    place: Option<u64>,
}

impl ReplayLog {
    pub(crate) fn new(replay: &Arc<Replay>) -> Self {
        let replay = Arc::clone(replay);
        let queue = VecDeque::new();
        let replay_of_events = Arc::clone(&replay);
        let events =
            Events { queue, bytes: 0, forgotten: None, replay: replay_of_events, place: None };
        Self { events: Arc::new(Mutex::new(events)), replay }
    }

    /// Stores an event; drops the oldest ones beyond the limits.
    pub(crate) fn push(&self, number: u64, event: Bytes, limits: &SessionLimits) {
        let mut events = self.events.lock();
        events.push(number, event);
        while events.queue.len() > limits.events || events.bytes > limits.event_bytes {
            events.pop();
        }
        drop(events);
        self.replay.forget_ended();
        let mut events = self.events.lock();
        // The rest belongs to streams that still run, so this stream drops its own events.
        while self.replay.is_above_limit() && events.pop() {}
    }

    /// The events after that number, if it is one of this stream and all of them are still stored.
    /// Numbers grow, but may have gaps, which are the events of other streams.
    pub(crate) fn after(&self, number: u64) -> Option<Bytes> {
        let events = self.events.lock();
        let is_here = events.queue.binary_search_by_key(&number, |(number, _)| *number).is_ok();
        if !is_here && events.forgotten != Some(number) {
            return None;
        }
        let mut all = BytesMut::new();
        for (_, event) in events.queue.iter().filter(|(later, _)| *later > number) {
            all.extend_from_slice(event);
        }
        Some(all.freeze())
    }

    /// No event will follow, so this log may be dropped before those that still run.
    pub(crate) fn end(&self) {
        let mut ended = self.replay.ended.lock();
        let place = ended.next;
        ended.next += 1;
        ended.streams.insert(place, Arc::downgrade(&self.events));
        drop(ended);
        self.events.lock().place = Some(place);
    }

    /// Drops all events, since the client has them.
    pub(crate) fn clear(&self) {
        self.events.lock().clear();
    }
}

impl Events {
    fn push(&mut self, number: u64, event: Bytes) {
        self.bytes += event.len();
        self.replay.bytes.fetch_add(event.len(), Ordering::Relaxed);
        self.queue.push_back((number, event));
    }

    /// Drops the oldest event; returns whether there was one.
    fn pop(&mut self) -> bool {
        let Some((number, oldest)) = self.queue.pop_front() else { return false };
        self.forgotten = Some(number);
        self.bytes -= oldest.len();
        self.replay.bytes.fetch_sub(oldest.len(), Ordering::Relaxed);
        true
    }

    fn clear(&mut self) {
        self.replay.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        self.bytes = 0;
        if let Some((newest, _)) = self.queue.back() {
            self.forgotten = Some(*newest);
        }
        // This frees the capacity too.
        self.queue = VecDeque::new();
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.clear();
        if let Some(place) = self.place {
            self.replay.ended.lock().streams.remove(&place);
        }
    }
}

//! The frames of a hub's page, and who reads them. The routes open streams here, and the publisher
//! adds frames.
//!
//! What must stay true: nothing is collected while no page watches, and a state and the frames after
//! it contain each call once.

use super::frame_log::{FrameLog, MAX_BYTES, NextFrame};
use crate::feed::{CallFeed, CallsNow, FreshCalls};
use crate::hub_state::StateSource;
use crate::observed_call::{EndedCallJson, MovedCallJson, RunningCallJson};
use crate::page_change::{PageChange, PageChanges};
use crate::page_use::PageUses;
use parking_lot::Mutex;
use serde::Serialize;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How many pages of the owner may watch at the same time.
pub(crate) const MAX_STREAMS: usize = 16;

/// How much one set of frames may take.
#[derive(Clone, Copy)]
pub(crate) struct EventLimits {
    /// How many pages may watch at the same time.
    pub(crate) streams: usize,
    /// How many bytes of frames are kept.
    pub(crate) bytes: usize,
}

impl EventLimits {
    /// Those of the owner's pages.
    pub(crate) const OWNER: Self = Self { streams: MAX_STREAMS, bytes: MAX_BYTES };
}

/// The frames of a hub's page for the owner, or for one session of a principal, and who reads them.
pub(crate) struct PageEvents {
    pub(super) feed: Arc<CallFeed>,
    pub(crate) source: StateSource,
    max_streams: usize,
    pub(crate) changes: PageChanges,
    /// Held while calls are moved from the feed into a frame, so that frames keep their order.
    log: Mutex<FrameLog>,
    /// The id of the newest frame.
    pub(super) newest: watch::Sender<u64>,
    pub(crate) uses: PageUses,
    pub(super) stop: CancellationToken,
}

/// All calls, and the id of the frame up to which they include everything.
pub(crate) struct CallsAt {
    pub(crate) id: u64,
    pub(crate) now: CallsNow,
}

/// All streams that may be open are.
#[derive(Debug)]
pub(crate) struct TooManyStreams;

/// The data of a `calls` event.
#[derive(Serialize)]
struct CallsJson<'a> {
    begun: Vec<RunningCallJson<'a>>,
    ended: Vec<EndedCallJson<'a>>,
    dropped: u64,
}

/// An open stream is counted until this is dropped.
pub(super) struct CountedStream(pub(super) Arc<PageEvents>);

impl PageEvents {
    pub(crate) fn new(
        feed: Arc<CallFeed>,
        source: StateSource,
        limits: EventLimits,
        stop: CancellationToken,
    ) -> Self {
        // A page that was open while another process was the hub asks for an id of the past.
        let first = u64::try_from(jiff::Timestamp::now().as_microsecond()).unwrap_or_default();
        Self {
            feed,
            source,
            max_streams: limits.streams,
            changes: PageChanges::default(),
            log: Mutex::new(FrameLog::new(first, limits.bytes)),
            newest: watch::Sender::new(first),
            uses: PageUses::new(),
            stop,
        }
    }

    /// Counts one more stream, and collects calls for it.
    pub(super) fn count_stream(self: &Arc<Self>) -> Result<CountedStream, TooManyStreams> {
        // Under this lock, the publisher cannot stop the collection between the two steps.
        let _log = self.log.lock();
        if !self.uses.add_stream(self.max_streams) {
            return Err(TooManyStreams);
        }
        self.feed.watch();
        Ok(CountedStream(Arc::clone(self)))
    }

    /// All calls now. What no frame had yet goes into one before.
    pub(crate) fn calls_now(&self) -> CallsAt {
        let mut log = self.log.lock();
        let (fresh, now) = self.feed.take_all();
        self.push_fresh(&mut log, fresh);
        CallsAt { id: log.last(), now }
    }

    /// Makes a frame of the calls that no frame has yet.
    pub(super) fn publish_fresh(&self) {
        let mut log = self.log.lock();
        let fresh = self.feed.take_fresh();
        self.push_fresh(&mut log, fresh);
    }

    /// Makes a frame of how far calls have come.
    pub(super) fn publish_progress(&self) {
        let mut log = self.log.lock();
        let moved = self.feed.take_progress();
        if moved.is_empty() {
            return;
        }
        // Pages know of a call before they learn how far it has come.
        let fresh = self.feed.take_fresh();
        self.push_fresh(&mut log, fresh);
        let moved: Vec<MovedCallJson<'_>> = moved.iter().map(MovedCallJson::new).collect();
        log.push("progress", &moved);
        self.newest.send_replace(log.last());
    }

    fn push_fresh(&self, log: &mut FrameLog, fresh: Option<FreshCalls>) {
        let Some(FreshCalls { begun, ended, dropped, .. }) = fresh else { return };
        if !ended.is_empty() {
            // Every call that ends adds a line to the log.
            self.changes.add(PageChange::Audit);
            if self.source.is_of_principal() {
                // One principal's figures are read quickly, however often they change.
                self.changes.add(PageChange::Usage);
            }
        }
        let calls = CallsJson {
            begun: begun.values().map(RunningCallJson::from).collect(),
            ended: ended.iter().map(EndedCallJson::from).collect(),
            dropped,
        };
        log.push("calls", &calls);
        self.newest.send_replace(log.last());
    }

    pub(super) fn push(&self, event: &str, data: &impl Serialize) {
        let mut log = self.log.lock();
        log.push(event, data);
        self.newest.send_replace(log.last());
    }

    /// Collects no more if no page watches; `false` if one does.
    pub(super) fn rest(&self) -> bool {
        let mut log = self.log.lock();
        if 0 < self.uses.streams() {
            return false;
        }
        self.feed.unwatch();
        log.forget();
        true
    }

    pub(super) fn after(&self, id: u64) -> NextFrame {
        self.log.lock().after(id)
    }
}

impl Drop for CountedStream {
    fn drop(&mut self) {
        self.0.uses.remove_stream();
    }
}

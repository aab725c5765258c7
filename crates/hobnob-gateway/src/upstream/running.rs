//! One connection to an upstream that is up, and how it has done so far.
//!
//! `Upstream` hands it to whoever calls; a task of its own looks after it until it ends.

use crate::permitted::GuardedRemote;
use crate::upstream::connection_state::ConnectionState;
use hobnob_mcp_client::Remote;
use hobnob_mcp_process::child::StderrLog;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A greeted server. Its process, if it has one, is owned by the task that looks after it.
#[derive(Debug)]
pub(crate) struct Running {
    /// For lists, watches and the end of the connection; calls go through `calls`.
    pub(super) remote: Arc<Remote>,
    pub(crate) calls: GuardedRemote,
    pub(crate) state: Arc<ConnectionState>,
    pub(crate) pid: Option<u32>,
    pub(crate) stderr: Option<Arc<StderrLog>>,
    pub(crate) started: Instant,
    /// Milliseconds after the start when it was last used.
    used_ms: AtomicU64,
    /// Whether it has answered a call, so that its death is not a failure to live.
    proved: AtomicBool,
    /// Whether it was taken out of service.
    discarded: AtomicBool,
    /// Calls in a row that got no answer in time.
    timeouts: AtomicU64,
    /// Whether watched resources keep it from sleeping.
    watching: AtomicBool,
    /// Cancelled to end it; its task does the rest.
    pub(crate) stop: CancellationToken,
    /// Cancelled when nothing of it is left.
    pub(super) closed: CancellationToken,
}

impl Running {
    pub(crate) fn new(
        server: &str,
        remote: Arc<Remote>,
        state: Arc<ConnectionState>,
        pid: Option<u32>,
        stderr: Option<Arc<StderrLog>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            calls: GuardedRemote::new(server, Arc::clone(&remote)),
            remote,
            state,
            pid,
            stderr,
            started: Instant::now(),
            used_ms: AtomicU64::new(0),
            proved: AtomicBool::new(false),
            discarded: AtomicBool::new(false),
            timeouts: AtomicU64::new(0),
            watching: AtomicBool::new(false),
            stop: CancellationToken::new(),
            closed: CancellationToken::new(),
        })
    }

    /// Whether the server says when a resource changes.
    pub(crate) fn can_subscribe(&self) -> bool {
        self.remote.can_subscribe()
    }

    /// Somebody uses it now: its idle time starts anew.
    pub(crate) fn touch(&self) {
        let since = self.started.elapsed().as_millis();
        self.used_ms.store(u64::try_from(since).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// How long nobody has used it; nothing while it is in use.
    pub(crate) fn idle_for(&self) -> Option<Duration> {
        let busy = self.remote.parked() > 0 || self.watching.load(Ordering::Relaxed);
        if busy || self.in_flight() > 0 {
            return None;
        }
        let used = Duration::from_millis(self.used_ms.load(Ordering::Relaxed));
        Some(self.started.elapsed().saturating_sub(used))
    }

    /// Requests under way, calls that wait for an answer to a question included.
    pub(crate) fn in_flight(&self) -> usize {
        self.remote.in_flight()
    }

    /// Subscribes to these resources and to no others. As long as there are any, it is not idle.
    pub(super) fn watch(&self, uris: &BTreeSet<Box<str>>) {
        self.watching.store(!uris.is_empty(), Ordering::Relaxed);
        self.remote.watch(uris.clone());
    }

    /// A call got no answer in time; returns how many in a row by now.
    pub(crate) fn record_timeout(&self) -> u64 {
        self.timeouts.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many calls in a row got no answer in time.
    pub(crate) fn timeouts(&self) -> u64 {
        self.timeouts.load(Ordering::Relaxed)
    }

    /// It answered a call; returns whether that was the first time.
    pub(crate) fn record_answer(&self) -> bool {
        self.timeouts.store(0, Ordering::Relaxed);
        !self.proved.load(Ordering::Relaxed) && !self.proved.swap(true, Ordering::Relaxed)
    }

    /// Takes it out of service; returns whether it was in service until now.
    pub(crate) fn discard(&self) -> bool {
        !self.discarded.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn is_usable(&self) -> bool {
        !self.discarded.load(Ordering::Acquire) && self.remote.ended_because().is_none()
    }
}

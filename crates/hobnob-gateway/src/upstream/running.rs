//! One connection to an upstream that is up, with its usage and its state.
//!
//! `Connections` hands it to callers; the connection's own task supervises it until it ends.

use crate::permitted::GuardedRemote;
use crate::upstream::configured::Configured;
use crate::upstream::connection_state::ConnectionState;
use hobnob_mcp_client::Remote;
use hobnob_mcp_process::child::{Child, StderrLog};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long calls on a replaced connection may still run, and how often that is checked.
const MAX_DRAIN: Duration = Duration::from_secs(60);
const DRAIN_POLL: Duration = Duration::from_millis(50);

/// A greeted server. The task that supervises it owns its process, if it has one.
#[derive(Debug)]
pub(crate) struct Running {
    /// Lists, watches and closes the connection; calls go through `calls`.
    pub(super) remote: Arc<Remote>,
    pub(crate) calls: GuardedRemote,
    pub(crate) state: Arc<ConnectionState>,
    /// The configuration that it was started with.
    configured: Arc<Configured>,
    pub(crate) pid: Option<u32>,
    pub(crate) stderr: Option<Arc<StderrLog>>,
    pub(crate) started: Instant,
    /// When it was last used, in milliseconds after its start.
    used_ms: AtomicU64,
    /// Whether it has answered a call.
    proved: AtomicBool,
    /// Whether it was taken out of service.
    discarded: AtomicBool,
    /// How many calls in a row timed out.
    timeouts: AtomicU64,
    /// Whether watched resources keep it from counting as idle.
    watching: AtomicBool,
    /// Cancelled to end the connection; its task does the rest.
    pub(crate) stop: CancellationToken,
    /// Cancelled once the connection is closed and its process is gone.
    pub(super) closed: CancellationToken,
}

impl Running {
    pub(crate) fn new(
        configured: Arc<Configured>,
        remote: Arc<Remote>,
        state: Arc<ConnectionState>,
        child: Option<&Child>,
    ) -> Arc<Self> {
        Arc::new(Self {
            calls: GuardedRemote::new(configured.name.as_str(), Arc::clone(&remote)),
            remote,
            state,
            configured,
            pid: child.map(Child::pid),
            stderr: child.map(Child::stderr),
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

    /// Whether the server reports changes of resources.
    pub(crate) fn can_subscribe(&self) -> bool {
        self.remote.can_subscribe()
    }

    /// Marks the connection as used now: its idle time starts anew.
    pub(crate) fn touch(&self) {
        let since = self.started.elapsed().as_millis();
        self.used_ms.store(u64::try_from(since).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// How long it has been idle; `None` while it is in use.
    pub(crate) fn idle_for(&self) -> Option<Duration> {
        let busy = self.remote.parked() > 0 || self.watching.load(Ordering::Relaxed);
        if busy || self.in_flight() > 0 {
            return None;
        }
        let used = Duration::from_millis(self.used_ms.load(Ordering::Relaxed));
        Some(self.started.elapsed().saturating_sub(used))
    }

    /// The number of requests under way, including calls that wait for an answer to a question.
    pub(crate) fn in_flight(&self) -> usize {
        self.remote.in_flight()
    }

    /// Subscribes to exactly these resources. While there are any, the connection is not idle.
    pub(super) fn watch(&self, uris: &BTreeSet<Box<str>>) {
        self.watching.store(!uris.is_empty(), Ordering::Relaxed);
        self.remote.watch(uris.clone());
    }

    /// Records a timeout; returns the number of timeouts in a row.
    pub(crate) fn record_timeout(&self) -> u64 {
        self.timeouts.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many calls in a row timed out.
    pub(crate) fn timeouts(&self) -> u64 {
        self.timeouts.load(Ordering::Relaxed)
    }

    /// Records an answered call; returns whether it was the first.
    pub(crate) fn record_answer(&self) -> bool {
        self.timeouts.store(0, Ordering::Relaxed);
        !self.proved.load(Ordering::Relaxed) && !self.proved.swap(true, Ordering::Relaxed)
    }

    /// Takes it out of service; returns whether it was in service until now.
    pub(crate) fn discard(&self) -> bool {
        !self.discarded.swap(true, Ordering::AcqRel)
    }

    /// Why it ended, with the values of its entry's variables concealed.
    pub(super) fn end_reason(&self) -> String {
        let why = self.remote.ended_because();
        self.configured.conceal(&why.unwrap_or_else(|| self.state.end_reason().into()))
    }

    /// Ends it once its calls have finished, at the latest after [`MAX_DRAIN`].
    pub(crate) async fn stop_gently(self: Arc<Self>) {
        let idle = async {
            while self.in_flight() > 0 || self.remote.parked() > 0 {
                tokio::time::sleep(DRAIN_POLL).await;
            }
        };
        let _late = tokio::time::timeout(MAX_DRAIN, idle).await;
        self.stop.cancel();
    }

    pub(crate) fn is_usable(&self) -> bool {
        !self.discarded.load(Ordering::Acquire) && self.remote.ended_because().is_none()
    }
}

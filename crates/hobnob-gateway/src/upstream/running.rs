//! One connection to an upstream that is up, and what is known of it.

use crate::permitted::GuardedRemote;
use crate::upstream::host::Hearing;
use hobnob_mcp_client::Remote;
use hobnob_mcp_transport::child::StderrLog;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A greeted server. Its process, if it has one, is minded by a task of its own.
#[derive(Debug)]
pub(crate) struct Running {
    /// For lists, watches and the end of the connection; calls go through `calls`.
    pub(super) remote: Arc<Remote>,
    pub(crate) calls: GuardedRemote,
    pub(crate) hearing: Arc<Hearing>,
    pub(crate) pid: Option<u32>,
    pub(crate) stderr: Option<Arc<StderrLog>>,
    pub(crate) started: Instant,
    /// Milliseconds after the start when it was last used.
    used_ms: AtomicU64,
    /// Whether it has answered a call, so that its death is not a failure to live.
    proved: AtomicBool,
    /// Whether it was taken out of service.
    buried: AtomicBool,
    /// Calls in a row that got no answer in time.
    late: AtomicU64,
    /// Whether watched resources keep it from sleeping.
    watching: AtomicBool,
    /// Tells its minder to end it.
    pub(crate) stop: CancellationToken,
}

impl Running {
    pub(crate) fn new(
        server: &str,
        remote: Arc<Remote>,
        hearing: Arc<Hearing>,
        pid: Option<u32>,
        stderr: Option<Arc<StderrLog>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            calls: GuardedRemote::new(server, Arc::clone(&remote)),
            remote,
            hearing,
            pid,
            stderr,
            started: Instant::now(),
            used_ms: AtomicU64::new(0),
            proved: AtomicBool::new(false),
            buried: AtomicBool::new(false),
            late: AtomicU64::new(0),
            watching: AtomicBool::new(false),
            stop: CancellationToken::new(),
        })
    }

    /// Whether the server says when a resource changes.
    pub(crate) fn can_subscribe(&self) -> bool {
        self.remote.can_subscribe()
    }

    /// Somebody uses it now.
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

    /// Calls under way.
    pub(crate) fn in_flight(&self) -> usize {
        self.remote.in_flight()
    }

    pub(crate) fn keep_awake(&self, watching: bool) {
        self.watching.store(watching, Ordering::Relaxed);
    }

    /// A call got no answer in time; how many in a row by now.
    pub(crate) fn late(&self) -> u64 {
        self.late.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many calls in a row got none.
    pub(crate) fn lateness(&self) -> u64 {
        self.late.load(Ordering::Relaxed)
    }

    /// It answered; true the first time.
    pub(crate) fn prove(&self) -> bool {
        self.late.store(0, Ordering::Relaxed);
        !self.proved.load(Ordering::Relaxed) && !self.proved.swap(true, Ordering::Relaxed)
    }

    /// Takes it out of service; true for the one who does.
    pub(crate) fn bury(&self) -> bool {
        !self.buried.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn is_usable(&self) -> bool {
        !self.buried.load(Ordering::Acquire) && self.remote.ended_because().is_none()
    }
}

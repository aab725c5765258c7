//! The pool's idle runners: how many there may be, and for how long.
//!
//! [`pool`](super::pool) takes them from here, and a [`ProcessTree`](super::ProcessTree) puts its
//! runner back once its command has ended.

use super::exchange::RunnerProcess;
use super::spec::RunnerSpec;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// The idle runners, which a pool shares with its commands.
#[derive(Debug)]
pub(super) struct WaitingRunners {
    idle: usize,
    idle_time: Duration,
    waiting: Mutex<Vec<WaitingRunner>>,
    /// Notified when a runner begins to wait.
    changed: Notify,
}

#[derive(Debug)]
struct WaitingRunner {
    runner: RunnerProcess,
    until: Instant,
}

impl WaitingRunners {
    /// No runners yet; later at most `idle` of them, each for `idle_time`.
    pub(super) fn new(idle: usize, idle_time: Duration) -> Self {
        Self { idle, idle_time, waiting: Mutex::default(), changed: Notify::new() }
    }

    /// Adds a runner whose command has ended.
    pub(super) fn put_back(&self, runner: RunnerProcess) {
        let until = Instant::now() + self.idle_time;
        let mut waiting = self.lock();
        waiting.push(WaitingRunner { runner, until });
        // The runner that has waited longest ends.
        let surplus = waiting.len().saturating_sub(self.idle);
        let gone: Vec<_> = waiting.drain(..surplus).collect();
        drop(waiting);
        drop(gone);
        self.changed.notify_one();
    }

    /// The process numbers of the runners that wait now.
    pub(super) fn pids(&self) -> Vec<u32> {
        self.lock().iter().map(|waiting| waiting.runner.pid()).collect()
    }

    /// The runner that was used last: it is most likely still in the CPU caches.
    pub(super) fn take(&self, spec: &RunnerSpec) -> Option<RunnerProcess> {
        let mut waiting = self.lock();
        let at = waiting.iter().rposition(|waiting| waiting.runner.spec() == spec)?;
        Some(waiting.remove(at).runner)
    }

    /// Takes out the runners that have waited long enough, and says when the next one will have.
    fn take_old(&self) -> (Vec<WaitingRunner>, Option<Instant>) {
        let now = Instant::now();
        let mut waiting = self.lock();
        let old = waiting.extract_if(.., |waiting| waiting.until <= now).collect();
        (old, waiting.iter().map(|waiting| waiting.until).min())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<WaitingRunner>> {
        // A panic under the lock would at worst have lost a runner, which ends it.
        self.waiting.lock()
    }
}

/// Ends runners that have waited long enough. Never returns.
pub(super) async fn sweep(runners: Arc<WaitingRunners>) {
    loop {
        let (old, next) = runners.take_old();
        drop(old);
        match next {
            Some(next) => sleep_until(next).await,
            None => runners.changed.notified().await,
        }
    }
}

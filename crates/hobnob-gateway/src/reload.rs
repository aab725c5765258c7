//! The configuration is read again when its files change, or when somebody says so.
//!
//! The gateway runs one and passes on requests to read. Only what changed is touched, and what
//! cannot be read stays as it was.

use crate::first_starts::tasks::FirstStartTasks;
use crate::servers::registry::ServerRegistry;
use hobnob_config::{Approvals, Broken, Cause, Fingerprint, Places, Problem, Settings};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often the files are checked. A look is a few calls of `stat`; watching the folders
/// instead would mean watching the user's home.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The first and the longest wait before a file that could not be read is read again.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const LAST_RETRY: Duration = Duration::from_secs(30);

/// Whether the configuration is read again when its files change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// Its files are checked every few seconds.
    Watch,
    /// Only `Gateway::reload` and `Gateway::read_again` have it read.
    OnDemand,
}

/// Reads the configuration again and applies it.
pub(crate) struct ConfigReader {
    places: Places,
    servers: Arc<ServerRegistry>,
    first_starts: Arc<FirstStartTasks>,
    requested: Notify,
    /// A file could not be read for a reason that may pass by itself.
    unreadable: AtomicBool,
}

/// What reading the approvals for the first time says about files that cannot be read.
pub(crate) fn is_approvals_unreadable(read: &Result<Approvals, Broken>) -> bool {
    read.as_ref().is_err_and(|broken| is_unreadable(&broken.0))
}

impl ConfigReader {
    pub(crate) fn new(
        places: Places,
        servers: Arc<ServerRegistry>,
        first_starts: Arc<FirstStartTasks>,
        unreadable: bool,
    ) -> Arc<Self> {
        let (requested, unreadable) = (Notify::new(), AtomicBool::new(unreadable));
        Arc::new(Self { places, servers, first_starts, requested, unreadable })
    }

    /// Has the task that watches the files read them soon.
    pub(crate) fn request(&self) {
        self.requested.notify_one();
    }

    /// Watches the files until it is stopped.
    pub(crate) async fn watch_files(self: Arc<Self>, stop: CancellationToken) {
        let mut seen = self.fingerprint();
        let mut retry = FIRST_RETRY;
        let mut next_retry = Instant::now() + retry;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.requested.notified() => {}
                () = tokio::time::sleep(CHECK_INTERVAL) => {
                    let due = self.has_unreadable() && next_retry <= Instant::now();
                    if self.fingerprint() == seen && !due {
                        continue;
                    }
                }
            }
            seen = self.fingerprint();
            self.read_again();
            // What a lack of descriptors or memory kept us from reading changes no fingerprint
            // when it can be read again.
            retry = if self.has_unreadable() { LAST_RETRY.min(retry * 2) } else { FIRST_RETRY };
            next_retry = Instant::now() + retry;
        }
    }

    pub(crate) fn read_again(&self) {
        let settings = Settings::load(&self.places.settings());
        let approvals = Approvals::load(&self.places.approvals());
        let mut unreadable = settings.as_ref().is_err_and(is_unreadable);
        unreadable |= is_approvals_unreadable(&approvals);
        let servers = self.servers.read_servers(&self.places, approvals);
        unreadable |= servers.problems().iter().any(is_unreadable);
        self.unreadable.store(unreadable, Ordering::Relaxed);
        let settings = settings.map_err(|problem| problem.to_string());
        self.first_starts.start_new(self.servers.apply(settings, servers));
    }

    fn has_unreadable(&self) -> bool {
        self.unreadable.load(Ordering::Relaxed)
    }

    /// The files as they are now; an approval counts like any other setting.
    fn fingerprint(&self) -> Fingerprint {
        let mut files = self.places.watched_files();
        files.push(self.places.approvals());
        Fingerprint::of(files)
    }
}

fn is_unreadable(problem: &Problem) -> bool {
    problem.cause == Cause::Unreadable
}

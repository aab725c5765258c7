//! Reloads the configuration when its files change, or on request.
//!
//! The gateway runs one reader and passes requests on to it. Only parts that changed are touched;
//! if a file cannot be read, what was read of it before stays in force.

use crate::calls::record::Recorder;
use crate::first_starts::tasks::FirstStartTasks;
use crate::servers::registry::ServerRegistry;
use hobnob_config::{Approvals, Broken, Cause, Fingerprint, Places, Problem, RuleText, Settings};
use hobnob_policy::audit::{AuditRecord, AuditTarget};
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often the files are checked. A check is a few calls of `stat`; watching the folders instead
/// would mean watching the user's home.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Backoff before an unreadable file is read again: it doubles from the first value to the second.
const MIN_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// Whether a change of the configuration's files is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// Files are checked every few seconds, and before a list is answered or a name rejected.
    Watch,
    /// Files are read only by `Gateway::reload` and `Gateway::read_again`.
    OnDemand,
}

/// Reads the configuration again and applies the changes.
pub(crate) struct ConfigReader {
    places: Places,
    reload: Reload,
    servers: Arc<ServerRegistry>,
    first_starts: Arc<FirstStartTasks>,
    recorder: Recorder,
    /// The files as they were last read. The lock is held during a read, so that reads are applied
    /// in order.
    seen: Mutex<Fingerprint>,
    requested: Notify,
    /// An additional check, run whenever the files are checked.
    also_check: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// Whether a file could not be read for a reason that may pass by itself.
    unreadable: AtomicBool,
}

/// Whether the approvals could not be read for a reason that may pass by itself.
pub(crate) fn is_approvals_unreadable(read: &Result<Approvals, Broken>) -> bool {
    read.as_ref().is_err_and(|broken| is_unreadable(&broken.0))
}

impl ConfigReader {
    pub(crate) fn new(
        places: Places,
        reload: Reload,
        servers: Arc<ServerRegistry>,
        first_starts: Arc<FirstStartTasks>,
        recorder: Recorder,
        unreadable: bool,
    ) -> Arc<Self> {
        let seen = Mutex::new(fingerprint(&places));
        Arc::new(Self {
            places,
            reload,
            servers,
            first_starts,
            recorder,
            seen,
            requested: Notify::new(),
            also_check: OnceLock::new(),
            unreadable: AtomicBool::new(unreadable),
        })
    }

    /// Adds a check that runs whenever the files are checked. Only the first one counts.
    pub(crate) fn also_check(&self, check: Box<dyn Fn() + Send + Sync>) {
        let _ = self.also_check.set(check);
    }

    /// Makes the watching task read the files soon.
    pub(crate) fn request(&self) {
        self.requested.notify_one();
    }

    /// Watches the files until `stop` is cancelled.
    pub(crate) async fn watch_files(self: Arc<Self>, stop: CancellationToken) {
        let mut delay = MIN_BACKOFF;
        let mut next_retry = Instant::now() + delay;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.requested.notified() => {}
                () = tokio::time::sleep(CHECK_INTERVAL) => {
                    let due = self.has_unreadable() && next_retry <= Instant::now();
                    if !due {
                        self.read_if_changed();
                        delay = if self.has_unreadable() { delay } else { MIN_BACKOFF };
                        continue;
                    }
                }
            }
            self.read_again();
            // A file may be unreadable because descriptors or memory ran out. When that passes, its
            // fingerprint does not change, so only a retry finds out.
            delay = if self.has_unreadable() { MAX_BACKOFF.min(delay * 2) } else { MIN_BACKOFF };
            next_retry = Instant::now() + delay;
        }
    }

    /// Reads the files if they changed. A person who has just changed them expects the next request
    /// to see the change.
    pub(crate) fn read_if_changed(&self) {
        if self.reload == Reload::OnDemand {
            return;
        }
        let mut seen = self.seen();
        let now = fingerprint(&self.places);
        if *seen != now {
            *seen = now;
            self.read();
        }
        drop(seen);
        if let Some(check) = self.also_check.get() {
            check();
        }
    }

    pub(crate) fn read_again(&self) {
        let mut seen = self.seen();
        *seen = fingerprint(&self.places);
        self.read();
    }

    fn read(&self) {
        let settings = Settings::load(&self.places.settings());
        let approvals = Approvals::load(&self.places.approvals());
        let mut unreadable = settings.as_ref().is_err_and(is_unreadable);
        unreadable |= is_approvals_unreadable(&approvals);
        let servers = self.servers.read_servers(&self.places, approvals);
        unreadable |= servers.problems().iter().any(is_unreadable);
        self.unreadable.store(unreadable, Ordering::Relaxed);
        let settings = settings.map_err(|problem| problem.to_string());
        let before = self.servers.settings();
        let added = self.servers.apply(settings, servers);
        self.record_rules(&before.permissions, &self.servers.settings().permissions);
        self.first_starts.start_new(added);
    }

    /// Records which rules a person added to the settings or removed from them.
    fn record_rules(&self, before: &[RuleText], after: &[RuleText]) {
        let added = after.iter().filter(|rule| !before.contains(rule));
        let removed = before.iter().filter(|rule| !after.contains(rule));
        let added = added.map(|rule| format!("added: {rule}"));
        for text in removed.map(|rule| format!("removed: {rule}")).chain(added) {
            let target = AuditTarget::Grant(&text);
            self.recorder.notice(&AuditRecord { target, ..AuditRecord::event("rules/changed") });
        }
    }

    fn has_unreadable(&self) -> bool {
        self.unreadable.load(Ordering::Relaxed)
    }

    fn seen(&self) -> MutexGuard<'_, Fingerprint> {
        self.seen.lock()
    }
}

/// The state of the files now; the approvals are among them.
fn fingerprint(places: &Places) -> Fingerprint {
    let mut files = places.watched_files();
    files.push(places.approvals());
    Fingerprint::of(files)
}

fn is_unreadable(problem: &Problem) -> bool {
    problem.cause == Cause::Unreadable
}

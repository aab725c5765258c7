//! The configuration is read again when its files change, or when somebody says so.
//!
//! The gateway runs one and passes on requests to read. Only what changed is touched, and what
//! cannot be read stays as it was.

use crate::calls::record::Recorder;
use crate::first_starts::tasks::FirstStartTasks;
use crate::servers::registry::ServerRegistry;
use hobnob_config::{Approvals, Broken, Cause, Fingerprint, Places, Problem, RuleText, Settings};
use hobnob_policy::audit::{AuditRecord, AuditTarget};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
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
    /// Its files are checked every few seconds, and before a list is given or a name refused.
    Watch,
    /// Only `Gateway::reload` and `Gateway::read_again` have it read.
    OnDemand,
}

/// Reads the configuration again and applies it.
pub(crate) struct ConfigReader {
    places: Places,
    reload: Reload,
    servers: Arc<ServerRegistry>,
    first_starts: Arc<FirstStartTasks>,
    recorder: Recorder,
    /// The files as they were last read. Held while they are read, so that what was read first is
    /// also applied first.
    seen: Mutex<Fingerprint>,
    requested: Notify,
    /// What else is checked whenever the files are.
    also_check: OnceLock<Box<dyn Fn() + Send + Sync>>,
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

    /// From now on this is called whenever the files are checked. Only the first one counts.
    pub(crate) fn also_check(&self, check: Box<dyn Fn() + Send + Sync>) {
        let _ = self.also_check.set(check);
    }

    /// Has the task that watches the files read them soon.
    pub(crate) fn request(&self) {
        self.requested.notify_one();
    }

    /// Watches the files until it is stopped.
    pub(crate) async fn watch_files(self: Arc<Self>, stop: CancellationToken) {
        let mut retry = FIRST_RETRY;
        let mut next_retry = Instant::now() + retry;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.requested.notified() => {}
                () = tokio::time::sleep(CHECK_INTERVAL) => {
                    let due = self.has_unreadable() && next_retry <= Instant::now();
                    if !due {
                        self.read_if_changed();
                        retry = if self.has_unreadable() { retry } else { FIRST_RETRY };
                        continue;
                    }
                }
            }
            self.read_again();
            // What a lack of descriptors or memory kept us from reading changes no fingerprint
            // when it can be read again.
            retry = if self.has_unreadable() { LAST_RETRY.min(retry * 2) } else { FIRST_RETRY };
            next_retry = Instant::now() + retry;
        }
    }

    /// Reads the files if they are not what they were. Whoever has just changed them expects the
    /// next request to know it.
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

    /// Writes down which rules a person added to the settings or took out of them.
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
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files as they are now; an approval counts like any other setting.
fn fingerprint(places: &Places) -> Fingerprint {
    let mut files = places.watched_files();
    files.push(places.approvals());
    Fingerprint::of(files)
}

fn is_unreadable(problem: &Problem) -> bool {
    problem.cause == Cause::Unreadable
}

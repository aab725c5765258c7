//! Watches the `file:` resources that clients subscribe to, and reports their changes.
//!
//! A watch starts with the first subscription, so that no later change is missed, and lasts only
//! while a grant lets callers on this machine read the place. Events are debounced and go to the
//! binary over a bounded channel; while it is full, the kernel queues them.

use crate::built_in::{ServiceEvent, ServiceEvents};
use crate::machine_access::MachineAccess;
use hobnob_machine::files::{FolderWatcher, GrantedFolders, WatchEvents};
use hobnob_mcp_engine::Interest;
use hobnob_policy::{CallerPlace, FileOperation, FileWish, GrantSet, GrantSubject};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::Interest as Readiness;
use tokio::io::unix::AsyncFd;
use tokio::sync::{Notify, mpsc};

/// Most places that are watched at once.
const MAX_PLACES: usize = 1024;
/// Capacity of the event queue to the binary.
const EVENT_QUEUE: usize = 64;
/// Debounce time: changes within it are reported together.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// How long to wait before a failed watcher is used again.
const RETRY_DELAY: Duration = Duration::from_secs(5);

/// An unauthenticated caller on this machine: subscriptions do not name their callers.
const LOCAL: GrantSubject<'static> = GrantSubject { principal: None, place: CallerPlace::Local };

/// The watched resources, and the queue for their events.
pub(super) struct ResourceWatch {
    /// Created for the first subscriber.
    watcher: OnceLock<Arc<FolderWatcher>>,
    made: Notify,
    /// How many views have subscribers, by URI.
    wanted: Mutex<BTreeMap<Arc<str>, usize>>,
    events: mpsc::Sender<ServiceEvent>,
    /// The receiving end, until the binary takes it.
    receiver: Mutex<Option<ServiceEvents>>,
}

impl ResourceWatch {
    pub(super) fn new() -> Self {
        let (events, receiver) = mpsc::channel(EVENT_QUEUE);
        Self {
            watcher: OnceLock::new(),
            made: Notify::new(),
            wanted: Mutex::default(),
            events,
            receiver: Mutex::new(Some(receiver)),
        }
    }

    /// The event queue, for the first caller only.
    pub(super) fn events(&self) -> Option<ServiceEvents> {
        self.receiver.lock().take()
    }

    /// Called when a view gets its first subscriber of a URI, or loses its last one.
    pub(super) fn interest(
        &self,
        uri: &str,
        interest: Interest,
        access: &MachineAccess,
        folders: &GrantedFolders,
    ) {
        if !uri.starts_with("file:") {
            return;
        }
        match interest {
            Interest::Wanted => {
                let key: Arc<str> = Arc::from(uri);
                *self.wanted().entry(Arc::clone(&key)).or_insert(0) += 1;
                self.watch(&key, &access.grants(), folders);
            }
            Interest::Unwanted => {
                let mut wanted = self.wanted();
                let Some(views) = wanted.get_mut(uri) else { return };
                *views -= 1;
                if *views == 0 {
                    wanted.remove(uri);
                    if let Some(watcher) = self.watcher.get() {
                        watcher.forget(uri);
                    }
                }
            }
        }
    }

    /// Watches the wanted places that are granted now, and no others.
    pub(super) fn follow_grants(&self, grants: &GrantSet, folders: &GrantedFolders) {
        let wanted: Vec<Arc<str>> = self.wanted().keys().cloned().collect();
        for uri in &wanted {
            self.watch(uri, grants, folders);
        }
    }

    /// Watches the wanted places again whose watch ended because their folder was removed.
    fn restore(&self, watcher: &FolderWatcher, grants: &GrantSet, folders: &GrantedFolders) {
        let wanted: Vec<Arc<str>> = self.wanted().keys().cloned().collect();
        for uri in wanted.iter().filter(|uri| !watcher.watches(uri)) {
            self.watch(uri, grants, folders);
        }
    }

    /// Sends events until the process ends; it never returns.
    pub(super) async fn run(&self, access: &MachineAccess, folders: &GrantedFolders) {
        loop {
            let Err(error) = self.report(access, folders).await;
            tracing::warn!(%error, "changes of files cannot be followed");
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    async fn report(
        &self,
        access: &MachineAccess,
        folders: &GrantedFolders,
    ) -> std::io::Result<std::convert::Infallible> {
        let watcher = loop {
            let made = self.made.notified();
            match self.watcher.get() {
                Some(watcher) => break Arc::clone(watcher),
                None => made.await,
            }
        };
        #[expect(
            deprecated,
            reason = "the other way is unsafe; a watcher keeps one descriptor as long as it lives"
        )]
        let descriptor = AsyncFd::with_interest(Arc::clone(&watcher), Readiness::READABLE)?;
        loop {
            let mut ready = descriptor.readable().await?;
            // An editor writes, renames and removes a file within a moment.
            tokio::time::sleep(DEBOUNCE).await;
            let events = watcher.read()?;
            ready.clear_ready();
            self.restore(&watcher, &access.grants(), folders);
            self.send(events).await;
        }
    }

    async fn send(&self, events: WatchEvents) {
        let changed: BTreeSet<Arc<str>> = match events {
            WatchEvents::Changed(changed) => changed,
            WatchEvents::Everything => self.wanted().keys().cloned().collect(),
        };
        for uri in changed {
            // This fails if the receiver is gone because the process is stopping.
            let _ = self.events.send(ServiceEvent::Contents(uri)).await;
        }
    }

    /// Watches a place if a grant allows it, and otherwise stops watching it.
    fn watch(&self, uri: &Arc<str>, grants: &GrantSet, folders: &GrantedFolders) {
        let wish = FileWish { path: uri.to_string(), operation: FileOperation::Stat };
        let permit = match grants.permit_file(LOCAL, wish) {
            Ok(permit) => permit,
            Err(_) => {
                if let Some(watcher) = self.watcher.get() {
                    watcher.forget(uri);
                }
                return;
            }
        };
        let Some(watcher) = self.watcher() else { return };
        if let Err(error) = watcher.watch(uri, folders, &permit) {
            tracing::debug!(%error, "a resource is not watched");
        }
    }

    fn watcher(&self) -> Option<&Arc<FolderWatcher>> {
        if self.watcher.get().is_none() {
            match FolderWatcher::new(MAX_PLACES) {
                // If another caller was faster, its watcher stays and this one is dropped.
                Ok(watcher) => drop(self.watcher.set(Arc::new(watcher))),
                Err(error) => tracing::warn!(%error, "changes of files cannot be followed"),
            }
            self.made.notify_one();
        }
        self.watcher.get()
    }

    fn wanted(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, usize>> {
        self.wanted.lock()
    }
}

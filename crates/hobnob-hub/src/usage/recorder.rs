//! The recorder: an observer that counts every call, and the task that writes the counts.
//!
//! `compose` makes one if the settings allow it and there is a store, lets the gateway report to it
//! and runs it. What must stay true: counting never waits for the store.

use super::pending::PendingUsage;
use super::report::{Usage, UsageRequest, read};
use hobnob_config::UsageSettings;
use hobnob_gateway::{CallObserver, ObservedCall, ObservedEnd};
use hobnob_store::usage::{UsageRepository, UsageRetention, UsageScope};
use hobnob_store::{StoreError, Time};
use parking_lot::Mutex;
use std::fmt;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How long a counted call waits before it is written, and how much a killed hub may lose.
const WRITE_DELAY: Duration = Duration::from_secs(60);

/// How long a hub that ends waits for the last write.
const MAX_LAST_WRITE: Duration = Duration::from_secs(10);

/// Counts calls and writes the counts.
pub struct UsageRecorder {
    store: Arc<dyn UsageRepository>,
    keep_days: NonZeroU16,
    write_delay: Duration,
    pending: Mutex<PendingUsage>,
    /// Tells the task that there is something to write, so that it sleeps while nothing happens.
    counted: Notify,
}

impl UsageRecorder {
    /// A recorder for this store; `None` if the settings disable it.
    pub fn new(store: Arc<dyn UsageRepository>, settings: &UsageSettings) -> Option<Arc<Self>> {
        settings.enabled.then(|| Arc::new(Self::with_delay(store, settings.keep_days, WRITE_DELAY)))
    }

    /// A recorder that writes this long after a call.
    pub(super) fn with_delay(
        store: Arc<dyn UsageRepository>,
        keep_days: NonZeroU16,
        write_delay: Duration,
    ) -> Self {
        let (pending, counted) = (Mutex::default(), Notify::new());
        Self { store, keep_days, write_delay, pending, counted }
    }

    /// Writes a minute after a call, until `stop`; then writes what is left. Every call must have
    /// ended by then.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.next_write() => self.write().await,
            }
        }
        let written = tokio::time::timeout(MAX_LAST_WRITE, self.write()).await;
        if written.is_err() || !self.pending.lock().is_empty() {
            tracing::warn!("the last calls are not in `hobnob usage`: the store cannot be written");
        }
    }

    /// Sums usage up, including the calls that have just ended.
    pub async fn read(
        &self,
        scope: UsageScope,
        request: UsageRequest,
    ) -> Result<Usage, StoreError> {
        self.write().await;
        read(&*self.store, scope, request, Time::now()).await
    }

    #[cfg(test)]
    pub(super) fn waiting_calls(&self) -> u64 {
        let mut pending = self.pending.lock();
        let usage = pending.take();
        let calls = usage.iter().map(|usage| usage.counts.calls).sum();
        pending.put_back(usage);
        calls
    }

    async fn next_write(&self) {
        self.counted.notified().await;
        tokio::time::sleep(self.write_delay).await;
    }

    /// Writes what was counted; after a failure, the next write tries again.
    pub(super) async fn write(&self) {
        let (usage, lost) = {
            let mut pending = self.pending.lock();
            (pending.take(), pending.take_lost())
        };
        if 0 < lost {
            tracing::warn!(calls = lost, "calls are missing in `hobnob usage`");
        }
        if usage.is_empty() {
            return;
        }
        let retention = UsageRetention { now: Time::now(), keep_days: self.keep_days };
        if let Err(error) = self.store.record_usage(usage.clone(), retention).await {
            tracing::debug!(%error, "usage cannot be written now");
            self.pending.lock().put_back(usage);
            self.counted.notify_one();
        }
    }
}

impl CallObserver for UsageRecorder {
    fn begun(&self, _call: &Arc<ObservedCall>) {}

    fn ended(&self, call: &Arc<ObservedCall>, end: &ObservedEnd) {
        // The figures say what programs use, not how a person looks at the page.
        if call.client_id.is_own_page() {
            return;
        }
        let mut pending = self.pending.lock();
        let was_empty = pending.is_empty();
        pending.count(call, end);
        drop(pending);
        if was_empty {
            self.counted.notify_one();
        }
    }
}

impl fmt::Debug for UsageRecorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("UsageRecorder")
    }
}

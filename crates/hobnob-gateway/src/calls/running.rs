//! The calls that run now, so that the owner can look at them and cancel one.
//!
//! `record` adds a call when it begins and removes it when it ends; `OwnerControls` reads them. A
//! gateway without an observer keeps none.

use crate::calls::observer::{CallObserver, ObservedCall, ObservedEnd};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Notify;

/// The running calls of a gateway, and the observer of all calls.
pub(crate) struct RunningCalls {
    observer: Arc<dyn CallObserver>,
    /// Whether calls are traced.
    pub(super) records_traces: bool,
    next: AtomicU64,
    open: Mutex<BTreeMap<u64, Arc<OpenCall>>>,
}

/// A call that runs.
pub(crate) struct OpenCall {
    pub(crate) call: Arc<ObservedCall>,
    stop: Notify,
}

impl RunningCalls {
    pub(crate) fn new(observer: Arc<dyn CallObserver>) -> Self {
        let records_traces = observer.records_traces();
        Self { observer, records_traces, next: AtomicU64::new(1), open: Mutex::default() }
    }

    /// The id of the next call.
    pub(crate) fn next_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// A call begins to run.
    pub(crate) fn begin(&self, call: ObservedCall) -> Arc<OpenCall> {
        let running = Arc::new(OpenCall { call: Arc::new(call), stop: Notify::new() });
        self.open.lock().insert(running.call.id, Arc::clone(&running));
        self.observer.begun(&running.call);
        running
    }

    /// The observer of all calls.
    pub(super) fn observer(&self) -> &Arc<dyn CallObserver> {
        &self.observer
    }

    /// A call has ended, whether it ran or was refused.
    pub(crate) fn end(&self, call: &Arc<ObservedCall>, end: &ObservedEnd) {
        self.open.lock().remove(&call.id);
        self.observer.ended(call, end);
    }

    /// The calls that run now, the oldest first.
    pub(crate) fn list(&self) -> Vec<Arc<ObservedCall>> {
        self.open.lock().values().map(|running| Arc::clone(&running.call)).collect()
    }

    /// Cancels a call; `false` if it does not run any more.
    pub(crate) fn cancel(&self, id: u64) -> bool {
        let running = self.open.lock().get(&id).cloned();
        running.is_some_and(|running| {
            running.stop.notify_one();
            true
        })
    }
}

impl OpenCall {
    /// Waits until the owner cancels the call.
    pub(crate) async fn cancelled(&self) {
        self.stop.notified().await;
    }
}

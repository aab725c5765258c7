//! A cache for one value that is loaded when first needed and dropped after an idle timeout.
//!
//! `local_threads` keeps the weights of a model in one. A Tokio task drops the value, never while it is in use.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

#[cfg(test)]
mod tests;

/// A slot for one value that is loaded on demand.
pub(crate) struct IdleCache<T> {
    slot: Slot<T>,
    idle_timeout: Duration,
    /// The task that clears the slot. It ends with the cache, or with its runtime.
    evictor: Mutex<JoinSet<()>>,
}

type Slot<T> = Arc<Mutex<Option<CachedValue<T>>>>;

struct CachedValue<T> {
    value: Arc<T>,
    used: Instant,
}

impl<T: Send + Sync + 'static> IdleCache<T> {
    /// An empty cache that drops its value after it was unused for `idle_timeout`.
    pub(crate) fn new(idle_timeout: Duration) -> Self {
        Self { slot: Slot::default(), idle_timeout, evictor: Mutex::default() }
    }

    /// A handle to fetch the value on another thread. Must be called on a Tokio runtime.
    pub(crate) fn handle(&self) -> IdleCacheHandle<T> {
        let mut evictor = lock(&self.evictor);
        // The task's runtime may have ended.
        while evictor.try_join_next().is_some() {}
        if evictor.is_empty() {
            evictor.spawn(evict_when_idle(Arc::clone(&self.slot), self.idle_timeout));
        }
        IdleCacheHandle(Arc::clone(&self.slot))
    }
}

/// Fetches the value of an [`IdleCache`] from any thread.
pub(crate) struct IdleCacheHandle<T>(Slot<T>);

impl<T> IdleCacheHandle<T> {
    /// The cached value, or the result of `load`. Other callers wait while it loads.
    pub(crate) fn get<E>(&self, load: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut slot = lock(&self.0);
        let value = match slot.take() {
            Some(held) => held.value,
            None => Arc::new(load()?),
        };
        *slot = Some(CachedValue { value: Arc::clone(&value), used: Instant::now() });
        Ok(value)
    }
}

async fn evict_when_idle<T>(slot: Slot<T>, idle_timeout: Duration) {
    let mut wake = Instant::now() + idle_timeout;
    loop {
        sleep_until(wake).await;
        wake = evict_if_idle(&slot, idle_timeout);
    }
}

/// Clears the slot if its value is idle, and returns when to check again.
fn evict_if_idle<T>(slot: &Slot<T>, idle_timeout: Duration) -> Instant {
    let now = Instant::now();
    let Some(mut slot) = slot.try_lock() else {
        // Another thread is loading the value.
        return now + idle_timeout;
    };
    match slot.as_mut() {
        Some(held) if 1 < Arc::strong_count(&held.value) => held.used = now,
        Some(held) if now < held.used + idle_timeout => return held.used + idle_timeout,
        Some(_) => *slot = None,
        None => {}
    }
    now + idle_timeout
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

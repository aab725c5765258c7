//! A value that is loaded when it is first needed and dropped after it was idle for a while.
//!
//! `MiniLm` keeps its 90 MB of weights in one. The value stays loaded while anybody uses it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

#[cfg(test)]
mod tests;

/// A slot for one value that is loaded on demand.
pub(super) struct IdleCache<T> {
    slot: Slot<T>,
    rest: Duration,
    /// The task that clears the slot. It ends with the cache, or with its runtime.
    evictor: Mutex<JoinSet<()>>,
}

type Slot<T> = Arc<Mutex<Option<CachedValue<T>>>>;

struct CachedValue<T> {
    value: Arc<T>,
    used: Instant,
}

impl<T: Send + Sync + 'static> IdleCache<T> {
    /// An empty cache, whose value is dropped once it was not used for as long as `rest`.
    pub(super) fn new(rest: Duration) -> Self {
        Self { slot: Slot::default(), rest, evictor: Mutex::default() }
    }

    /// A handle to fetch the value with on another thread. Has to be called on a runtime.
    pub(super) fn handle(&self) -> IdleCacheHandle<T> {
        let mut evictor = lock(&self.evictor);
        // The runtime that it ran on may be gone.
        while evictor.try_join_next().is_some() {}
        if evictor.is_empty() {
            evictor.spawn(evict_when_idle(Arc::clone(&self.slot), self.rest));
        }
        IdleCacheHandle(Arc::clone(&self.slot))
    }
}

/// Fetches the value of an [`IdleCache`] from any thread.
pub(super) struct IdleCacheHandle<T>(Slot<T>);

impl<T> IdleCacheHandle<T> {
    /// The cached value, or what `load` returns. Other callers wait while it loads.
    pub(super) fn get<E>(&self, load: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut slot = lock(&self.0);
        let value = match slot.take() {
            Some(held) => held.value,
            None => Arc::new(load()?),
        };
        *slot = Some(CachedValue { value: Arc::clone(&value), used: Instant::now() });
        Ok(value)
    }
}

async fn evict_when_idle<T>(slot: Slot<T>, rest: Duration) {
    let mut wake = Instant::now() + rest;
    loop {
        sleep_until(wake).await;
        wake = evict_if_idle(&slot, rest);
    }
}

/// Clears the slot if it is time to, and returns when to look again.
fn evict_if_idle<T>(slot: &Slot<T>, rest: Duration) -> Instant {
    let now = Instant::now();
    let mut slot = match slot.try_lock() {
        Ok(slot) => slot,
        Err(TryLockError::Poisoned(error)) => error.into_inner(),
        // It is being loaded.
        Err(TryLockError::WouldBlock) => return now + rest,
    };
    match slot.as_mut() {
        Some(held) if 1 < Arc::strong_count(&held.value) => held.used = now,
        Some(held) if now < held.used + rest => return held.used + rest,
        Some(_) => *slot = None,
        None => {}
    }
    now + rest
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Something large that is loaded when it is needed and let go when it was not for a while.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

#[cfg(test)]
mod tests;

/// The place of one such thing.
pub(super) struct Shelf<T> {
    slot: Slot<T>,
    rest: Duration,
    /// The task that clears the slot. It ends with the shelf, or with its runtime.
    keeper: Mutex<JoinSet<()>>,
}

type Slot<T> = Arc<Mutex<Option<Held<T>>>>;

struct Held<T> {
    value: Arc<T>,
    used: Instant,
}

impl<T: Send + Sync + 'static> Shelf<T> {
    /// An empty shelf, which will be cleared when its content was not used for as long as `rest`.
    pub(super) fn new(rest: Duration) -> Self {
        Self { slot: Slot::default(), rest, keeper: Mutex::default() }
    }

    /// A handle to fetch the content with on another thread. Has to be called on a runtime.
    pub(super) fn reach(&self) -> Reach<T> {
        let mut keeper = lock(&self.keeper);
        // The runtime that it ran on may be gone.
        while keeper.try_join_next().is_some() {}
        if keeper.is_empty() {
            keeper.spawn(keep(Arc::clone(&self.slot), self.rest));
        }
        Reach(Arc::clone(&self.slot))
    }
}

/// Fetches the content of a shelf.
pub(super) struct Reach<T>(Slot<T>);

impl<T> Reach<T> {
    /// What is there, or what `load` brings. Others who come meanwhile wait for it.
    pub(super) fn get<E>(&self, load: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut slot = lock(&self.0);
        let value = match slot.take() {
            Some(held) => held.value,
            None => Arc::new(load()?),
        };
        *slot = Some(Held { value: Arc::clone(&value), used: Instant::now() });
        Ok(value)
    }
}

async fn keep<T>(slot: Slot<T>, rest: Duration) {
    let mut wake = Instant::now() + rest;
    loop {
        sleep_until(wake).await;
        wake = look_after(&slot, rest);
    }
}

/// Clears the slot if it is time to, and returns when to look again.
fn look_after<T>(slot: &Slot<T>, rest: Duration) -> Instant {
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

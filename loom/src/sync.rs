//! Loom's versions of the names that `crates/hobnob-mcp-transport/src/sync.rs` exports.

pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
use std::task::Waker;

pub(crate) use std::sync::PoisonError;

/// Loom's waker with the signature of `futures_util::task::AtomicWaker`.
#[derive(Debug)]
pub(crate) struct AtomicWaker(loom::future::AtomicWaker);

impl AtomicWaker {
    pub(crate) fn new() -> Self {
        Self(loom::future::AtomicWaker::new())
    }

    pub(crate) fn register(&self, waker: &Waker) {
        self.0.register_by_ref(waker);
    }

    pub(crate) fn wake(&self) {
        self.0.wake();
    }
}

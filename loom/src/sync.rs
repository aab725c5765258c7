//! What `crates/hobnob-mcp-transport/src/sync.rs` names, as loom has it.

pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
use std::task::Waker;

pub(crate) use std::sync::PoisonError;

/// Loom's, with the signature of `futures_util::task::AtomicWaker`.
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

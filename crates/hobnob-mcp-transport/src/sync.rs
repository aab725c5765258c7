//! The locks and wakers that [`Outbox`](crate::Outbox) is made of.
//!
//! Only the queue takes them from here: the crate in `loom/` compiles its file once more with a
//! `sync` of its own, whose locks try every interleaving.

pub(crate) use futures_util::task::AtomicWaker;
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

//! The locks and wakers that [`Outbox`](crate::Outbox) is made of.
//!
//! Only the queue imports them from here: the crate in `loom/` compiles the queue's file a second
//! time with a `sync` of its own, whose locks try every interleaving. These are the standard
//! library's, since loom's have the same interface.

pub(crate) use futures_util::task::AtomicWaker;
#[expect(clippy::disallowed_types, reason = "loom has no other interface")]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

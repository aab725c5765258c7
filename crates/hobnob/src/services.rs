//! The built-in services of this process: opened once, shown once for each view, kept in step
//! with what other processes do.

mod keep;
mod notifier;
mod open;
mod programs;

pub(crate) use notifier::{StoreNotifier, ViewSubscriber};
pub(crate) use open::{KNOWN, Services, embedder};

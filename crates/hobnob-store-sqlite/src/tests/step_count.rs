//! Measures work in SQLite's own steps, which do not depend on machine load. For tests.

use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The step difference that would tell another owner's record from a missing one. Finding a row and
/// seeing that it is another owner's takes a few steps; reading any of it would take many.
pub(crate) const REVEALING_STEPS: u64 = 16;

/// Does the work on a connection and returns how many steps it took.
pub(crate) fn steps<T>(connection: &mut Connection, work: impl Fn(&Connection) -> T) -> (T, u64) {
    // The first run prepares the statements.
    drop(work(connection));
    let counted = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&counted);
    let count = move || {
        counter.fetch_add(1, Ordering::Relaxed);
        false
    };
    connection.progress_handler(1, Some(count)).unwrap();
    let done = work(connection);
    connection.progress_handler(0, None::<fn() -> bool>).unwrap();
    (done, counted.load(Ordering::Relaxed))
}

//! How much SQLite does for something, in its own steps, which no busy machine changes. For tests.

use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// More steps than this tell a record of somebody else from one that is not there. To find a row and to
/// see that it is another's takes a few; to read anything of it would take many.
pub(crate) const TELLING: u64 = 16;

/// Does the work on a connection, and says how many steps it took.
pub(crate) fn steps<T>(connection: &mut Connection, work: impl Fn(&Connection) -> T) -> (T, u64) {
    // The first time, statements are prepared.
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

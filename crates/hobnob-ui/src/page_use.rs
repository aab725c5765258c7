//! Who uses the page: how many streams are open, and when it was used last. The event streams and
//! the routes report it; the hub waits for the end of it.
//!
//! What must stay true: the end of a stream is a use, so that a page that loses its connection
//! finds its listener when it comes back.

use parking_lot::Mutex;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// The uses of a page.
pub(crate) struct PageUses {
    streams: watch::Sender<usize>,
    last: Mutex<Instant>,
}

impl PageUses {
    pub(crate) fn new() -> Self {
        Self { streams: watch::Sender::new(0), last: Mutex::new(Instant::now()) }
    }

    /// The page is used now.
    pub(crate) fn touch(&self) {
        *self.last.lock() = Instant::now();
    }

    /// How many streams are open.
    pub(crate) fn streams(&self) -> usize {
        *self.streams.borrow()
    }

    /// The same, to wait for a change.
    pub(crate) fn watch_streams(&self) -> watch::Receiver<usize> {
        self.streams.subscribe()
    }

    /// Counts a stream; `false` if there are this many already.
    pub(crate) fn add_stream(&self, max: usize) -> bool {
        self.streams.send_if_modified(|count| {
            let has_room = *count < max;
            *count += usize::from(has_room);
            has_room
        })
    }

    /// A counted stream has ended.
    pub(crate) fn remove_stream(&self) {
        self.touch();
        self.streams.send_modify(|count| *count -= 1);
    }

    /// Waits until the page was not used for this long.
    pub(crate) async fn unused_for(&self, quiet: Duration) {
        let mut streams = self.watch_streams();
        // `self` owns the sender, so the wait for streams to end cannot fail.
        while streams.wait_for(|count| *count == 0).await.is_ok() {
            let since = self.last.lock().elapsed();
            match quiet.checked_sub(since).filter(|left| !left.is_zero()) {
                None => return,
                Some(left) => sleep(left).await,
            }
        }
    }
}

//! Whether the client of a WebSocket takes what is written to it, for the half that reads: what the client
//! has not taken it cannot answer, so its silence says nothing then.

use std::sync::atomic::{AtomicBool, Ordering};

/// What the writer notes of its writes.
#[derive(Debug, Default)]
pub(super) struct StuckWrites {
    /// A write waits for the client.
    waits: AtomicBool,
    /// One that has waited for long is over, and the reader has not heard of it yet.
    is_over: AtomicBool,
}

impl StuckWrites {
    pub(super) fn begin(&self) {
        self.waits.store(true, Ordering::Relaxed);
    }

    /// The write is over; `was_long` if pings came due meanwhile.
    pub(super) fn end(&self, was_long: bool) {
        if was_long {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.waits.store(false, Ordering::Relaxed);
    }

    /// Whether the silence of the client until now says nothing. After a long write it has all the time
    /// of a silence once more, to read what was held up and answer the pings in it.
    pub(super) fn excuse_silence(&self) -> bool {
        let waits = self.waits.load(Ordering::Relaxed);
        self.is_over.swap(false, Ordering::Relaxed) || waits
    }
}

#[cfg(test)]
mod tests {
    use super::StuckWrites;

    #[test]
    fn silence_is_excused_while_a_write_waits_and_once_after_a_long_one() {
        let writes = StuckWrites::default();
        assert!(!writes.excuse_silence());
        writes.begin();
        assert!(writes.excuse_silence() && writes.excuse_silence());
        writes.end(true);
        // Quick writes that follow take nothing of that time.
        writes.begin();
        writes.end(false);
        assert!(writes.excuse_silence());
        assert!(!writes.excuse_silence());
    }
}

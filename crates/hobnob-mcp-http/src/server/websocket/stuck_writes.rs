//! Tells the reading half of a WebSocket whether a write to the client is stuck. The client cannot
//! answer pings it has not received, so its silence means nothing then.

use std::sync::atomic::{AtomicBool, Ordering};

/// The state of the writes to one client.
#[derive(Debug, Default)]
pub(super) struct StuckWrites {
    /// A write waits for the client.
    waits: AtomicBool,
    /// A long write has ended, and the reader has not taken that into account yet.
    is_over: AtomicBool,
}

impl StuckWrites {
    pub(super) fn begin(&self) {
        self.waits.store(true, Ordering::Relaxed);
    }

    /// The write has ended; `was_long` if pings came due meanwhile.
    pub(super) fn end(&self, was_long: bool) {
        if was_long {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.waits.store(false, Ordering::Relaxed);
    }

    /// Whether the client's silence so far means nothing. After a long write the client gets one
    /// more period of silence, to read what was held up and to answer the pings in it.
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
        // Quick writes that follow do not shorten that period.
        writes.begin();
        writes.end(false);
        assert!(writes.excuse_silence());
        assert!(!writes.excuse_silence());
    }
}

//! What to do when `accept` fails: go on at once, or rest so as not to spin.
//! Called by the accept loop only; pure, the loop does the sleeping.

use std::io::{self, ErrorKind};
use std::time::Duration;

#[cfg(test)]
mod tests;

const SHORTEST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_secs(1);

/// The growing rest between attempts while the machine is out of descriptors or memory.
#[derive(Debug, Default)]
pub(super) struct Pause {
    last: Duration,
}

impl Pause {
    /// How long to rest after `error`; `None` when only that one connection failed.
    pub(super) fn after(&mut self, error: &io::Error) -> Option<Duration> {
        match error.kind() {
            ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
            | ErrorKind::Interrupted => None,
            // Descriptors or memory have run out, or something unforeseen: the listener stays
            // readable, so trying again at once would burn a core.
            _ => {
                self.last = (self.last * 2).clamp(SHORTEST, LONGEST);
                Some(self.last)
            }
        }
    }

    /// A connection came through.
    pub(super) fn reset(&mut self) {
        self.last = Duration::ZERO;
    }
}

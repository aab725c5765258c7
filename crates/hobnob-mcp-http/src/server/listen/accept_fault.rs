//! What to do when `accept` fails: try again at once, or pause with exponential backoff. Called by
//! the accept loop only; pure, the loop does the sleeping.

use std::io::{self, ErrorKind};
use std::time::Duration;

#[cfg(test)]
mod tests;

const MIN_PAUSE: Duration = Duration::from_millis(10);
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// The growing pause between attempts while the machine is out of descriptors or memory.
#[derive(Debug, Default)]
pub(super) struct Pause {
    last: Duration,
}

impl Pause {
    /// How long to pause after `error`; `None` if only one connection failed.
    pub(super) fn after(&mut self, error: &io::Error) -> Option<Duration> {
        match error.kind() {
            ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
            | ErrorKind::Interrupted => None,
            // Descriptors or memory have run out, or something unforeseen happened: the listener
            // stays readable, so trying again at once would burn a core.
            _ => {
                self.last = (self.last * 2).clamp(MIN_PAUSE, MAX_PAUSE);
                Some(self.last)
            }
        }
    }

    /// Resets the backoff after a connection was accepted.
    pub(super) fn reset(&mut self) {
        self.last = Duration::ZERO;
    }
}

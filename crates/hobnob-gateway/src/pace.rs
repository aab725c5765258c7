//! How often servers are read for subscribers: so many reads a second for each, however much is
//! watched. More to read makes every turn come later.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Reads of one server in a second, for all polls together.
const READS_PER_SECOND: u32 = 10;

/// Servers whose turns are remembered; one that is forgotten has nothing waiting.
const MOST_SERVERS: usize = 1024;

/// When each server may be read next.
#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<BTreeMap<Box<str>, Instant>>);

impl Pace {
    /// Waits for a turn at this server.
    pub(crate) async fn turn(&self, server: &str) {
        let turn = self.reserve(server, Instant::now());
        tokio::time::sleep_until(turn).await;
    }

    fn reserve(&self, server: &str, now: Instant) -> Instant {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() >= MOST_SERVERS {
            turns.retain(|_, next| now < *next);
        }
        let next = turns.entry(server.into()).or_insert(now);
        let turn = (*next).max(now);
        *next = turn + Duration::from_secs(1) / READS_PER_SECOND;
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, READS_PER_SECOND};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;
    use tokio::task::JoinSet;
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn a_thousand_polls_read_no_more_often_than_ten() {
        for polls in [10, 1000] {
            let pace = Arc::new(Pace::default());
            let reads = Arc::new(AtomicU32::new(0));
            let mut all = JoinSet::new();
            for _ in 0..polls {
                let (pace, reads) = (Arc::clone(&pace), Arc::clone(&reads));
                all.spawn(async move {
                    loop {
                        pace.turn("one").await;
                        reads.fetch_add(1, Ordering::Relaxed);
                        tokio::time::sleep(Duration::from_secs(1)).await;
                    }
                });
            }
            tokio::time::sleep(Duration::from_secs(60)).await;
            let reads = reads.load(Ordering::Relaxed);
            assert!(reads <= 60 * READS_PER_SECOND + 1, "{reads} reads of {polls} polls");
            assert!(reads >= 50 * READS_PER_SECOND, "{reads} reads of {polls} polls");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_server_does_not_hold_up_another() {
        let pace = Pace::default();
        for _ in 0..50 {
            pace.reserve("busy", Instant::now());
        }
        let begun = Instant::now();
        pace.turn("other").await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}

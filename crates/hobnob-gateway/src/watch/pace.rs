//! Limits the rate of reads per server: a fixed number per second, shared by all its watched
//! resources. With more resources, each is read less often.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// Reads of one server per second, for all polls together: most are for resources that exist, a few
/// for those that may not.
const PROVED_PER_SECOND: u32 = 8;
const UNPROVED_PER_SECOND: u32 = 2;

/// The most servers remembered; those without a future turn are dropped first.
const MAX_SERVERS: usize = 1024;

/// Whether a resource is known to exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Proof {
    /// Its server lists it, or a read of it has succeeded.
    Proved,
    /// A client named it, and no read of it has succeeded yet.
    Unproved,
}

/// When each server may be read next.
#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<BTreeMap<(Box<str>, Proof), Instant>>);

impl Pace {
    /// Waits for the next turn at this server.
    pub(crate) async fn turn(&self, server: &str, proof: Proof) {
        let turn = self.reserve(server, proof, Instant::now());
        tokio::time::sleep_until(turn).await;
    }

    fn reserve(&self, server: &str, proof: Proof, now: Instant) -> Instant {
        let per_second = match proof {
            Proof::Proved => PROVED_PER_SECOND,
            Proof::Unproved => UNPROVED_PER_SECOND,
        };
        let mut turns = self.0.lock();
        if turns.len() >= MAX_SERVERS {
            turns.retain(|_, next| now < *next);
        }
        let next = turns.entry((server.into(), proof)).or_insert(now);
        let turn = (*next).max(now);
        *next = turn + Duration::from_secs(1) / per_second;
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::{PROVED_PER_SECOND, Pace, Proof};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;
    use tokio::task::JoinSet;
    use tokio::time::Instant;

    /// Advances the paused clock by this many seconds.
    async fn pass(seconds: u64) {
        let never = std::future::pending::<()>();
        drop(tokio::time::timeout(Duration::from_secs(seconds), never).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_thousand_polls_read_no_more_often_than_eight() {
        for polls in [8, 1000] {
            let pace = Arc::new(Pace::default());
            let reads = Arc::new(AtomicU32::new(0));
            let mut all = JoinSet::new();
            for _ in 0..polls {
                let (pace, reads) = (Arc::clone(&pace), Arc::clone(&reads));
                all.spawn(async move {
                    loop {
                        pace.turn("one", Proof::Proved).await;
                        reads.fetch_add(1, Ordering::Relaxed);
                        pass(1).await;
                    }
                });
            }
            pass(60).await;
            let reads = reads.load(Ordering::Relaxed);
            assert!(reads <= 60 * PROVED_PER_SECOND + 1, "{reads} reads of {polls} polls");
            assert!(reads >= 50 * PROVED_PER_SECOND, "{reads} reads of {polls} polls");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn neither_other_servers_nor_made_up_addresses_hold_up_what_is_there() {
        let pace = Pace::default();
        for proof in [Proof::Proved, Proof::Unproved].repeat(50) {
            pace.reserve("busy", proof, Instant::now());
        }
        for _ in 0..50 {
            pace.reserve("other", Proof::Unproved, Instant::now());
        }
        let begun = Instant::now();
        pace.turn("other", Proof::Proved).await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}

//! Limits how many programs start at once: a machine that starts thirty at the same time starts
//! none of them in time.
//!
//! Every start of a program runs in here. A start that a call waits for goes before starts in the
//! background, which leave one place free.

use crate::upstream::spare_time::spare_time;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How long a start may hold its place, not counting time in which all processors are taken. A
/// hanging start needs no processor and must not block the others.
const MAX_HOLD: Duration = Duration::from_secs(5);

/// How urgent a start is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// A call waits for it.
    Call,
    /// No call waits for it: a first start, a retry, a subscription.
    Background,
}

/// A limited number of places for concurrent starts.
#[derive(Debug)]
pub(crate) struct StartLimiter {
    all: Arc<Semaphore>,
    background: Arc<Semaphore>,
}

/// A place, released when it is dropped.
struct Place {
    _all: Option<OwnedSemaphorePermit>,
    _background: Option<OwnedSemaphorePermit>,
}

impl StartLimiter {
    /// A limiter with this many places, by default the number of processors plus two.
    pub(crate) fn new(places: Option<NonZeroUsize>) -> Self {
        let usual = || std::thread::available_parallelism().map_or(2, NonZeroUsize::get) + 2;
        let places = places.map_or_else(usual, NonZeroUsize::get).min(Semaphore::MAX_PERMITS);
        Self {
            all: Arc::new(Semaphore::new(places)),
            background: Arc::new(Semaphore::new(places.saturating_sub(1).max(1))),
        }
    }

    /// Waits for a place, then does the work in it. `hurry` is notified when a call begins to wait
    /// for a background start.
    pub(crate) async fn run<T>(
        &self,
        urgency: Urgency,
        hurry: &Notify,
        work: impl Future<Output = T>,
    ) -> T {
        let place = match urgency {
            Urgency::Call => self.at_once().await,
            Urgency::Background => tokio::select! {
                place = self.in_turn() => place,
                () = hurry.notified() => self.at_once().await,
            },
        };
        let mut work = std::pin::pin!(work);
        tokio::select! {
            done = &mut work => return done,
            () = spare_time(MAX_HOLD) => drop(place),
        }
        work.await
    }

    /// Ends all waiting for places: starts that still come are about to be cancelled.
    pub(crate) fn close(&self) {
        self.all.close();
        self.background.close();
    }

    async fn at_once(&self) -> Place {
        Place { _all: Arc::clone(&self.all).acquire_owned().await.ok(), _background: None }
    }

    async fn in_turn(&self) -> Place {
        let background = Arc::clone(&self.background).acquire_owned().await.ok();
        Place { _background: background, ..self.at_once().await }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_HOLD, StartLimiter, Urgency};
    use crate::upstream::spare_time::max_real_time;
    use std::num::NonZeroUsize;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use tokio::sync::Notify;
    use tokio::task::JoinSet;
    use tokio::time::Instant;

    /// Advances the paused clock by this many seconds.
    async fn pass(seconds: u64) {
        let never = std::future::pending::<()>();
        drop(tokio::time::timeout(Duration::from_secs(seconds), never).await);
    }

    fn places(count: usize) -> Arc<StartLimiter> {
        Arc::new(StartLimiter::new(NonZeroUsize::new(count)))
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_so_many_start_at_once() {
        let places = places(3);
        let (running, max) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut starts = JoinSet::new();
        for number in 0..20 {
            let (places, running, max) =
                (Arc::clone(&places), Arc::clone(&running), Arc::clone(&max));
            let urgency = if number % 4 == 0 { Urgency::Call } else { Urgency::Background };
            starts.spawn(async move {
                let work = async {
                    let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                    max.fetch_max(now, Ordering::SeqCst);
                    pass(1).await;
                    running.fetch_sub(1, Ordering::SeqCst);
                };
                places.run(urgency, &Notify::new(), work).await;
            });
        }
        starts.join_all().await;
        assert_eq!(max.load(Ordering::SeqCst), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_goes_before_what_starts_in_the_background() {
        for count in [2, 3, 6] {
            let places = places(count);
            let mut starts = JoinSet::new();
            for _ in 0..30 {
                let places = Arc::clone(&places);
                starts.spawn(async move {
                    places.run(Urgency::Background, &Notify::new(), pass(2)).await;
                });
            }
            tokio::task::yield_now().await;
            let begun = Instant::now();
            places.run(Urgency::Call, &Notify::new(), async {}).await;
            assert_eq!(begun.elapsed(), Duration::ZERO, "{count} places");
            // A start that waits in the background suddenly has a call waiting for it.
            let hurry = Notify::new();
            hurry.notify_one();
            places.run(Urgency::Background, &hurry, async {}).await;
            assert_eq!(begun.elapsed(), Duration::ZERO, "{count} places");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn starts_that_hang_do_not_hold_up_the_others_for_long() {
        let places = places(3);
        let mut hanging = JoinSet::new();
        for _ in 0..3 {
            let places = Arc::clone(&places);
            hanging.spawn(async move {
                let work = std::future::pending::<()>();
                places.run(Urgency::Background, &Notify::new(), work).await;
            });
        }
        tokio::task::yield_now().await;
        let begun = Instant::now();
        places.run(Urgency::Background, &Notify::new(), async {}).await;
        // Time in which the machine is busy with something else does not count, up to a limit that is
        // checked between two samples.
        let longest = max_real_time(MAX_HOLD) + Duration::from_secs(1);
        assert!((MAX_HOLD..longest).contains(&begun.elapsed()));
    }
}

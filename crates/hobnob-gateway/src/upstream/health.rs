//! When an upstream may be started again. Pure: the caller passes in clock and random number.
//!
//! A failed start is retried with exponential backoff; after several failures in a row, the
//! upstream rests. Only an answered call proves an upstream healthy: one that greets and then dies
//! is not.

use crate::upstream::shown_connections::ShownConnections;
use hobnob_mcp_engine::Principal;
use std::time::{Duration, Instant};

/// The first backoff after a failure; it doubles.
const MIN_BACKOFF: Duration = Duration::from_millis(100);

/// The longest backoff of a program.
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// Failures in a row before an upstream rests for [`REST_PERIOD`].
const MAX_FAILURES: u32 = 5;

/// How long an upstream rests before it is tried again.
const REST_PERIOD: Duration = Duration::from_secs(60);

/// The longest backoff of a remote server: it may be back at any moment.
const MAX_REMOTE_BACKOFF: Duration = Duration::from_secs(2);

/// What a start of an upstream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum StartKind {
    /// A process on this machine.
    #[default]
    Process,
    /// A connection to a remote server.
    Connection,
}

/// The recent failures of an upstream.
#[derive(Debug, Clone, Default)]
pub(crate) struct Health {
    kind: StartKind,
    failures: u32,
    not_before: Option<Instant>,
    last_failure: Option<LastFailure>,
}

/// The latest failure, and the principal whose connection failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LastFailure {
    pub(crate) owner: Principal,
    pub(crate) why: Box<str>,
}

/// When an upstream may be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StartTime {
    Now,
    /// After this backoff: it failed a moment ago.
    Later(Duration),
    /// After this rest: it failed too often.
    AfterRest(Duration),
}

impl Health {
    /// An upstream without failures.
    pub(crate) fn new(kind: StartKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// When the upstream may be started, as of `now`.
    pub(crate) fn start_time(&self, now: Instant) -> StartTime {
        let left = self.not_before.map(|moment| moment.saturating_duration_since(now));
        match left.filter(|left| !left.is_zero()) {
            None => StartTime::Now,
            Some(left) if self.is_resting() => StartTime::AfterRest(left),
            Some(left) => StartTime::Later(left),
        }
    }

    /// Records a failure on a connection of `owner`, during or after the start. `jitter` is random
    /// in 0..1; it spreads the retries of upstreams that failed together.
    pub(crate) fn failed(&mut self, now: Instant, owner: &Principal, why: &str, jitter: f64) {
        self.failures = self.failures.saturating_add(1);
        let wait = if self.is_resting() {
            REST_PERIOD
        } else {
            let doubled = MIN_BACKOFF.saturating_mul(1 << (self.failures - 1).min(16));
            doubled.min(match self.kind {
                StartKind::Process => MAX_BACKOFF,
                StartKind::Connection => MAX_REMOTE_BACKOFF,
            })
        };
        self.not_before = Some(now + wait.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 2.0));
        self.last_failure = Some(LastFailure { owner: owner.clone(), why: why.into() });
    }

    /// Records an answered call, which resets all failures.
    pub(crate) fn proved(&mut self) {
        *self = Self::new(self.kind);
    }

    /// Whether the upstream rests after too many failures.
    pub(crate) fn is_resting(&self) -> bool {
        self.kind == StartKind::Process && self.failures >= MAX_FAILURES
    }

    /// The number of failures in a row, without an answered call in between.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// The latest failure, for readers who see the connection that failed.
    pub(crate) fn last_failure(&self, shown: &ShownConnections) -> Option<&str> {
        let last = self.last_failure.as_ref()?;
        shown.include(&last.owner).then_some(&*last.why)
    }
}

#[cfg(test)]
mod tests {
    use super::{Health, MAX_FAILURES, StartKind, StartTime};
    use crate::upstream::shown_connections::ShownConnections;
    use hobnob_mcp_engine::Principal;
    use std::time::{Duration, Instant};

    fn nobody() -> Principal {
        Principal::anonymous()
    }

    #[test]
    fn a_failure_is_shown_to_its_owner_and_to_the_owner_of_the_hub() {
        let (ann, bob) = (Principal::named("ann"), Principal::named("bob"));
        for (owner, caller, expected) in [
            (&ann, &ann, true),
            (&ann, &bob, false),
            (&ann, &nobody(), true),
            (&nobody(), &ann, false),
            (&nobody(), &nobody(), true),
        ] {
            let mut health = Health::default();
            health.failed(Instant::now(), owner, "boom", 0.5);
            let seen = health.last_failure(&ShownConnections::of(caller));
            assert_eq!(seen.is_some(), expected, "{caller:?} sees what failed for {owner:?}");
        }
    }

    #[test]
    fn waits_grow_and_then_it_rests() {
        let now = Instant::now();
        let mut health = Health::default();
        assert_eq!(health.start_time(now), StartTime::Now);
        let mut last = Duration::ZERO;
        for _ in 1..MAX_FAILURES {
            health.failed(now, &nobody(), "boom", 0.5);
            let StartTime::Later(wait) = health.start_time(now) else { panic!("not waiting") };
            assert!(wait > last, "{wait:?} after {last:?}");
            last = wait;
        }
        health.failed(now, &nobody(), "boom", 0.5);
        assert!(matches!(health.start_time(now), StartTime::AfterRest(_)));
        assert_eq!(health.start_time(now + Duration::from_secs(100)), StartTime::Now);
        assert_eq!(health.last_failure(&ShownConnections::All), Some("boom"));
    }

    #[test]
    fn a_loop_of_crashes_is_started_at_most_ten_times_in_five_minutes() {
        for jitter in [0.0, 0.5, 1.0] {
            let begin = Instant::now();
            let (mut now, mut starts) = (begin, 0);
            let mut health = Health::default();
            while now < begin + Duration::from_secs(300) {
                match health.start_time(now) {
                    StartTime::Now => {
                        starts += 1;
                        health.failed(now, &nobody(), "crashed", jitter);
                    }
                    StartTime::Later(wait) | StartTime::AfterRest(wait) => now += wait,
                }
            }
            assert!(starts <= 10, "{starts} starts with jitter {jitter}");
        }
    }

    #[test]
    fn a_server_of_somebody_else_is_never_given_up() {
        let now = Instant::now();
        let mut health = Health::new(StartKind::Connection);
        for jitter in [0.0, 0.5, 1.0] {
            (0..100).for_each(|_| health.failed(now, &nobody(), "refused", jitter));
            assert!(!health.is_resting());
            assert_eq!(health.start_time(now + Duration::from_secs(3)), StartTime::Now);
        }
    }

    #[test]
    fn an_answer_forgives_everything() {
        let now = Instant::now();
        let mut health = Health::default();
        (0..20).for_each(|_| health.failed(now, &nobody(), "boom", 0.1));
        health.proved();
        assert_eq!(health.start_time(now), StartTime::Now);
        assert_eq!(health.failures(), 0);
    }
}

//! When an upstream may be started again. Pure: the caller brings the clock and the dice.
//!
//! A start that fails is tried again soon, then less and less soon; after a few in a row nobody
//! tries for a while. Only an answered call proves an upstream well: one that greets and dies is
//! not.

use std::time::{Duration, Instant};

/// The first wait after a failure; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// The longest wait between tries.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Failures in a row after which nobody tries for [`REST`].
const ENOUGH: u32 = 5;

/// How long an upstream is left alone then.
const REST: Duration = Duration::from_secs(60);

/// The longest wait for a server that somebody else runs: it may be back at any moment.
const LONGEST_AWAY: Duration = Duration::from_secs(2);

/// What a start is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Kind {
    /// A process of ours.
    #[default]
    Process,
    /// A connection to a server that somebody else runs.
    Connection,
}

/// How an upstream has done lately.
#[derive(Debug, Clone, Default)]
pub(crate) struct Health {
    kind: Kind,
    failures: u32,
    not_before: Option<Instant>,
    last_failure: Option<Box<str>>,
}

/// Whether it may be started now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum May {
    /// Yes.
    Start,
    /// After that long: it failed a moment ago.
    Wait(Duration),
    /// Not for that long: it failed too often.
    Rest(Duration),
}

impl Health {
    /// Nothing is known yet.
    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Whether it may be started.
    pub(crate) fn may_start(&self, now: Instant) -> May {
        let left = self.not_before.map(|moment| moment.saturating_duration_since(now));
        match left.filter(|left| !left.is_zero()) {
            None => May::Start,
            Some(left) if self.is_resting() => May::Rest(left),
            Some(left) => May::Wait(left),
        }
    }

    /// It failed: to start, or after it had started. `dice` is in 0..1 and spreads many upstreams
    /// that failed together.
    pub(crate) fn failed(&mut self, now: Instant, why: &str, dice: f64) {
        self.failures = self.failures.saturating_add(1);
        let wait = if self.is_resting() {
            REST
        } else {
            let doubled = FIRST_WAIT.saturating_mul(1 << (self.failures - 1).min(16));
            doubled.min(match self.kind {
                Kind::Process => LONGEST_WAIT,
                Kind::Connection => LONGEST_AWAY,
            })
        };
        self.not_before = Some(now + wait.mul_f64(1.0 + dice.clamp(0.0, 1.0) / 2.0));
        self.last_failure = Some(why.into());
    }

    /// It answered a call.
    pub(crate) fn proved(&mut self) {
        *self = Self::new(self.kind);
    }

    /// Whether nobody tries for a while.
    pub(crate) fn is_resting(&self) -> bool {
        self.kind == Kind::Process && self.failures >= ENOUGH
    }

    /// Failures in a row.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// What went wrong last.
    pub(crate) fn last_failure(&self) -> Option<&str> {
        self.last_failure.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::{ENOUGH, Health, Kind, May};
    use std::time::{Duration, Instant};

    #[test]
    fn waits_grow_and_then_it_rests() {
        let now = Instant::now();
        let mut health = Health::default();
        assert_eq!(health.may_start(now), May::Start);
        let mut last = Duration::ZERO;
        for _ in 1..ENOUGH {
            health.failed(now, "boom", 0.5);
            let May::Wait(wait) = health.may_start(now) else { panic!("not waiting") };
            assert!(wait > last, "{wait:?} after {last:?}");
            last = wait;
        }
        health.failed(now, "boom", 0.5);
        assert!(matches!(health.may_start(now), May::Rest(_)));
        assert_eq!(health.may_start(now + Duration::from_secs(100)), May::Start);
        assert_eq!(health.last_failure(), Some("boom"));
    }

    #[test]
    fn a_loop_of_crashes_is_started_at_most_ten_times_in_five_minutes() {
        for dice in [0.0, 0.5, 1.0] {
            let begin = Instant::now();
            let (mut now, mut starts) = (begin, 0);
            let mut health = Health::default();
            while now < begin + Duration::from_secs(300) {
                match health.may_start(now) {
                    May::Start => {
                        starts += 1;
                        health.failed(now, "crashed", dice);
                    }
                    May::Wait(wait) | May::Rest(wait) => now += wait,
                }
            }
            assert!(starts <= 10, "{starts} starts with dice {dice}");
        }
    }

    #[test]
    fn a_server_of_somebody_else_is_never_given_up() {
        let now = Instant::now();
        let mut health = Health::new(Kind::Connection);
        for dice in [0.0, 0.5, 1.0] {
            (0..100).for_each(|_| health.failed(now, "refused", dice));
            assert!(!health.is_resting());
            assert_eq!(health.may_start(now + Duration::from_secs(3)), May::Start);
        }
    }

    #[test]
    fn an_answer_forgives_everything() {
        let now = Instant::now();
        let mut health = Health::default();
        (0..20).for_each(|_| health.failed(now, "boom", 0.1));
        health.proved();
        assert_eq!(health.may_start(now), May::Start);
        assert_eq!(health.failures(), 0);
    }
}

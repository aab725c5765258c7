//! The report of a measurement: a flat object of numbers, easy to tabulate.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::accounting::Usage;

/// Figures by name; each name ends with its unit.
pub(crate) type Report = BTreeMap<&'static str, f64>;

/// The calls of one phase.
pub(crate) struct Tally {
    pub(crate) latencies: Vec<Duration>,
    pub(crate) elapsed: Duration,
}

impl Tally {
    /// The report on these calls, given the server's usage before and after them.
    pub(crate) fn report(mut self, before: Usage, after: Usage) -> Report {
        self.latencies.sort_unstable();
        let calls = self.latencies.len() as f64;
        let elapsed = self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        let percentile = |percent| micros(quantile(&self.latencies, percent));
        Report::from([
            ("calls_per_second", calls / elapsed),
            ("p50_us", percentile(50)),
            ("p90_us", percentile(90)),
            ("p99_us", percentile(99)),
            ("cpu_us_per_call", micros(after.cpu.saturating_sub(before.cpu)) / calls.max(1.0)),
            ("rss_kib", after.rss_kib as f64),
        ])
    }
}

pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

pub(crate) fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// The smallest value that at least `percent` of the sorted values do not exceed; zero for none.
pub(crate) fn quantile(sorted: &[Duration], percent: usize) -> Duration {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_take_the_nearest_rank() {
        let check = |count: u64, percent, expected| {
            let sorted: Vec<_> = (1..=count).map(Duration::from_micros).collect();
            assert_eq!(quantile(&sorted, percent), Duration::from_micros(expected));
        };
        check(0, 50, 0);
        check(1, 99, 1);
        check(4, 50, 2);
        check(5, 50, 3);
        check(100, 99, 99);
        check(1000, 99, 990);
    }
}

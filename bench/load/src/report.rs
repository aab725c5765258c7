//! What a measurement tells: flat objects of numbers, so that any reader can tabulate them.

use std::time::Duration;

use serde::Serialize;

use crate::accounting::Usage;

/// Each variant is written as the object it holds.
pub(crate) enum Report {
    Load(Load),
    Events(Events),
    Idle(Idle),
    Startup(Startup),
    Catalogue(Catalogue),
    Chat(Chat),
}

#[derive(Serialize)]
pub(crate) struct Load {
    pub(crate) calls: usize,
    pub(crate) calls_per_second: f64,
    pub(crate) p50_us: f64,
    pub(crate) p90_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) cpu_us_per_call: f64,
    pub(crate) rss_kib: u64,
    pub(crate) startup_ms: f64,
    /// What one fsync of 4 KiB took on the same disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fsync_us: Option<f64>,
    /// Calls that were answered in that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) calls_per_fsync: Option<f64>,
}

#[derive(Default, Serialize)]
pub(crate) struct Events {
    pub(crate) events: usize,
    pub(crate) events_per_second: f64,
    pub(crate) cpu_us_per_event: f64,
    pub(crate) rss_kib: u64,
    /// From emitting an event to its arrival, where an event says when it was emitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arrival_p50_us: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arrival_p99_us: Option<f64>,
    /// Before anybody had subscribed, where that is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rss_before_kib: Option<u64>,
    /// Streams of those who did not read that waited for them, and streams that were cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slowed: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cut: Option<usize>,
}

#[derive(Serialize)]
pub(crate) struct Idle {
    pub(crate) sessions: usize,
    pub(crate) kib_per_session: f64,
    pub(crate) rss_kib: u64,
}

#[derive(Serialize)]
pub(crate) struct Startup {
    pub(crate) startup_ms: f64,
    pub(crate) rss_kib: u64,
}

/// Times from the start of the process.
#[derive(Serialize)]
pub(crate) struct Catalogue {
    /// Until the first list of tools, however much of it was there.
    pub(crate) first_list_ms: f64,
    /// Until a list with the tools of all upstreams.
    pub(crate) whole_list_ms: f64,
    /// Of all processes; a page that several share is divided among them.
    pub(crate) pss_kib: u64,
    pub(crate) own_pss_kib: u64,
    pub(crate) upstreams_pss_kib: u64,
    /// Processes that are neither the gateway nor an upstream.
    pub(crate) between: u64,
    pub(crate) between_pss_kib_each: f64,
}

#[derive(Serialize)]
pub(crate) struct Chat {
    /// From the start of the process until it can be typed into.
    pub(crate) prompt_ms: f64,
    /// From sending the first word of an answer to seeing it.
    pub(crate) first_word_p50_us: f64,
    pub(crate) first_word_p99_us: f64,
    /// Memory after the first turns, and after all of them.
    pub(crate) early_kib: u64,
    pub(crate) rss_kib: u64,
}

impl Serialize for Report {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Load(load) => load.serialize(serializer),
            Self::Events(events) => events.serialize(serializer),
            Self::Idle(idle) => idle.serialize(serializer),
            Self::Startup(startup) => startup.serialize(serializer),
            Self::Catalogue(catalogue) => catalogue.serialize(serializer),
            Self::Chat(chat) => chat.serialize(serializer),
        }
    }
}

/// The calls of one phase.
pub(crate) struct Tally {
    pub(crate) latencies: Vec<Duration>,
    pub(crate) elapsed: Duration,
}

impl Load {
    pub(crate) fn new(mut tally: Tally, before: Usage, after: Usage, startup: Duration) -> Self {
        tally.latencies.sort_unstable();
        let calls = tally.latencies.len();
        let each = calls.max(1) as f64;
        let cpu = after.cpu.saturating_sub(before.cpu);
        Self {
            calls,
            calls_per_second: calls as f64 / tally.elapsed.as_secs_f64().max(f64::MIN_POSITIVE),
            p50_us: micros(quantile(&tally.latencies, 50)),
            p90_us: micros(quantile(&tally.latencies, 90)),
            p99_us: micros(quantile(&tally.latencies, 99)),
            cpu_us_per_call: micros(cpu) / each,
            rss_kib: after.rss_kib,
            startup_ms: millis(startup),
            fsync_us: None,
            calls_per_fsync: None,
        }
    }

    /// The same, beside what bare durable writes took.
    pub(crate) fn beside(mut self, mut syncs: Vec<Duration>) -> Self {
        syncs.sort_unstable();
        if !syncs.is_empty() {
            let sync = quantile(&syncs, 50);
            self.fsync_us = Some(micros(sync));
            self.calls_per_fsync = Some(self.calls_per_second * sync.as_secs_f64());
        }
        self
    }
}

pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// The smallest value that `percent` of the sorted values do not exceed; zero when there are none.
pub(crate) fn quantile(sorted: &[Duration], percent: usize) -> Duration {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

pub(crate) fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
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

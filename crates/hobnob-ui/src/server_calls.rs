//! How fast each server answered in the last quarter of an hour, and how many of its calls failed.
//!
//! `feed` adds every ended call while a page watches, and `server_history` shows the sums. What must
//! stay true: the figures are bounded in servers and in minutes, and without a page nothing is
//! counted.

use crate::observed_call::EndedCall;
use hobnob_policy::audit::AuditOutcome;
use hobnob_store::usage::CallDurations;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};

/// How far the figures reach back.
const MINUTES: i64 = 15;

/// The most servers with figures. Calls of more are not counted.
const MAX_SERVERS: usize = 256;

/// The figures of all servers since a page began to watch.
pub(crate) struct ServerCalls {
    servers: BTreeMap<Box<str>, VecDeque<CallsOfMinute>>,
    /// From when on every call is counted; `None` if that is longer ago than the figures reach back.
    since: Option<Timestamp>,
}

/// The calls of one server that ended in one minute.
struct CallsOfMinute {
    minute: i64,
    calls: u64,
    errors: u64,
    durations: CallDurations,
}

/// The calls of one server in the last quarter of an hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CallsSum {
    pub(crate) calls: u64,
    pub(crate) errors: u64,
    pub(crate) p50_us: Option<u64>,
    pub(crate) p95_us: Option<u64>,
}

impl ServerCalls {
    /// Begins with the calls that are known. `since`: from when on they are complete.
    pub(crate) fn new<'a>(
        known: impl Iterator<Item = &'a EndedCall>,
        since: Option<Timestamp>,
    ) -> Self {
        let mut figures = Self { servers: BTreeMap::new(), since };
        known.for_each(|ended| figures.add(ended));
        figures
    }

    pub(crate) fn add(&mut self, ended: &EndedCall) {
        let Some(server) = ended.call.server.as_deref() else { return };
        if !self.servers.contains_key(server) {
            if MAX_SERVERS <= self.servers.len() {
                return;
            }
            self.servers.insert(server.into(), VecDeque::new());
        }
        let Some(minutes) = self.servers.get_mut(server) else { return };
        let minute = minute_of(end_of(ended));
        // A clock that was set back must not add minutes without end: they join the newest one.
        if minutes.back().is_none_or(|newest| newest.minute < minute) {
            minutes.push_back(CallsOfMinute {
                minute,
                calls: 0,
                errors: 0,
                durations: CallDurations::default(),
            });
            while minutes.front().is_some_and(|oldest| oldest.minute <= minute - MINUTES) {
                minutes.pop_front();
            }
        }
        let Some(newest) = minutes.back_mut() else { return };
        newest.calls += 1;
        let (has_answer, is_error) = judged(ended.end.outcome);
        newest.errors += u64::from(is_error);
        if has_answer {
            let micros = u64::try_from(ended.end.duration.as_micros()).unwrap_or(u64::MAX);
            newest.durations.add(micros);
        }
    }

    /// From when on every call is counted, if that is within the last quarter of an hour.
    pub(crate) fn since(&self, now: Timestamp) -> Option<Timestamp> {
        let start = now.saturating_sub(SignedDuration::from_mins(MINUTES)).unwrap_or(now);
        self.since.filter(|since| start < *since)
    }

    /// The sums of each server that answered calls lately.
    pub(crate) fn sums(&self, now: Timestamp) -> BTreeMap<Box<str>, CallsSum> {
        let first = minute_of(now) - MINUTES;
        let sums = self.servers.iter().filter_map(|(server, minutes)| {
            let mut durations = CallDurations::default();
            let (mut calls, mut errors) = (0, 0);
            for minute in minutes.iter().filter(|minute| first < minute.minute) {
                calls += minute.calls;
                errors += minute.errors;
                durations.merge(&minute.durations);
            }
            let (p50_us, p95_us) = (durations.percentile(50), durations.percentile(95));
            (0 < calls).then(|| (server.clone(), CallsSum { calls, errors, p50_us, p95_us }))
        });
        sums.collect()
    }
}

/// When a call ended.
pub(crate) fn end_of(ended: &EndedCall) -> Timestamp {
    let duration = SignedDuration::try_from(ended.end.duration).unwrap_or(SignedDuration::MAX);
    ended.call.at.saturating_add(duration).unwrap_or(ended.call.at)
}

fn minute_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(60)
}

/// Whether the server answered, or took too long to, and whether the call failed.
fn judged(outcome: AuditOutcome) -> (bool, bool) {
    match outcome {
        AuditOutcome::Ok => (true, false),
        AuditOutcome::ToolError | AuditOutcome::Error(_) | AuditOutcome::Timeout => (true, true),
        AuditOutcome::UpstreamLost => (false, true),
        AuditOutcome::Cancelled | AuditOutcome::Refused | AuditOutcome::Begun => (false, false),
    }
}

#[cfg(test)]
mod tests;

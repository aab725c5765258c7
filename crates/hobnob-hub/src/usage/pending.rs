//! Calls that have been counted but not yet written.
//!
//! Only the recorder uses it, behind its lock. What must stay true: its size has a limit that no
//! client's names can exceed, and a call under a known key allocates nothing.

use hobnob_gateway::{ObservedCall, ObservedEnd};
use hobnob_mcp_types::Method;
use hobnob_policy::audit::AuditOutcome;
use hobnob_store::usage::{CallCounts, MinuteUsage, UsageBucket, UsageKey};
use hobnob_store::{Owner, Time};
use std::hash::{BuildHasher as _, RandomState};

/// Records of a minute; further calls are counted once for each principal.
const MAX_RECORDS: usize = 200;
/// Records of a minute, with those for other calls of one principal; further calls are counted
/// together.
const MAX_ALL_RECORDS: usize = 2 * MAX_RECORDS;
/// Records that wait for a store that cannot be written.
const MAX_WAITING: usize = 20_000;
/// Longer names are cut, in bytes.
const MAX_NAME: usize = 128;
/// Who made the calls that there was no record for. No principal has a control character in its
/// name.
pub(super) const OTHERS: &str = "\u{1}others";

/// The calls since the last write.
#[derive(Debug, Default)]
pub(super) struct PendingUsage {
    /// The current minute, its records, and the hash of each record's names.
    minute: Time,
    records: Vec<(UsageKey, CallCounts)>,
    hashes: Vec<u64>,
    hasher: RandomState,
    /// Records of earlier minutes.
    earlier: Vec<MinuteUsage>,
    /// Calls that were dropped because too many records waited.
    lost: u64,
}

impl PendingUsage {
    /// Counts a call that has ended.
    pub(super) fn count(&mut self, call: &ObservedCall, end: &ObservedEnd) {
        let micros = u64::try_from(end.duration.as_micros()).unwrap_or(u64::MAX);
        let ended = Time::from_millis(call.at.as_millisecond()).plus(end.duration);
        let minute = UsageBucket::Minute.start_of(ended);
        // A clock that was set back must not close a minute with every call.
        if self.minute < minute {
            self.close();
            self.minute = minute;
        }
        let place = self.place(&CallNames::of(call));
        let (_, counts) = &mut self.records[place];
        counts.calls += 1;
        counts.errors += u64::from(is_error(end.outcome));
        counts.request_bytes = counts.request_bytes.saturating_add(call.request_bytes);
        counts.result_bytes = counts.result_bytes.saturating_add(end.result_bytes);
        counts.last = counts.last.max(ended);
        if end.outcome != AuditOutcome::Refused {
            counts.durations.add(micros);
        }
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.earlier.is_empty()
    }

    /// Takes all records, also those of the current minute, which may get more later.
    pub(super) fn take(&mut self) -> Vec<MinuteUsage> {
        self.close();
        std::mem::take(&mut self.earlier)
    }

    /// Puts records back that could not be written.
    pub(super) fn put_back(&mut self, mut usage: Vec<MinuteUsage>) {
        usage.append(&mut self.earlier);
        self.earlier = usage;
        self.drop_oldest();
    }

    /// How many calls were dropped since the last time this was asked.
    pub(super) fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost)
    }

    /// Where a call is counted: in the record of its names or, if there is no room for one, with
    /// all others of its principal or of everyone.
    fn place(&mut self, names: &CallNames<'_>) -> usize {
        let others = CallNames::other(names.principal);
        for (names, room) in [(names, MAX_RECORDS), (&others, MAX_ALL_RECORDS)] {
            match self.find(names) {
                Some(place) => return place,
                None if self.records.len() < room => return self.add(names),
                None => {}
            }
        }
        let everyone = CallNames::other(OTHERS);
        self.find(&everyone).unwrap_or_else(|| self.add(&everyone))
    }

    fn find(&self, names: &CallNames<'_>) -> Option<usize> {
        let hash = self.hasher.hash_one(names);
        let mut known = self.hashes.iter().zip(&self.records);
        known.position(|(known, (key, _))| *known == hash && names.are(key))
    }

    fn add(&mut self, names: &CallNames<'_>) -> usize {
        self.hashes.push(self.hasher.hash_one(names));
        self.records.push((names.to_key(), CallCounts::default()));
        self.records.len() - 1
    }

    /// Ends the current minute.
    fn close(&mut self) {
        let minute = self.minute;
        let records = self.records.drain(..);
        self.earlier.extend(records.map(|(key, counts)| MinuteUsage { minute, key, counts }));
        self.hashes.clear();
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        let excess = self.earlier.len().saturating_sub(MAX_WAITING);
        self.lost += self.earlier.drain(..excess).map(|usage| usage.counts.calls).sum::<u64>();
    }
}

/// The names of a call, as they are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct CallNames<'a> {
    principal: &'a str,
    server: &'a str,
    tool: &'a str,
    client: &'a str,
}

impl<'a> CallNames<'a> {
    fn of(call: &'a ObservedCall) -> Self {
        Self {
            principal: &call.principal,
            server: start(call.server.as_deref().unwrap_or_default()),
            // Addresses of resources may have secrets in them, and there is no end of them.
            tool: match call.method {
                Method::ToolsCall => start(&call.target),
                method => method.as_str(),
            },
            client: start(call.client.as_deref().unwrap_or_default()),
        }
    }

    fn other(principal: &'a str) -> Self {
        let (server, tool, client) = (UsageKey::OTHER, UsageKey::OTHER, UsageKey::OTHER);
        Self { principal, server, tool, client }
    }

    fn are(&self, key: &UsageKey) -> bool {
        let UsageKey { owner, server, tool, client } = key;
        *self == CallNames { principal: owner.as_str(), server, tool, client }
    }

    fn to_key(self) -> UsageKey {
        UsageKey {
            owner: Owner::named(self.principal),
            server: self.server.into(),
            tool: self.tool.into(),
            client: self.client.into(),
        }
    }
}

fn start(name: &str) -> &str {
    &name[..name.floor_char_boundary(MAX_NAME)]
}

/// Whether a call counts as failed. One that its caller no longer wanted did not fail.
fn is_error(outcome: AuditOutcome) -> bool {
    match outcome {
        AuditOutcome::Ok | AuditOutcome::Cancelled | AuditOutcome::Begun => false,
        AuditOutcome::ToolError
        | AuditOutcome::Error(_)
        | AuditOutcome::Timeout
        | AuditOutcome::Refused
        | AuditOutcome::UpstreamLost => true,
    }
}

//! Deduplicates refusals: the first of a kind is written at once, the others are counted and become
//! one line.
//!
//! Thus repeating a refused call cannot push history out of the log. Nor can varying names: beyond
//! a number of kinds, a principal's refusals share one count. Calls that ran are never counted.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::record::{AuditOutcome, AuditRecord, AuditTarget};

/// How long refusals are counted before the count is written.
pub(super) const WINDOW: Duration = Duration::from_secs(300);
/// Kinds of refusals in one window that are written and counted one by one.
const MAX_KINDS: usize = 64;
/// Principals that have a shared count of their own for refusals beyond that number.
const MAX_PRINCIPALS: usize = 64;

/// The refusals since the counts were last written.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    begun: Option<Instant>,
    kinds: HashMap<String, Count>,
    /// Entries of `kinds` that are shared counts.
    others: usize,
}

#[derive(Debug)]
struct Count {
    /// The line that stands for all of them.
    line: String,
    first: Timestamp,
    last: Timestamp,
    more: u64,
}

/// What the log does with a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RecordHandling {
    /// It is written at once: a call that ran, or the first refusal of its kind.
    Write,
    /// It repeats an earlier refusal and was added to that count.
    Counted,
}

impl Refusals {
    /// Counts a refusal that is about to be written as `line`, and decides whether to write it.
    pub(super) fn see(&self, record: &AuditRecord<'_>, line: &str, now: Instant) -> RecordHandling {
        if record.outcome != AuditOutcome::Refused {
            return RecordHandling::Write;
        }
        let mut table = self.table();
        let kind = kind(record);
        if let Some(count) = table.kinds.get_mut(&kind) {
            return count.add(record.at);
        }
        table.begun.get_or_insert(now);
        if table.kinds.len() - table.others < MAX_KINDS {
            table.kinds.insert(kind, Count::new(line.into(), record.at));
            return RecordHandling::Write;
        }
        let (others, limit) = (table.others, MAX_PRINCIPALS);
        let principal = if others < limit { record.principal } else { "" };
        let kind = format!("others\0{principal}");
        if let Some(count) = table.kinds.get_mut(&kind) {
            return count.add(record.at);
        }
        let mut joint = String::new();
        AuditRecord {
            principal,
            address: None,
            client: None,
            via: None,
            revision: None,
            target: AuditTarget::None,
            server: None,
            original: None,
            decision: record.decision.without_rule(),
            ..record.clone()
        }
        .write_line(&mut joint);
        // None of them is written by itself, so the first is counted too.
        let mut count = Count::new(joint, record.at);
        count.add(record.at);
        table.kinds.insert(kind, count);
        table.others += 1;
        RecordHandling::Counted
    }

    /// When the counts have to be written, if there are any.
    pub(super) fn due(&self) -> Option<Instant> {
        self.table().begun.map(|begun| begun + WINDOW)
    }

    /// Takes the counts and resets the table: one line for each kind with repetitions.
    pub(super) fn take(&self) -> Vec<String> {
        let table = std::mem::take(&mut *self.table());
        let counted = table.kinds.into_values().filter(|count| 0 < count.more);
        let mut lines: Vec<(Timestamp, String)> =
            counted.map(|count| (count.last, count.line())).collect();
        lines.sort();
        lines.into_iter().map(|(_, line)| line).collect()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock()
    }
}

impl Count {
    fn new(line: String, at: Timestamp) -> Self {
        Self { line, first: at, last: at, more: 0 }
    }

    fn add(&mut self, at: Timestamp) -> RecordHandling {
        self.more += 1;
        self.last = self.last.max(at);
        RecordHandling::Counted
    }

    fn line(&self) -> String {
        super::record::repeated_line(&self.line, self.first, self.last, self.more)
    }
}

/// The deduplication key of a refusal. It leaves out the name of a tool that no server offers,
/// since the caller is free to invent such names.
fn kind(record: &AuditRecord<'_>) -> String {
    let (word, target) = match record.target {
        AuditTarget::None => ("none", ""),
        AuditTarget::Tool(name) => ("tool", name),
        AuditTarget::Uri(uri) => ("uri", uri),
        AuditTarget::Prompt(name) => ("prompt", name),
        AuditTarget::Program(command) => ("program", command),
        AuditTarget::Grant(grant) => ("grant", grant),
    };
    let target =
        if record.server.is_some() || record.decision.rule().is_some() { target } else { "" };
    let client = record.client.map_or("", |client| client.name);
    let address = record.address.map(|address| address.to_string()).unwrap_or_default();
    [
        record.principal,
        &address,
        client,
        record.via.unwrap_or_default(),
        record.method,
        word,
        target,
        record.server.unwrap_or_default(),
        record.decision.decision().as_str(),
        record.decision.rule().unwrap_or_default(),
    ]
    .join("\0")
}

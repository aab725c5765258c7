//! How often each rule decided about a call since this gateway started, and when last.
//!
//! `record` counts a call when it ends; `OwnerControls` reads the counts. A call that waits for a
//! person's answer counts once, when the answer has come. Rules of the same text count together:
//! they decide the same. Nothing is written to the disk.

use hobnob_policy::audit::AuditDecision;
use jiff::Timestamp;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The most rules that are kept: as many as one set may have. At the limit, the one that decided
/// longest ago is dropped (LRU).
const MAX_KEPT: usize = 4096;

/// The counts of all rules, by their text in one line.
#[derive(Debug)]
pub(crate) struct RuleUses {
    since: Timestamp,
    counts: Mutex<HashMap<Arc<str>, RuleUse>>,
}

/// How often one rule decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleUse {
    /// How many calls the rule has decided.
    pub count: u64,
    /// When the last of them ended.
    pub last: Timestamp,
}

/// The counts of rules at one moment.
#[derive(Debug, Clone)]
pub struct CountedRules {
    /// From when on calls are counted.
    pub since: Timestamp,
    /// The rules that decided at all, by their text in one line.
    pub uses: HashMap<Arc<str>, RuleUse>,
}

impl RuleUses {
    pub(crate) fn new() -> Self {
        Self { since: Timestamp::now(), counts: Mutex::default() }
    }

    /// Counts the rule behind a decision, if a person wrote one.
    pub(crate) fn count(&self, decision: &AuditDecision) {
        if let Some(rule) = decision.written_rule() {
            self.add(rule, Timestamp::now());
        }
    }

    fn add(&self, rule: &Arc<str>, now: Timestamp) {
        let mut counts = self.counts.lock();
        if let Some(known) = counts.get_mut(rule) {
            known.count = known.count.saturating_add(1);
            known.last = now;
            return;
        }
        if MAX_KEPT <= counts.len() {
            let oldest = counts.iter().min_by_key(|(_, one)| one.last);
            let oldest = oldest.map(|(text, _)| Arc::clone(text));
            oldest.and_then(|text| counts.remove(&text));
        }
        counts.insert(Arc::clone(rule), RuleUse { count: 1, last: now });
    }

    /// The counts at this moment, of rules that decided at all.
    pub(crate) fn read(&self) -> CountedRules {
        CountedRules { since: self.since, uses: self.counts.lock().clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_KEPT, RuleUses};
    use jiff::Timestamp;
    use std::sync::Arc;

    #[test]
    fn a_rule_counts_and_the_one_used_longest_ago_makes_room() {
        let uses = RuleUses::new();
        let at = |second: usize| Timestamp::from_second(i64::try_from(second).unwrap()).unwrap();
        let rule = |number: usize| Arc::<str>::from(format!("shop/t{number} allow"));
        for number in 0..MAX_KEPT {
            uses.add(&rule(number), at(number));
        }
        uses.add(&rule(0), at(MAX_KEPT));
        uses.add(&rule(MAX_KEPT), at(MAX_KEPT + 1));
        let read = uses.read().uses;
        assert_eq!(read.len(), MAX_KEPT);
        let first = read.get(&*rule(0)).unwrap();
        assert_eq!((first.count, first.last), (2, at(MAX_KEPT)));
        assert!(!read.contains_key(&*rule(1)), "the one that decided longest ago");
        assert_eq!(read.get(&*rule(MAX_KEPT)).unwrap().count, 1);
    }
}

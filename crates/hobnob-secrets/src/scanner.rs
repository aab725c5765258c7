//! The scanner: collects the matches of all rules, merges overlaps, and reports or redacts them.
//!
//! Services run it on what they store, the anonymiser on logs. A finding never contains the value,
//! only its kind and position, and the running time is linear in the text.

use crate::finding::{Finding, locate};
use crate::folded::Folded;
use crate::personal::digits;
use crate::redaction::push_redaction;
use crate::rule_match::{RuleMatch, merge_overlaps};
use crate::scope::ScanScope;
use crate::secret::discord;
use crate::trigger;

/// Finds secrets and personal data; all scanners share tables that are built once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scanner {
    scope: ScanScope,
}

impl Scanner {
    /// A scanner for this scope.
    pub fn new(scope: ScanScope) -> Self {
        Self { scope }
    }

    /// All findings in scope: sorted and without overlaps.
    pub fn scan(&self, text: &str) -> Vec<Finding> {
        locate(text, self.matches(text))
    }

    /// The text with every value replaced by a mark, and the findings in the original text.
    pub fn redact(&self, text: &str) -> (String, Vec<Finding>) {
        let findings = self.scan(text);
        let mut redacted = String::with_capacity(text.len());
        let mut copied = 0;
        for Finding { kind, range, .. } in &findings {
            redacted.push_str(&text[copied..range.start]);
            push_redaction(&mut redacted, *kind);
            copied = range.end;
        }
        redacted.push_str(&text[copied..]);
        (redacted, findings)
    }

    /// The same as `scan`, without lines and columns.
    pub(crate) fn matches(&self, text: &str) -> Vec<RuleMatch> {
        let mut matches = Vec::new();
        let mut report = |rule_match: RuleMatch| {
            if self.scope.admits(&rule_match) {
                matches.push(rule_match);
            }
        };
        run_rules(text, self.scope, &mut report);
        // Look-alike and invisible characters hide a value from the rules, but not from a reader.
        if let Some(folded) = Folded::of(text) {
            run_rules(folded.text(), self.scope, &mut |rule_match: RuleMatch| {
                report(RuleMatch { range: folded.origin(&rule_match.range), ..rule_match });
            });
        }
        merge_overlaps(matches)
    }
}

/// Runs every rule on one text; rules about digits only where they can match.
fn run_rules(text: &str, scope: ScanScope, report: &mut impl FnMut(RuleMatch)) {
    trigger::run(text, report);
    discord::run(text, report);
    digits::run(text, scope, report);
}

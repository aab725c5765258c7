//! The scanner: collects what the rules match, merges overlaps, and reports or redacts.
//!
//! The memory and task services call it for everything they store. It never returns a value, only
//! its kind and position, and its time grows linearly with the text.

use crate::finding::{Finding, locate};
use crate::folded::Folded;
use crate::personal::digits;
use crate::redaction::push_redaction;
use crate::rule_match::{RuleMatch, merge_overlaps};
use crate::scope::ScanScope;
use crate::secret::discord;
use crate::trigger;

/// Looks for secrets and personal data; its tables are built once and shared by all scanners.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scanner {
    scope: ScanScope,
}

impl Scanner {
    /// A scanner that looks for what is in scope.
    pub fn new(scope: ScanScope) -> Self {
        Self { scope }
    }

    /// Everything in scope that is in the text: in order, and never two that overlap.
    pub fn scan(&self, text: &str) -> Vec<Finding> {
        locate(text, self.matches(text))
    }

    /// The text with every value replaced by what it was, and what was found in the original.
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

    /// What `scan` reports, without lines and columns.
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

/// Applies every rule to one text; those about digits only where they can report something.
fn run_rules(text: &str, scope: ScanScope, report: &mut impl FnMut(RuleMatch)) {
    trigger::run(text, report);
    discord::run(text, report);
    digits::run(text, scope, report);
}

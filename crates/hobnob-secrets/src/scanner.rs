//! The scanner: gathers what the rules saw, settles what overlaps, and reports or redacts.

use crate::finding::{Finding, locate};
use crate::folded::Folded;
use crate::personal::digits;
use crate::scope::Scope;
use crate::secret::discord;
use crate::sighting::{Sighting, settle};
use crate::trigger;

/// Looks for secrets and personal data; its tables are built once and shared by all scanners.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scanner {
    scope: Scope,
}

impl Scanner {
    /// A scanner that looks for what is in scope.
    pub fn new(scope: Scope) -> Self {
        Self { scope }
    }

    /// Everything in scope that is in the text: in order, and never two that overlap.
    pub fn scan(&self, text: &str) -> Vec<Finding> {
        locate(text, self.sight(text))
    }

    /// The text with every value replaced by what it was, and what was found in the original.
    pub fn redact(&self, text: &str) -> (String, Vec<Finding>) {
        let findings = self.scan(text);
        let mut redacted = String::with_capacity(text.len());
        let mut copied = 0;
        for Finding { kind, range, .. } in &findings {
            redacted.push_str(&text[copied..range.start]);
            redacted.push_str(MARK);
            redacted.push_str(kind.label());
            redacted.push(']');
            copied = range.end;
        }
        redacted.push_str(&text[copied..]);
        (redacted, findings)
    }

    fn sight(&self, text: &str) -> Vec<Sighting> {
        let mut sightings = Vec::new();
        let mut note = |sighting: Sighting| {
            if self.scope.covers(sighting.kind) {
                sightings.push(sighting);
            }
        };
        look(text, &mut note);
        // What a reader sees may be written with characters that a rule does not.
        if let Some(folded) = Folded::of(text) {
            look(folded.text(), &mut |sighting: Sighting| {
                let range = folded.origin(&sighting.range);
                note(Sighting::new(sighting.kind, range));
            });
        }
        settle(sightings)
    }
}

/// Every rule, over one text.
fn look(text: &str, note: &mut impl FnMut(Sighting)) {
    trigger::run(text, note);
    discord::run(text, note);
    digits::run(text, note);
}

/// How every replacement begins; rules know it, so that no replacement is found again.
pub(crate) const MARK: &str = "[redacted: ";

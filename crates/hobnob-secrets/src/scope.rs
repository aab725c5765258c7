//! The scope of a scan: secrets always, personal data by group.
//!
//! The binary builds one from the memory settings; the anonymiser has its own.

use crate::kind::{FindingKind, PersonalData};
use crate::rule_match::{Certainty, RuleMatch};

/// The kinds of findings that a scanner looks for.
///
/// The default is secrets, mail, phone, card, IBAN and US social security numbers; the national ids
/// of other countries only on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanScope {
    groups: u8,
    certainty: Certainty,
}

impl ScanScope {
    /// Secrets only, without personal data.
    pub const fn secrets() -> Self {
        Self { groups: 0, certainty: Certainty::Certain }
    }

    /// The scope for logs, where false positives are better than leaks: also likely secrets, and
    /// personal numbers with a check digit. The anonymiser itself replaces e-mail addresses.
    pub(crate) const fn logs() -> Self {
        let numbers = Self::secrets().with(PersonalData::Card).with(PersonalData::Iban);
        Self { certainty: Certainty::Likely, ..numbers }
    }

    /// The same scope plus this group of personal data.
    #[must_use]
    pub const fn with(self, group: PersonalData) -> Self {
        Self { groups: self.groups | bit(group), ..self }
    }

    /// The same scope minus this group of personal data.
    #[must_use]
    pub const fn without(self, group: PersonalData) -> Self {
        Self { groups: self.groups & !bit(group), ..self }
    }

    /// Whether this kind is in scope.
    pub fn covers(self, kind: FindingKind) -> bool {
        kind.personal_data().is_none_or(|group| self.has(group))
    }

    pub(crate) fn has(self, group: PersonalData) -> bool {
        self.groups & bit(group) != 0
    }

    /// Whether a match is in scope and certain enough.
    pub(crate) fn admits(self, rule_match: &RuleMatch) -> bool {
        self.certainty <= rule_match.certainty && self.covers(rule_match.kind)
    }
}

impl Default for ScanScope {
    fn default() -> Self {
        Self::secrets()
            .with(PersonalData::Mail)
            .with(PersonalData::Phone)
            .with(PersonalData::Card)
            .with(PersonalData::Iban)
            .with(PersonalData::SocialSecurity)
    }
}

const fn bit(group: PersonalData) -> u8 {
    1 << group as u8
}

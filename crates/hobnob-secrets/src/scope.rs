//! What a scanner looks for: secrets always, personal data by group.
//!
//! The binary builds one from the settings of memory; the anonymiser has one of its own.

use crate::kind::{FindingKind, PersonalData};
use crate::rule_match::{Certainty, RuleMatch};

/// What a scanner looks for.
///
/// The default is secrets, mail, phone, card, IBAN and US social security numbers; the national
/// ids of other countries only on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanScope {
    groups: u8,
    certainty: Certainty,
}

impl ScanScope {
    /// Secrets and nothing else.
    pub const fn secrets() -> Self {
        Self { groups: 0, certainty: Certainty::Certain }
    }

    /// For logs, where it is better to hide too much: also what is only likely to be a secret, and
    /// numbers of people that have a check digit. E-mail addresses have tokens there.
    pub(crate) const fn logs() -> Self {
        let numbers = Self::secrets().with(PersonalData::Card).with(PersonalData::Iban);
        Self { certainty: Certainty::Likely, ..numbers }
    }

    /// The same, and this group of personal data too.
    #[must_use]
    pub const fn with(self, group: PersonalData) -> Self {
        Self { groups: self.groups | bit(group), ..self }
    }

    /// The same without this group of personal data.
    #[must_use]
    pub const fn without(self, group: PersonalData) -> Self {
        Self { groups: self.groups & !bit(group), ..self }
    }

    /// Whether findings of this kind are looked for.
    pub fn covers(self, kind: FindingKind) -> bool {
        kind.personal_data().is_none_or(|group| self.has(group))
    }

    pub(crate) fn has(self, group: PersonalData) -> bool {
        self.groups & bit(group) != 0
    }

    /// Whether a match is reported.
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

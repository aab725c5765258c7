//! What a scanner looks for: secrets always, personal data by group.
//!
//! The binary builds one from the settings of memory.

use crate::kind::{FindingKind, PersonalData};

/// What a scanner looks for.
///
/// The default is secrets, mail, phone, card, IBAN and US social security numbers; the national
/// ids of other countries only on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanScope {
    groups: u8,
}

impl ScanScope {
    /// Secrets and nothing else.
    pub const fn secrets() -> Self {
        Self { groups: 0 }
    }

    /// The same, and this group of personal data too.
    #[must_use]
    pub const fn with(self, group: PersonalData) -> Self {
        Self { groups: self.groups | bit(group) }
    }

    /// The same without this group of personal data.
    #[must_use]
    pub const fn without(self, group: PersonalData) -> Self {
        Self { groups: self.groups & !bit(group) }
    }

    /// Whether findings of this kind are looked for.
    pub fn covers(self, kind: FindingKind) -> bool {
        kind.personal_data().is_none_or(|group| self.groups & bit(group) != 0)
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

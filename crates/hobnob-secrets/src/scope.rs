//! What is looked for: secrets always, personal data as asked.

use crate::kind::Kind;

/// The sorts of personal data that can be looked for or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Personal {
    /// E-mail addresses.
    Mail,
    /// Phone numbers.
    Phone,
    /// Payment cards.
    Card,
    /// International bank account numbers.
    Iban,
    /// US social security numbers.
    SocialSecurity,
    /// Numbers that other states give to a person.
    NationalId,
}

/// What a scanner looks for.
///
/// The default is secrets, mail, phone, card, IBAN and US social security numbers; the national
/// ids of other countries only come on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    sorts: u8,
}

impl Scope {
    /// Secrets and nothing else.
    pub const fn secrets() -> Self {
        Self { sorts: 0 }
    }

    /// The same, and this sort of personal data too.
    #[must_use]
    pub const fn with(self, sort: Personal) -> Self {
        Self { sorts: self.sorts | bit(sort) }
    }

    /// The same without this sort of personal data.
    #[must_use]
    pub const fn without(self, sort: Personal) -> Self {
        Self { sorts: self.sorts & !bit(sort) }
    }

    /// Whether findings of this kind are looked for.
    pub fn covers(self, kind: Kind) -> bool {
        kind.sort().is_none_or(|sort| self.sorts & bit(sort) != 0)
    }
}

impl Default for Scope {
    fn default() -> Self {
        Self::secrets()
            .with(Personal::Mail)
            .with(Personal::Phone)
            .with(Personal::Card)
            .with(Personal::Iban)
            .with(Personal::SocialSecurity)
    }
}

const fn bit(sort: Personal) -> u8 {
    1 << sort as u8
}

//! What the context of a word says about it: that a name is expected, and of what.

use super::names::{Expected, is_host, is_user};
use super::token::PersonalKind;

/// The expectation of a name at this position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameCue {
    pub(super) owner: NameOwner,
    pub(super) expected: Expected,
}

/// What the name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameOwner {
    User,
    Host,
}

impl NameCue {
    /// In a sentence, where other words can stand as well.
    pub(super) const USER: Self = Self { owner: NameOwner::User, expected: Expected::Word };
    /// In a form in which only a name can stand.
    pub(super) const ANY_USER: Self = Self { owner: NameOwner::User, expected: Expected::AnyName };
    pub(super) const HOST: Self = Self { owner: NameOwner::Host, expected: Expected::Word };

    /// Whether this value is of the expected form.
    pub(super) fn fits(self, value: &str) -> bool {
        match self.owner {
            NameOwner::User => is_user(value, self.expected),
            NameOwner::Host => is_host(value, self.expected),
        }
    }

    pub(super) fn kind(self) -> PersonalKind {
        self.owner.kind()
    }
}

impl NameOwner {
    pub(super) fn kind(self) -> PersonalKind {
        match self {
            Self::User => PersonalKind::User,
            Self::Host => PersonalKind::Host,
        }
    }
}

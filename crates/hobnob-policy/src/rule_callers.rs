//! Which callers a rule is about: all, one principal, or the members of a group.
//!
//! The settings define the groups; here a group is a list. What must stay true: a rule that names
//! callers is never about the owner of the hub, whose calls have no name.

use std::sync::Arc;

/// A group as a rule names it, with its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleGroup {
    /// Its name in the settings.
    pub name: String,
    /// The principals in it; `None` if the settings have no such group.
    pub members: Option<Arc<[Box<str>]>>,
}

/// Which callers a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuleCallers {
    Everybody,
    Members(Arc<[Box<str>]>),
    Principal(Box<str>),
}

/// How specific a rule's callers are; a later rank is more specific.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CallerRank {
    Everybody,
    Members,
    Principal,
}

/// The caller, as rules see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectCaller<'a> {
    /// The owner of the hub, or a caller without authentication: no rule names them.
    Nameless,
    /// A principal that the edge authenticated by this name.
    Named(&'a str),
    /// The most permitted caller: for things that all callers share, such as a catalogue.
    Anybody,
}

impl<'a> SubjectCaller<'a> {
    /// The caller with this name, which is empty for the owner.
    #[must_use]
    pub fn of(principal: &'a str) -> Self {
        if principal.is_empty() { Self::Nameless } else { Self::Named(principal) }
    }
}

impl RuleCallers {
    pub(crate) fn rank(&self) -> CallerRank {
        match self {
            Self::Everybody => CallerRank::Everybody,
            Self::Members(_) => CallerRank::Members,
            Self::Principal(_) => CallerRank::Principal,
        }
    }

    /// Whether a rule for these callers counts for `caller`. For [`SubjectCaller::Anybody`], a rule
    /// that names callers counts only if it permits: its deny leaves other callers alone.
    pub(crate) fn include(&self, caller: SubjectCaller<'_>, denies: bool) -> bool {
        match (self, caller) {
            (Self::Everybody, _) => true,
            (_, SubjectCaller::Nameless) => false,
            (_, SubjectCaller::Anybody) => !denies,
            (Self::Members(members), SubjectCaller::Named(name)) => {
                members.iter().any(|member| **member == *name)
            }
            (Self::Principal(principal), SubjectCaller::Named(name)) => **principal == *name,
        }
    }
}

//! The owner of a record, and the project it is about.
//!
//! Every query names an owner. All callers without a name share the empty owner.

use std::fmt;

/// An authenticated identity, or the empty owner for callers without one. Every record has an
/// owner, and every query names one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Owner(Box<str>);

impl Owner {
    /// The owner of this name; an empty name means a caller without an identity.
    pub fn named(name: &str) -> Self {
        Self(name.into())
    }

    /// The name; empty for callers without an identity.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The project that something belongs to, derived from its git remote or its folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectKey(Box<str>);

impl ProjectKey {
    /// The project of this key.
    pub fn new(key: &str) -> Self {
        Self(key.into())
    }

    /// The key, which is the same for every clone of the project.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

//! Who a record belongs to, and which project it is about.
//!
//! Every query names an owner. The empty owner is everybody without a name of their own.

use std::fmt;

/// An authenticated identity, or nobody in particular. Every record has one, and no query is
/// without one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Owner(Box<str>);

impl Owner {
    /// The owner of this name; the empty one is nobody in particular.
    pub fn named(name: &str) -> Self {
        Self(name.into())
    }

    /// The name; empty for everybody who has none.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Which project something belongs to: what its git remote or its folder says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectKey(Box<str>);

impl ProjectKey {
    /// The project of this key.
    pub fn new(key: &str) -> Self {
        Self(key.into())
    }

    /// The text that every clone of the project makes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

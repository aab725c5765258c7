//! What trees and nodes are called: ids, names, and the words callers use for them.
//!
//! An id has a shape of its own, so that no name can be mistaken for one.

use crate::random::random_id;
use std::{fmt, io};

/// The letters and digits behind the prefix of an id.
const ID_LENGTH: usize = 16;
/// The most characters of a tree's name.
const MAX_NAME: usize = 200;

/// A tree's id: `tree_` and sixteen of `[a-z0-9]`, made at random.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeId(Box<str>);

impl TreeId {
    const PREFIX: &'static str = "tree_";

    /// A new id, which nobody can guess.
    pub fn random() -> io::Result<Self> {
        Ok(Self(random_id(Self::PREFIX, ID_LENGTH)?.into()))
    }

    /// Reads an id; nothing if the text has another shape.
    pub fn parse(raw: &str) -> Option<Self> {
        has_shape(raw, Self::PREFIX).then(|| Self(raw.into()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TreeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A node's id: `node_` and sixteen of `[a-z0-9]`, made at random.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(Box<str>);

impl NodeId {
    const PREFIX: &'static str = "node_";

    /// A new id, which nobody can guess.
    pub fn random() -> io::Result<Self> {
        Ok(Self(random_id(Self::PREFIX, ID_LENGTH)?.into()))
    }

    /// Takes an id somebody gave us; one that cannot exist is simply not found later.
    pub fn given(raw: &str) -> Self {
        Self(raw.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A tree's name, unique among those of its owner: 1 to 200 characters, none of them a control
/// character, without white space at the ends, and not of the shape of an id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeName(Box<str>);

/// Why a text cannot be the name of a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeNameError {
    /// Too short or too long.
    #[error("{0} characters, it must have 1 to {MAX_NAME}")]
    Length(usize),
    /// It would be hard to see or to type.
    #[error("it must have no control characters, and no white space at its ends")]
    Unprintable,
    /// It would be mistaken for an id.
    #[error("it has the form of a tree's id, which is kept for ids")]
    LikeAnId,
}

impl TreeName {
    /// Reads a name as a caller wrote it; nothing is trimmed or changed.
    pub fn parse(raw: &str) -> Result<Self, TreeNameError> {
        let count = raw.chars().count();
        if count == 0 || MAX_NAME < count {
            return Err(TreeNameError::Length(count));
        }
        if raw.trim() != raw || raw.chars().any(char::is_control) {
            return Err(TreeNameError::Unprintable);
        }
        if TreeId::parse(raw).is_some() {
            return Err(TreeNameError::LikeAnId);
        }
        Ok(Self(raw.into()))
    }

    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Which tree is meant: what callers write where a tree is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeRef {
    /// The tree of this id.
    Id(TreeId),
    /// The owner's tree of this name.
    Name(TreeName),
}

impl TreeRef {
    /// Reads an id or a name; nothing for what no tree can be called.
    pub fn parse(raw: &str) -> Option<Self> {
        match TreeId::parse(raw) {
            Some(id) => Some(Self::Id(id)),
            None => TreeName::parse(raw).ok().map(Self::Name),
        }
    }

    /// The id or the name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Id(id) => id.as_str(),
            Self::Name(name) => name.as_str(),
        }
    }
}

impl fmt::Display for TreeRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Which node of a tree is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeRef {
    /// The only node without a parent, called `root` in every tree.
    Root,
    /// The node of this id.
    Id(NodeId),
}

impl NodeRef {
    /// The word for the root of every tree.
    pub const ROOT: &'static str = "root";

    /// Reads an id or the word `root`.
    pub fn parse(raw: &str) -> Self {
        if raw == Self::ROOT { Self::Root } else { Self::Id(NodeId::given(raw)) }
    }

    /// The id or the word `root`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Root => Self::ROOT,
            Self::Id(id) => id.as_str(),
        }
    }
}

impl fmt::Display for NodeRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Who keeps a tree from being deleted: what a session or a program calls itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Claimant(Box<str>);

impl Claimant {
    /// The claimant of this name.
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn has_shape(raw: &str, prefix: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
    raw.strip_prefix(prefix).is_some_and(|rest| rest.len() == ID_LENGTH && rest.bytes().all(legal))
}

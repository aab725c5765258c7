//! Ids and names of trees and nodes, and the references by which callers name them.
//!
//! An id has its own shape, so that no name can be mistaken for one.

use crate::random::random_id;
use std::{fmt, io};

/// The number of characters after the prefix of an id.
const ID_LENGTH: usize = 16;
/// Maximum length of a tree's name in characters.
const MAX_NAME: usize = 200;

/// A tree's id: `tree_` and sixteen random characters of `[a-z0-9]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeId(Box<str>);

impl TreeId {
    const PREFIX: &'static str = "tree_";

    /// A new, unguessable id.
    pub fn random() -> io::Result<Self> {
        Ok(Self(random_id(Self::PREFIX, ID_LENGTH)?.into()))
    }

    /// Parses an id; `None` if the text has another shape.
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

/// A node's id: `node_` and sixteen random characters of `[a-z0-9]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(Box<str>);

impl NodeId {
    const PREFIX: &'static str = "node_";

    /// A new, unguessable id.
    pub fn random() -> io::Result<Self> {
        Ok(Self(random_id(Self::PREFIX, ID_LENGTH)?.into()))
    }

    /// Takes an id from a caller unchecked; a lookup of an impossible id finds nothing.
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

/// A tree's name, unique per owner: 1 to 200 characters without control characters, without white
/// space at the ends, and not in the shape of an id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeName(Box<str>);

/// Why a text cannot be the name of a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeNameError {
    /// The text is too short or too long.
    #[error("{0} characters, it must have 1 to {MAX_NAME}")]
    Length(usize),
    /// The text has characters that are hard to see or to type.
    #[error("it must have no control characters, and no white space at its ends")]
    Unprintable,
    /// The text could be mistaken for an id.
    #[error("it has the form of a tree's id, which is kept for ids")]
    LikeAnId,
}

impl TreeName {
    /// Parses a name exactly as the caller wrote it, without trimming.
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

/// How a caller refers to a tree: by id or by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeRef {
    /// The tree of this id.
    Id(TreeId),
    /// The owner's tree of this name.
    Name(TreeName),
}

impl TreeRef {
    /// Parses an id or a name; `None` if the text can be neither.
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

/// How a caller refers to a node of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeRef {
    /// The node without a parent, called `root` in every tree.
    Root,
    /// The node of this id.
    Id(NodeId),
}

impl NodeRef {
    /// The word for the root of every tree.
    pub const ROOT: &'static str = "root";

    /// Parses an id or the word `root`.
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

/// A session or a program that keeps a tree from being deleted.
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

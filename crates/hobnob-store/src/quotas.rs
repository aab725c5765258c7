//! How many records each owner may have.
//!
//! The binary sets the limits from the settings; the backend compares them before it writes. What must
//! stay true: nobody's records count for somebody else.

use crate::owner::Owner;
use std::fmt;

/// How many records a named owner may have of each kind unless the settings say otherwise.
const USUAL: u64 = 1_000_000;

/// A kind of records that owners collect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredKind {
    /// Memories in every state, until they are purged.
    Memories,
    /// Tasks of all lists, whatever has become of them.
    Tasks,
    /// Nodes of all trees.
    TreeNodes,
}

impl StoredKind {
    /// The name of the kind in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Tasks => "tasks",
            Self::TreeNodes => "tree_nodes",
        }
    }

    /// How the owner makes room, and who can allow more.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::Memories => {
                "purge some (those that are deleted count until then), or have \
                 `memories_per_principal` raised in [limits] of config.toml"
            }
            Self::Tasks => {
                "delete some, or have `tasks_per_principal` raised in [limits] of config.toml"
            }
            Self::TreeNodes => {
                "release trees that are no longer needed, or have `tree_nodes_per_principal` \
                 raised in [limits] of config.toml"
            }
        }
    }
}

impl fmt::Display for StoredKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Memories => "memories",
            Self::Tasks => "tasks",
            Self::TreeNodes => "nodes of trees",
        })
    }
}

/// How many records of each kind an owner may have. Without a number a named owner may have a million,
/// and the user of this machine, who has no name, any number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreQuotas {
    /// The number for memories.
    pub memories: Option<u64>,
    /// The number for tasks.
    pub tasks: Option<u64>,
    /// The number for nodes of trees.
    pub tree_nodes: Option<u64>,
}

impl StoreQuotas {
    /// The limit of an owner, if there is one.
    pub fn limit(&self, owner: &Owner, kind: StoredKind) -> Option<u64> {
        let written = match kind {
            StoredKind::Memories => self.memories,
            StoredKind::Tasks => self.tasks,
            StoredKind::TreeNodes => self.tree_nodes,
        };
        let usual = (!owner.as_str().is_empty()).then_some(USUAL);
        written.or(usual)
    }
}

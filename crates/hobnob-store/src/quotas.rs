//! Quotas: how many records each owner may have.
//!
//! The binary sets the limits from the settings; the backend checks them before it writes. What
//! must stay true: an owner's count includes only that owner's records.

use crate::owner::Owner;
use std::fmt;

/// The default quota of a named owner for each kind of record.
const DEFAULT_QUOTA: u64 = 1_000_000;

/// A kind of record that has a quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredKind {
    /// Memories in every status, until they are purged.
    Memories,
    /// Tasks on all lists, in every status.
    Tasks,
    /// Nodes of all trees.
    TreeNodes,
}

impl StoredKind {
    /// Every kind, in the order in which lists show them.
    pub const ALL: [Self; 3] = [Self::Memories, Self::Tasks, Self::TreeNodes];

    /// The name of the kind in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Tasks => "tasks",
            Self::TreeNodes => "tree_nodes",
        }
    }

    /// How the owner can make room, and who can raise the limit.
    pub fn remedy(self) -> &'static str {
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

/// The configured quota of each kind. Without a number a named owner may have a million records,
/// and the user of this machine, who has no name, is unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreQuotas {
    /// The quota for memories.
    pub memories: Option<u64>,
    /// The quota for tasks.
    pub tasks: Option<u64>,
    /// The quota for nodes of trees.
    pub tree_nodes: Option<u64>,
}

impl StoreQuotas {
    /// The quota of an owner, if there is one.
    pub fn limit(&self, owner: &Owner, kind: StoredKind) -> Option<u64> {
        let configured = match kind {
            StoredKind::Memories => self.memories,
            StoredKind::Tasks => self.tasks,
            StoredKind::TreeNodes => self.tree_nodes,
        };
        let default_quota = (!owner.as_str().is_empty()).then_some(DEFAULT_QUOTA);
        configured.or(default_quota)
    }
}

//! Trees of conversations: the records, the rules of a tree's life cycle, and the port.
//!
//! The service `arbor` uses the port; a backend implements it and passes the suite.

mod names;
mod record;

pub mod life;

mod port;

pub use names::{Claimant, NodeId, NodeRef, TreeId, TreeName, TreeNameError, TreeRef};
pub use port::{TreeError, TreeRepository};
pub use record::{
    ExternalHandle, FoundNode, FoundNodes, LineBranches, NewNode, NewTree, NodeContent, NodeKind,
    NodePosition, NodeShape, OutlineLine, SHOWN_BRANCHES, StoredTree, TreeAccess, TreeClaim,
    TreeNode, TreeOutline, TreeState, TreeStateKind,
};

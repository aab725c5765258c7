//! The port of trees: what a backend must do with them.
//!
//! The test suite that every backend passes defines the behaviour behind the signatures.

use super::names::{Claimant, NodeId, NodeRef, TreeName, TreeRef};
use super::record::{
    FoundNodes, NewNode, NewTree, NodeShape, StoredTree, TreeAccess, TreeNode, TreeOutline,
    TreeStateKind,
};
use crate::StoreFuture;
use crate::error::StoreError;
use crate::memory::{Page, PageRequest};
use crate::time::Time;
use std::num::NonZeroU32;

/// Why an operation on a tree failed; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The owner has no tree of this id or name.
    #[error("tree not found: {0}")]
    NotFound(TreeRef),
    /// The tree has no such node.
    #[error("node not found: {node} in tree {tree}")]
    NodeNotFound {
        /// The tree in which the node was looked up.
        tree: TreeRef,
        /// The node that is missing.
        node: NodeRef,
    },
    /// Another tree of the owner has this name.
    #[error(
        "there is a tree named `{}` already ({}): take another name, or claim that one",
        .name.as_str(), .state.as_str()
    )]
    NameTaken {
        /// The name that is taken.
        name: TreeName,
        /// The state of the tree that has the name.
        state: TreeStateKind,
    },
    /// The tree has no claim, so no node can be added.
    #[error("tree {tree} is {}: claim it first, then change it", .state.as_str())]
    NotActive {
        /// The tree that was to be changed.
        tree: TreeRef,
        /// The state it is in.
        state: TreeStateKind,
    },
    /// The caller released more claims than there are.
    #[error("tree {tree} has {found} claims of `{}`, not {wanted}", .claimant.as_str())]
    NotClaimed {
        /// The tree that was named.
        tree: TreeRef,
        /// The claimant whose claims were to be released.
        claimant: Claimant,
        /// How many claims this claimant has.
        found: u64,
        /// How many claims were to be released.
        wanted: u32,
    },
    /// The cursor was not returned by this list.
    #[error("this cursor is not from this list: list again without it")]
    BadCursor,
    /// The store failed, and nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stores trees of conversations, each for its owner.
///
/// A tree without claims is scheduled for deletion for seven days, then archived for thirty more,
/// then gone: every answer shows its state at the time of the access. Until it is gone it can be
/// read, and a claim makes it active again. Pages of long texts have fewer items.
pub trait TreeRepository: Send + Sync + 'static {
    /// Creates a tree with its root and one claim.
    fn create_tree(
        &self,
        access: TreeAccess,
        new: NewTree,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// A tree by its id or name, in any state.
    fn tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// A page of the trees in this state, newest first.
    fn trees(
        &self,
        access: TreeAccess,
        state: TreeStateKind,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<StoredTree>, TreeError>>;

    /// Replaces the metadata of an active tree.
    fn set_metadata(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        metadata: Option<String>,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// Adds `count` claims. A scheduled or archived tree becomes active again.
    fn claim_tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        claimant: Claimant,
        count: NonZeroU32,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// Removes `count` claims. Without any claim left, the tree is scheduled for deletion.
    fn release_tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        claimant: Claimant,
        count: NonZeroU32,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// Puts a tree into a state as of now. Only an active tree has claims: the other states drop
    /// them. A tree made active this way has no claim until a claimant adds one. Setting the
    /// current state restarts its time.
    fn set_state(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        state: TreeStateKind,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// Appends nodes to an active tree, all or none: the first below `parent`, each other one below
    /// the one before it.
    fn append_nodes(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        parent: NodeRef,
        nodes: Vec<NewNode>,
    ) -> StoreFuture<'_, Result<Vec<TreeNode>, TreeError>>;

    /// A node with its content.
    fn node(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
    ) -> StoreFuture<'_, Result<TreeNode, TreeError>>;

    /// The children of a node, in insertion order.
    fn children(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>>;

    /// The nodes from the root to this one, both included.
    fn path(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>>;

    /// The same path without content.
    fn path_shape(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>>;

    /// The external nodes on the path from the root to `node`; without `node`, those of the whole
    /// tree in insertion order.
    fn handles(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: Option<NodeRef>,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>>;

    /// The nodes without children, in insertion order.
    fn leaves(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>>;

    /// All nodes without content, in insertion order: parents before their children.
    fn skeleton(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>>;

    /// All nodes in the order in which a tree is drawn, with the beginnings of their texts.
    fn outline(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<TreeOutline, TreeError>>;

    /// Text nodes that contain all of these words, ignoring case and accents, newest first. The
    /// search examines a bounded number of nodes.
    fn search_nodes(
        &self,
        access: TreeAccess,
        words: Vec<String>,
        limit: usize,
    ) -> StoreFuture<'_, Result<FoundNodes, StoreError>>;

    /// Names and ids of trees that start with `prefix`, names first, newest first.
    fn tree_words(
        &self,
        access: TreeAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<String>, StoreError>>;

    /// Ids of a tree's nodes that start with `prefix`, newest first.
    fn node_ids(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<NodeId>, TreeError>>;

    /// Removes at most `limit` trees, of any owner, that are gone by `now`; returns how many.
    fn remove_gone(&self, now: Time, limit: usize) -> StoreFuture<'_, Result<usize, StoreError>>;
}

//! The port of trees: what a backend must do with them.
//!
//! The behaviour that goes with the signatures is in the suite that every backend passes.

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

/// Why nothing was done with a tree.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// There is none of this id or name within reach.
    #[error("tree not found: {0}")]
    NotFound(TreeRef),
    /// The tree has no such node.
    #[error("node not found: {node} in tree {tree}")]
    NodeNotFound {
        /// The tree that was looked in.
        tree: TreeRef,
        /// The node that is not in it.
        node: NodeRef,
    },
    /// Another tree of the owner has this name.
    #[error(
        "there is a tree named `{}` already ({}): take another name, or claim that one",
        .name.as_str(), .state.as_str()
    )]
    NameTaken {
        /// The name that was wanted.
        name: TreeName,
        /// Where the tree that has it is in its life.
        state: TreeStateKind,
    },
    /// Nobody claims it, so that it takes no more nodes.
    #[error("tree {tree} is {}: claim it first, then change it", .state.as_str())]
    NotActive {
        /// The tree that was to be changed.
        tree: TreeRef,
        /// Where it is in its life.
        state: TreeStateKind,
    },
    /// More claims were released than there are.
    #[error("tree {tree} has {found} claims of `{}`, not {wanted}", .claimant.as_str())]
    NotClaimed {
        /// The tree that was named.
        tree: TreeRef,
        /// Who wanted to release it.
        claimant: Claimant,
        /// How many claims of theirs there are.
        found: u64,
        /// How many were to go.
        wanted: u32,
    },
    /// No page ended with this.
    #[error("this cursor is not from this list: list again without it")]
    BadCursor,
    /// The store failed, and nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps trees of conversations, each for its owner.
///
/// A tree that nobody claims any more is scheduled for deletion for seven days, archived for
/// thirty more, and then not there: every answer shows it as of the time of the access. Until then
/// it can be read, and a claim brings it back. Pages end early where texts are long.
pub trait TreeRepository: Send + Sync + 'static {
    /// Stores a new tree with its root, claimed once.
    fn create_tree(
        &self,
        access: TreeAccess,
        new: NewTree,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// One by its id or name, whatever its state.
    fn tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// Those in this state, newest first.
    fn trees(
        &self,
        access: TreeAccess,
        state: TreeStateKind,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<StoredTree>, TreeError>>;

    /// Puts other metadata in the place of what an active tree has.
    fn set_metadata(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        metadata: Option<String>,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// Adds so many claims. A tree that was scheduled or archived is active again.
    fn claim_tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        claimant: Claimant,
        count: NonZeroU32,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// Takes so many claims back. With the last of all the tree is scheduled for deletion.
    fn release_tree(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        claimant: Claimant,
        count: NonZeroU32,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// Puts a tree into a state, from now on. Only an active tree has claims: the others lose
    /// theirs. One that is made active has none until somebody claims it. The state that it has
    /// already begins anew.
    fn set_state(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        state: TreeStateKind,
    ) -> StoreFuture<'_, Result<StoredTree, TreeError>>;

    /// Adds nodes to an active tree, all or none: the first below `parent`, each other one below
    /// the one before it.
    fn append_nodes(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        parent: NodeRef,
        nodes: Vec<NewNode>,
    ) -> StoreFuture<'_, Result<Vec<TreeNode>, TreeError>>;

    /// One node with what it holds.
    fn node(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
    ) -> StoreFuture<'_, Result<TreeNode, TreeError>>;

    /// What follows a node directly, in the order it came.
    fn children(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>>;

    /// The nodes from the root to this one, both among them.
    fn path(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>>;

    /// The same without what they hold.
    fn path_shape(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: NodeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>>;

    /// The external nodes among those from the root to this one; of the whole tree, in the order
    /// they came, if none is named.
    fn handles(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        node: Option<NodeRef>,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<TreeNode>, TreeError>>;

    /// Nodes that nothing follows, in the order they came.
    fn leaves(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<NodeShape>, TreeError>>;

    /// All nodes without what they hold, in the order they came: parents before their children.
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

    /// Text nodes that have all of these words, in any case and with or without accents; the
    /// newest first. Only so many nodes are looked at.
    fn search_nodes(
        &self,
        access: TreeAccess,
        words: Vec<String>,
        limit: usize,
    ) -> StoreFuture<'_, Result<FoundNodes, StoreError>>;

    /// Names and ids of trees that begin like this, names first, newest first.
    fn tree_words(
        &self,
        access: TreeAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<String>, StoreError>>;

    /// Ids of a tree's nodes that begin like this, newest first.
    fn node_ids(
        &self,
        access: TreeAccess,
        tree: TreeRef,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<NodeId>, TreeError>>;

    /// Removes the trees of every owner that are gone by now, at most so many; how many that were.
    fn remove_gone(&self, now: Time, limit: usize) -> StoreFuture<'_, Result<usize, StoreError>>;
}

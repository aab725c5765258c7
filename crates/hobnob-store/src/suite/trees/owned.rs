//! Wraps the tree port for the tree cases of the backend test suite: the owner is fixed, and times
//! are days.

use crate::memory::{Page, PageRequest};
use crate::owner::Owner;
use crate::suite::case_result::{CaseResult, Failed, equal};
use crate::time::Time;
use crate::trees::{
    Claimant, ExternalHandle, NewNode, NewTree, NodeContent, NodeId, NodeRef, NodeShape,
    StoredTree, TreeAccess, TreeError, TreeName, TreeNode, TreeRef, TreeRepository, TreeStateKind,
};
use std::fmt::Debug;
use std::num::NonZeroU32;
use std::sync::Arc;

pub(super) type TreesUnderTest = Arc<dyn TreeRepository>;

/// The port with the owner and the clock filled in.
#[derive(Clone)]
pub(super) struct OwnedTrees {
    pub(super) trees: TreesUnderTest,
    owner: Owner,
}

impl OwnedTrees {
    pub(super) fn new(trees: TreesUnderTest) -> Self {
        Self { trees, owner: Owner::named("ada") }
    }

    /// The trees of another owner on the same backend.
    pub(super) fn of(&self, owner: &str) -> Self {
        Self { trees: Arc::clone(&self.trees), owner: Owner::named(owner) }
    }

    pub(super) fn at(&self, day: i64) -> TreeAccess {
        TreeAccess { owner: self.owner.clone(), now: time(day) }
    }

    /// Creates a tree on that day with one claim of `ada`.
    pub(super) async fn make(&self, day: i64, name: &str) -> Result<StoredTree, TreeError> {
        self.trees.create_tree(self.at(day), new_tree(name)).await
    }

    pub(super) async fn get(&self, day: i64, tree: &StoredTree) -> Result<StoredTree, TreeError> {
        self.trees.tree(self.at(day), by_id(tree)).await
    }

    pub(super) async fn append(
        &self,
        tree: &StoredTree,
        parent: &NodeId,
        nodes: Vec<NewNode>,
    ) -> Result<Vec<TreeNode>, TreeError> {
        let parent = NodeRef::Id(parent.clone());
        self.trees.append_nodes(self.at(0), by_id(tree), parent, nodes).await
    }

    pub(super) async fn claim(
        &self,
        day: i64,
        tree: &StoredTree,
        who: &str,
        count: u32,
    ) -> Result<StoredTree, TreeError> {
        let count = NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN);
        self.trees.claim_tree(self.at(day), by_id(tree), Claimant::new(who), count).await
    }

    pub(super) async fn release(
        &self,
        day: i64,
        tree: &StoredTree,
        who: &str,
        count: u32,
    ) -> Result<StoredTree, TreeError> {
        let count = NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN);
        self.trees.release_tree(self.at(day), by_id(tree), Claimant::new(who), count).await
    }

    /// The names of the trees in a state, newest first.
    pub(super) async fn listed(
        &self,
        day: i64,
        state: TreeStateKind,
    ) -> Result<Vec<String>, Failed> {
        Ok(names(&self.trees.trees(self.at(day), state, page(1_000)).await?))
    }
}

pub(super) fn names(page: &Page<StoredTree>) -> Vec<String> {
    let name = |tree: &StoredTree| {
        tree.name.as_ref().map_or_else(String::new, |name| name.as_str().to_owned())
    };
    page.items.iter().map(name).collect()
}

/// A tree to be created; without a name if `name` is empty.
pub(super) fn new_tree(name: &str) -> NewTree {
    NewTree {
        name: TreeName::parse(name).ok(),
        metadata: None,
        root: NodeContent::Text { role: "system".into(), text: "be kind".into() },
        claimant: Claimant::new("ada"),
    }
}

pub(super) fn by_id(tree: &StoredTree) -> TreeRef {
    TreeRef::Id(tree.id.clone())
}

pub(super) fn text(role: &str, text: &str) -> NewNode {
    NewNode { content: NodeContent::Text { role: role.into(), text: text.into() }, metadata: None }
}

pub(super) fn external(source: &str, identifier: &str) -> NewNode {
    let handle =
        ExternalHandle { source: source.into(), identifier: identifier.into(), metadata: None };
    NewNode { content: NodeContent::External(handle), metadata: None }
}

pub(super) fn ids(nodes: &[TreeNode]) -> Vec<NodeId> {
    nodes.iter().map(|node| node.shape.id.clone()).collect()
}

pub(super) fn shape_ids(shapes: &[NodeShape]) -> Vec<NodeId> {
    shapes.iter().map(|shape| shape.id.clone()).collect()
}

pub(super) fn page(limit: usize) -> PageRequest {
    PageRequest { after: None, limit }
}

/// Midnight at the start of this day.
pub(super) fn time(day: i64) -> Time {
    Time::from_millis(day * 24 * 60 * 60 * 1_000)
}

/// Fails unless the operation was refused with these words.
pub(super) fn refused<T: Debug>(found: Result<T, TreeError>, words: &str) -> CaseResult {
    match found {
        Err(error) => equal(&*error.to_string(), words, "the refusal"),
        Ok(done) => Err(Failed::because(format!("done, not refused with `{words}`: {done:?}"))),
    }
}

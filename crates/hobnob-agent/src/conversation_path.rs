//! Reads the part of a tree's path that a model needs.
//!
//! What must stay true: a path is read page by page, and the nodes in memory are bounded.

use crate::history::SUMMARY_ROLE;
use hobnob_store::memory::PageRequest;
use hobnob_store::trees::{
    NodeContent, NodeRef, TreeAccess, TreeError, TreeNode, TreeRef, TreeRepository,
};

/// How many nodes are read at once.
const PAGE_SIZE: usize = 500;
/// The most nodes and bytes of a conversation that are sent to a model.
const MAX_NODES: usize = 10_000;
const MAX_BYTES: usize = 16 << 20;

/// Why a path cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// The path is longer than the context of any model.
    #[error("the conversation has more than {MAX_NODES} nodes or {MAX_BYTES} bytes")]
    TooLong,
    /// The tree refuses the operation.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// Loads the nodes from the root to this one; from before the last summary, only system texts.
pub(crate) async fn load_path(
    trees: &dyn TreeRepository,
    access: &TreeAccess,
    tree: TreeRef,
    to: NodeRef,
) -> Result<Vec<TreeNode>, PathError> {
    let (mut nodes, mut after) = (Vec::new(), None);
    loop {
        let page = PageRequest { after, limit: PAGE_SIZE };
        let page = trees.path(access.clone(), tree.clone(), to.clone(), page).await?;
        nodes.extend(page.items);
        drop_summed_up(&mut nodes);
        if MAX_NODES < nodes.len() || MAX_BYTES < nodes.iter().map(size).sum::<usize>() {
            return Err(PathError::TooLong);
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(nodes),
        }
    }
}

/// Drops the nodes that the last summary replaces.
pub(crate) fn drop_summed_up(nodes: &mut Vec<TreeNode>) {
    let Some(last) = nodes.iter().rposition(|node| has_role(node, SUMMARY_ROLE)) else { return };
    let mut at = 0;
    nodes.retain(|node| {
        at += 1;
        last < at || has_role(node, "system")
    });
}

pub(crate) fn has_role(node: &TreeNode, wanted: &str) -> bool {
    matches!(&node.content, NodeContent::Text { role, .. } if role == wanted)
}

/// The approximate size of a node in memory, in bytes.
pub(crate) fn size(node: &TreeNode) -> usize {
    let content = match &node.content {
        NodeContent::Text { text, .. } => text.len(),
        NodeContent::External(handle) => handle.identifier.len(),
    };
    content + node.metadata.as_ref().map_or(0, String::len)
}

//! Converts rows of `trees`, `tree_nodes` and `tree_contents` to records.
//!
//! Queries select the columns named by these constants, so each record is read in one place.

use super::work::{FoundTree, TreeWork, Worked};
use crate::columns::{count, number, optional, optional_text, text, time, unread, word};
use crate::error::Result;
use crate::value::values;
use hobnob_store::trees::{
    Claimant, ExternalHandle, NodeContent, NodeId, NodeKind, NodeRef, NodeShape, StoredTree,
    TreeClaim, TreeError, TreeId, TreeName, TreeNode, TreeRef,
};
use std::collections::HashMap;
use tokio_postgres::Row;

/// The number and the columns of a [`NodeShape`], of `tree_nodes AS n`.
pub(super) const SHAPE: &str = "n.number, n.id, \
     (SELECT p.id FROM tree_nodes AS p WHERE p.number = n.parent), n.depth, n.children, n.kind";

/// The columns of a node's content, of `tree_contents AS c`, which follow those of its shape. The
/// text itself follows last.
pub(super) const CONTENT: &str =
    "c.created, c.role, c.source, c.identifier, c.metadata, c.handle_metadata";

/// A tree by its number, with its claims.
pub(super) async fn load_tree(work: &TreeWork<'_>, tree: FoundTree) -> Result<StoredTree> {
    let sql = "SELECT t.id, t.name, t.metadata, t.nodes, t.created, t.updated, \
               (SELECT n.id FROM tree_nodes AS n WHERE n.tree = t.number AND n.parent IS NULL) \
               FROM trees AS t WHERE t.number = $1";
    let stored = work.transaction.one(sql, values![tree.number], |row| {
        Ok(StoredTree {
            id: word(row, 0, TreeId::parse)?,
            name: row_name(row, 1)?,
            metadata: optional_text(row, 2)?,
            state: tree.state,
            root: word(row, 6, |raw| Some(NodeId::given(raw)))?,
            nodes: count(row, 3)?,
            claims: Vec::new(),
            created: time(row, 4)?,
            updated: time(row, 5)?,
        })
    });
    let stored = stored.await?;
    let sql = "SELECT claimant, count FROM tree_claims WHERE tree = $1 ORDER BY claimant";
    let claims = work.transaction.all(sql, values![tree.number], |row| {
        let claimant = word(row, 0, |raw| Some(Claimant::new(raw)))?;
        Ok(TreeClaim { claimant, count: count(row, 1)? })
    });
    Ok(StoredTree { claims: claims.await?, ..stored })
}

/// The name of a tree, if it has one.
pub(super) fn row_name(row: &Row, column: usize) -> Result<Option<TreeName>> {
    match optional(row, column, TreeName::parse)? {
        None => Ok(None),
        Some(Ok(name)) => Ok(Some(name)),
        Some(Err(_)) => Err(unread(column)),
    }
}

/// The number of a node of this tree.
pub(crate) async fn find_node(
    work: &TreeWork<'_>,
    tree_number: i64,
    tree: &TreeRef,
    node: &NodeRef,
) -> Worked<i64> {
    let read = |row: &Row| number(row, 0);
    let found = match node {
        NodeRef::Root => {
            let sql = "SELECT number FROM tree_nodes WHERE tree = $1 AND parent IS NULL";
            work.transaction.first(sql, values![tree_number], read).await?
        }
        NodeRef::Id(id) => {
            let sql = "SELECT number FROM tree_nodes WHERE id = $2 AND tree = $1";
            work.transaction.first(sql, values![tree_number, id.as_str()], read).await?
        }
    };
    let gone = || TreeError::NodeNotFound { tree: tree.clone(), node: node.clone() };
    Ok(found.ok_or_else(gone)?)
}

/// Nodes by number, with content, in the order of the numbers.
pub(super) async fn read_nodes(work: &TreeWork<'_>, numbers: &[i64]) -> Result<Vec<TreeNode>> {
    let sql = format!(
        "SELECT {SHAPE}, {CONTENT}, c.content FROM tree_nodes AS n \
         JOIN tree_contents AS c ON c.node = n.number WHERE n.number = ANY($1)"
    );
    let found = work.transaction.all(&sql, values![numbers], numbered_node).await?;
    let mut nodes: HashMap<i64, TreeNode> = found.into_iter().collect();
    Ok(numbers.iter().filter_map(|number| nodes.remove(number)).collect())
}

/// A node's number and shape, from the columns of [`SHAPE`].
pub(super) fn numbered_shape(row: &Row) -> Result<(i64, NodeShape)> {
    let shape = NodeShape {
        id: word(row, 1, |raw| Some(NodeId::given(raw)))?,
        parent: optional(row, 2, NodeId::given)?,
        depth: count(row, 3)?,
        children: count(row, 4)?,
        kind: word(row, 5, NodeKind::parse)?,
    };
    Ok((number(row, 0)?, shape))
}

/// A node's number and the whole node, from the columns [`SHAPE`], [`CONTENT`] and the text.
pub(super) fn numbered_node(row: &Row) -> Result<(i64, TreeNode)> {
    let (number, shape) = numbered_shape(row)?;
    let content = match shape.kind {
        NodeKind::Text => NodeContent::Text { role: text(row, 7)?, text: text(row, 12)? },
        NodeKind::External => NodeContent::External(ExternalHandle {
            source: text(row, 8)?,
            identifier: text(row, 9)?,
            metadata: optional_text(row, 11)?,
        }),
    };
    let node =
        TreeNode { shape, created: time(row, 6)?, content, metadata: optional_text(row, 10)? };
    Ok((number, node))
}

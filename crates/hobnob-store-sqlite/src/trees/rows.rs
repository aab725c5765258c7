//! Converts rows of `trees`, `tree_nodes` and `tree_contents` to records.
//!
//! Queries select the columns named by these constants, so each record is read in one place.

use super::transaction::{NumberedTree, TreeTransaction};
use crate::columns::{optional, time, unread, word};
use crate::convert::WorkError;
use hobnob_store::trees::{
    Claimant, ExternalHandle, NodeContent, NodeId, NodeKind, NodeRef, NodeShape, StoredTree,
    TreeClaim, TreeError, TreeId, TreeName, TreeNode, TreeRef,
};
use rusqlite::{CachedStatement, OptionalExtension as _, Result, Row};

/// The number and the columns of a [`NodeShape`], of `tree_nodes AS n`.
pub(super) const SHAPE: &str = "n.number, n.id, \
     (SELECT p.id FROM tree_nodes AS p WHERE p.number = n.parent), n.depth, n.children, n.kind";

/// The columns of a node's content, of `tree_contents AS c`, which follow those of its shape. The
/// text itself follows last.
pub(super) const CONTENT: &str =
    "c.created, c.role, c.source, c.identifier, c.metadata, c.handle_metadata";

/// A tree by its number, with its claims.
pub(super) fn load_tree(
    transaction: &TreeTransaction<'_>,
    tree: NumberedTree,
) -> Result<StoredTree> {
    let sql = "SELECT t.id, t.name, t.metadata, t.nodes, t.created, t.updated, \
               (SELECT n.id FROM tree_nodes AS n WHERE n.tree = t.number AND n.parent IS NULL) \
               FROM trees AS t WHERE t.number = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let mut stored = statement.query_row([tree.number], |row| {
        Ok(StoredTree {
            id: word(row, 0, TreeId::parse)?,
            name: row_name(row, 1)?,
            metadata: row.get(2)?,
            state: tree.state,
            root: word(row, 6, |raw| Some(NodeId::given(raw)))?,
            nodes: row.get::<_, i64>(3)?.unsigned_abs(),
            claims: Vec::new(),
            created: time(row, 4)?,
            updated: time(row, 5)?,
        })
    })?;
    let sql = "SELECT claimant, count FROM tree_claims WHERE tree = ?1 ORDER BY claimant";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let claims = statement.query_map([tree.number], |row| {
        Ok(TreeClaim {
            claimant: word(row, 0, |raw| Some(Claimant::new(raw)))?,
            count: row.get::<_, i64>(1)?.unsigned_abs(),
        })
    })?;
    stored.claims = claims.collect::<Result<_>>()?;
    Ok(stored)
}

/// The name of a tree, if it has one.
pub(super) fn row_name(row: &Row<'_>, column: usize) -> Result<Option<TreeName>> {
    match optional(row, column, TreeName::parse)? {
        None => Ok(None),
        Some(Ok(name)) => Ok(Some(name)),
        Some(Err(_)) => Err(unread(column)),
    }
}

/// The number of a node of this tree.
pub(crate) fn find_node(
    transaction: &TreeTransaction<'_>,
    number: i64,
    tree: &TreeRef,
    node: &NodeRef,
) -> Result<i64, WorkError<TreeError>> {
    let connection = transaction.connection;
    let found: Option<i64> = match node {
        NodeRef::Root => connection
            .prepare_cached("SELECT number FROM tree_nodes WHERE tree = ?1 AND parent IS NULL")?
            .query_row([number], |row| row.get(0))
            .optional()?,
        NodeRef::Id(id) => connection
            .prepare_cached("SELECT number FROM tree_nodes WHERE id = ?2 AND tree = ?1")?
            .query_row((number, id.as_str()), |row| row.get(0))
            .optional()?,
    };
    let gone = || TreeError::NodeNotFound { tree: tree.clone(), node: node.clone() };
    Ok(found.ok_or_else(gone)?)
}

/// Reads nodes by number, with content.
pub(super) struct NodeReader<'a> {
    statement: CachedStatement<'a>,
}

impl<'a> NodeReader<'a> {
    pub(super) fn new(transaction: &TreeTransaction<'a>) -> Result<Self> {
        let sql = format!(
            "SELECT {SHAPE}, {CONTENT}, c.content FROM tree_nodes AS n \
             JOIN tree_contents AS c ON c.node = n.number WHERE n.number = ?1"
        );
        Ok(Self { statement: transaction.connection.prepare_cached(&sql)? })
    }

    pub(super) fn read(&mut self, number: i64) -> Result<TreeNode> {
        self.statement.query_row([number], |row| Ok(numbered_node(row)?.1))
    }
}

/// A node's number and shape, from the columns of [`SHAPE`].
pub(super) fn numbered_shape(row: &Row<'_>) -> Result<(i64, NodeShape)> {
    let shape = NodeShape {
        id: word(row, 1, |raw| Some(NodeId::given(raw)))?,
        parent: optional(row, 2, NodeId::given)?,
        depth: row.get::<_, i64>(3)?.unsigned_abs(),
        children: row.get::<_, i64>(4)?.unsigned_abs(),
        kind: word(row, 5, NodeKind::parse)?,
    };
    Ok((row.get(0)?, shape))
}

/// A node's number and the whole node, from the columns [`SHAPE`], [`CONTENT`] and the text.
pub(super) fn numbered_node(row: &Row<'_>) -> Result<(i64, TreeNode)> {
    let (number, shape) = numbered_shape(row)?;
    let content = match shape.kind {
        NodeKind::Text => NodeContent::Text { role: row.get(7)?, text: row.get(12)? },
        NodeKind::External => NodeContent::External(ExternalHandle {
            source: row.get(8)?,
            identifier: row.get(9)?,
            metadata: row.get(11)?,
        }),
    };
    let node = TreeNode { shape, created: time(row, 6)?, content, metadata: row.get(10)? };
    Ok((number, node))
}

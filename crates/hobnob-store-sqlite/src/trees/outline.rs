//! A tree in drawing order (depth first), one part at a time. Read-only.
//!
//! The walk reads every node once, keeps the open branches, and never goes back to the root: a part
//! begins at its cursor's node, with the branches that the cursor carries.

#[cfg(test)]
mod tests;

use super::open_branches::{OpenBranches, WalkedBranch};
use super::rows::{CONTENT, SHAPE, find_node, numbered_node};
use super::transaction::TreeTransaction;
use crate::convert::WorkError;
use hobnob_store::cursors::OutlineCursor;
use hobnob_store::memory::PageRequest;
use hobnob_store::trees::{
    NodePosition, NodeRef, OutlineLine, TreeError, TreeNode, TreeOutline, TreeRef,
};
use rusqlite::{CachedStatement, OptionalExtension as _, Result};

/// Characters of a text that a line shows.
const LINE_CHARACTERS: u32 = 400;

/// One part of a tree, from the root or from behind the cursor.
pub(super) fn outline(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    page: &PageRequest,
) -> Result<TreeOutline, WorkError<TreeError>> {
    let found = transaction.find(tree)?;
    let (mut walk, mut open) = match &page.after {
        None => {
            let root = find_node(transaction, found.number, tree, &NodeRef::Root)?;
            (Some(root), OpenBranches::at(root))
        }
        Some(cursor) => resume(transaction, found.number, cursor)?,
    };
    let mut reader = LineReader::new(transaction)?;
    let mut lines = Vec::new();
    let mut last = None;
    while let Some(number) = walk.filter(|_| lines.len() < page.limit) {
        let WalkedLine { node, position, next, child } = reader.read(number)?;
        let depth = i64::try_from(node.shape.depth).unwrap_or(i64::MAX);
        lines.push(OutlineLine { node, position, branches: open.shown(transaction)? });
        if position != NodePosition::Only {
            open.push(WalkedBranch { number, depth, next });
        }
        if lines.len() == page.limit {
            last = Some(open.cursor_behind(number));
        }
        walk = match child {
            Some(child) => Some(child),
            None => open.leave(transaction)?,
        };
    }
    let next = walk.and(last).map(|cursor| cursor.to_text());
    Ok(TreeOutline { lines, next })
}

/// The node drawn after the cursor's node, and its open branches.
fn resume(
    transaction: &TreeTransaction<'_>,
    tree: i64,
    cursor: &str,
) -> Result<(Option<i64>, OpenBranches), WorkError<TreeError>> {
    let cursor = OutlineCursor::parse(cursor).ok_or(TreeError::BadCursor)?;
    let sql = "SELECT (SELECT c.number FROM tree_nodes AS c WHERE c.parent = n.number \
               ORDER BY c.number LIMIT 1) FROM tree_nodes AS n WHERE n.number = ?1 AND n.tree = ?2";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let last: Option<Option<i64>> =
        statement.query_row((cursor.last, tree), |row| row.get(0)).optional()?;
    let child = last.ok_or(TreeError::BadCursor)?;
    let mut open = OpenBranches::resume(transaction, tree, &cursor)?.ok_or(TreeError::BadCursor)?;
    let walk = match child {
        Some(child) => Some(child),
        None => open.leave(transaction)?,
    };
    Ok((walk, open))
}

/// A node and the ways on from it.
struct WalkedLine {
    node: TreeNode,
    position: NodePosition,
    /// The sibling after it.
    next: Option<i64>,
    /// Its first child, which is drawn next.
    child: Option<i64>,
}

/// Reads all data of a line with one statement.
struct LineReader<'a> {
    statement: CachedStatement<'a>,
}

impl<'a> LineReader<'a> {
    fn new(transaction: &TreeTransaction<'a>) -> Result<Self> {
        let sql = format!(
            "SELECT {SHAPE}, {CONTENT}, substr(c.content, 1, ?2), \
             CASE WHEN 1 < above.children THEN (SELECT s.number FROM tree_nodes AS s \
             WHERE s.parent = n.parent AND n.number < s.number ORDER BY s.number LIMIT 1) END, \
             CASE WHEN 0 < n.children THEN (SELECT b.number FROM tree_nodes AS b \
             WHERE b.parent = n.number ORDER BY b.number LIMIT 1) END, \
             coalesce(above.children, 1) FROM tree_nodes AS n \
             JOIN tree_contents AS c ON c.node = n.number \
             LEFT JOIN tree_nodes AS above ON above.number = n.parent WHERE n.number = ?1"
        );
        Ok(Self { statement: transaction.connection.prepare_cached(&sql)? })
    }

    fn read(&mut self, number: i64) -> Result<WalkedLine> {
        self.statement.query_row((number, LINE_CHARACTERS), |row| {
            let next = row.get(13)?;
            let position = match (row.get::<_, i64>(15)?, next) {
                (..=1, _) => NodePosition::Only,
                (_, Some(_)) => NodePosition::Before,
                (_, None) => NodePosition::Last,
            };
            Ok(WalkedLine { node: numbered_node(row)?.1, position, next, child: row.get(14)? })
        })
    }
}

//! A tree in the order in which it is drawn, a part at a time. Only reads.
//!
//! The walk goes from node to node through the indexes and keeps no stack, so that neither depth
//! nor size of a tree is a limit; a part begins where its cursor's node ended.

use super::rows::{NodeText, find_node, load_node};
use super::transaction::TreeTransaction;
use crate::memory::PageRequest;
use crate::sqlite::cursor::{cursor_at, number_in};
use crate::trees::{
    NodePosition, NodeRef, OpenBranch, OutlineLine, TreeError, TreeOutline, TreeRef,
};
use rusqlite::{OptionalExtension as _, Result};

/// So many characters of a text are in a line.
const LINE_CHARACTERS: u32 = 400;

/// One part of a tree, from the root or from behind the cursor.
pub(super) fn outline(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    page: &PageRequest,
) -> Result<TreeOutline, TreeError> {
    let found = transaction.find(tree)?;
    let mut walk = match &page.after {
        None => Some(find_node(transaction, found.number, tree, &NodeRef::Root)?),
        Some(cursor) => {
            let last = number_in(cursor).ok_or(TreeError::BadCursor)?;
            if !is_in(transaction, last, found.number)? {
                return Err(TreeError::BadCursor);
            }
            following(transaction, last)?
        }
    };
    let above = match walk {
        Some(first) => branches_above(transaction, first)?,
        None => Vec::new(),
    };
    let mut lines = Vec::new();
    let mut last = None;
    while let Some(number) = walk.filter(|_| lines.len() < page.limit) {
        let node = load_node(transaction, number, NodeText::Beginning(LINE_CHARACTERS))?;
        lines.push(OutlineLine { node, position: position(transaction, number)? });
        last = Some(number);
        walk = following(transaction, number)?;
    }
    let next = walk.and(last).map(cursor_at);
    Ok(TreeOutline { above, lines, next })
}

fn is_in(transaction: &TreeTransaction<'_>, node: i64, tree: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM tree_nodes WHERE number = ?1 AND tree = ?2";
    transaction.connection.prepare_cached(sql)?.exists((node, tree))
}

/// The node that is drawn behind this one: its first child, or the next sibling of the nearest
/// node above that has one.
fn following(transaction: &TreeTransaction<'_>, node: i64) -> Result<Option<i64>> {
    if let Some(child) = next_child(transaction, node, 0)? {
        return Ok(Some(child));
    }
    let sql = "SELECT n.parent, p.children FROM tree_nodes AS n \
               JOIN tree_nodes AS p ON p.number = n.parent WHERE n.number = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let mut at = node;
    loop {
        let above: Option<(i64, i64)> =
            statement.query_row([at], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((parent, children)) = above else { return Ok(None) };
        if 1 < children
            && let Some(sibling) = next_child(transaction, parent, at)?
        {
            return Ok(Some(sibling));
        }
        at = parent;
    }
}

/// The first child of a node behind this one.
fn next_child(transaction: &TreeTransaction<'_>, parent: i64, behind: i64) -> Result<Option<i64>> {
    let sql = "SELECT number FROM tree_nodes WHERE parent = ?1 AND ?2 < number \
               ORDER BY number LIMIT 1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    statement.query_row((parent, behind), |row| row.get(0)).optional()
}

fn position(transaction: &TreeTransaction<'_>, node: i64) -> Result<NodePosition> {
    let sql = "SELECT n.parent FROM tree_nodes AS n JOIN tree_nodes AS p ON p.number = n.parent \
               WHERE n.number = ?1 AND 1 < p.children";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let parent: Option<i64> = statement.query_row([node], |row| row.get(0)).optional()?;
    Ok(match parent {
        None => NodePosition::Only,
        Some(parent) => match next_child(transaction, parent, node)? {
            Some(_) => NodePosition::Before,
            None => NodePosition::Last,
        },
    })
}

/// The nodes above this one that have siblings, outermost first.
fn branches_above(transaction: &TreeTransaction<'_>, node: i64) -> Result<Vec<OpenBranch>> {
    let sql = "WITH RECURSIVE up (number, parent, depth) AS ( \
               SELECT p.number, p.parent, p.depth FROM tree_nodes AS n \
               JOIN tree_nodes AS p ON p.number = n.parent WHERE n.number = ?1 \
               UNION ALL SELECT n.number, n.parent, n.depth FROM up \
               JOIN tree_nodes AS n ON n.number = up.parent) \
               SELECT up.depth, EXISTS (SELECT 1 FROM tree_nodes AS s \
               WHERE s.parent = up.parent AND up.number < s.number) \
               FROM up JOIN tree_nodes AS p ON p.number = up.parent WHERE 1 < p.children";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let branches = statement.query_map([node], |row| {
        let position = if row.get(1)? { NodePosition::Before } else { NodePosition::Last };
        Ok(OpenBranch { depth: row.get::<_, i64>(0)?.unsigned_abs(), position })
    })?;
    let mut branches: Vec<OpenBranch> = branches.collect::<Result<_>>()?;
    branches.reverse();
    Ok(branches)
}

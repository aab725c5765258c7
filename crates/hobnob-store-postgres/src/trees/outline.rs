//! A tree in drawing order (depth first), one part at a time. Read-only.
//!
//! The walk reads every node once, keeps the open branches, and never goes back to the root: a part
//! begins at its cursor's node, with the branches that the cursor carries.

use super::open_branches::{OpenBranches, WalkedBranch};
use super::rows::{CONTENT, SHAPE, find_node, numbered_node};
use super::work::{TreeWork, Worked};
use crate::columns::{get, number};
use crate::error::Result;
use crate::value::values;
use hobnob_store::cursors::OutlineCursor;
use hobnob_store::memory::PageRequest;
use hobnob_store::trees::{
    NodePosition, NodeRef, OutlineLine, TreeError, TreeNode, TreeOutline, TreeRef,
};

/// Characters of a text that a line shows.
const LINE_CHARACTERS: u32 = 400;

/// One part of a tree, from the root or from behind the cursor.
pub(super) async fn outline(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    page: &PageRequest,
) -> Worked<TreeOutline> {
    let found = work.find(tree).await?;
    let (mut walk, mut open) = match &page.after {
        None => {
            let root = find_node(work, found.number, tree, &NodeRef::Root).await?;
            (Some(root), OpenBranches::at(root))
        }
        Some(cursor) => resume(work, found.number, cursor).await?,
    };
    let mut lines = Vec::new();
    let mut last = None;
    while let Some(number) = walk.filter(|_| lines.len() < page.limit) {
        let WalkedLine { node, position, next, child } = read_line(work, number).await?;
        let depth = i64::try_from(node.shape.depth).unwrap_or(i64::MAX);
        lines.push(OutlineLine { node, position, branches: open.shown(work).await? });
        if position != NodePosition::Only {
            open.push(WalkedBranch { number, depth, next });
        }
        if lines.len() == page.limit {
            last = Some(open.cursor_behind(number));
        }
        walk = match child {
            Some(child) => Some(child),
            None => open.leave(work).await?,
        };
    }
    let next = walk.and(last).map(|cursor| cursor.to_text());
    Ok(TreeOutline { lines, next })
}

/// The node drawn after the cursor's node, and its open branches.
async fn resume(
    work: &TreeWork<'_>,
    tree: i64,
    cursor: &str,
) -> Worked<(Option<i64>, OpenBranches)> {
    let cursor = OutlineCursor::parse(cursor).ok_or(TreeError::BadCursor)?;
    let sql = "SELECT (SELECT c.number FROM tree_nodes AS c WHERE c.parent = n.number \
               ORDER BY c.number LIMIT 1) FROM tree_nodes AS n WHERE n.number = $1 AND n.tree = $2";
    let last =
        work.transaction.first(sql, values![cursor.last, tree], |row| get::<Option<i64>>(row, 0));
    let child = last.await?.ok_or(TreeError::BadCursor)?;
    let mut open = OpenBranches::resume(work, tree, &cursor).await?.ok_or(TreeError::BadCursor)?;
    let walk = match child {
        Some(child) => Some(child),
        None => open.leave(work).await?,
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
async fn read_line(work: &TreeWork<'_>, node: i64) -> Result<WalkedLine> {
    let sql = format!(
        "SELECT {SHAPE}, {CONTENT}, left(c.content, $2::int), \
         CASE WHEN 1 < above.children THEN (SELECT s.number FROM tree_nodes AS s \
         WHERE s.parent = n.parent AND n.number < s.number ORDER BY s.number LIMIT 1) END, \
         CASE WHEN 0 < n.children THEN (SELECT b.number FROM tree_nodes AS b \
         WHERE b.parent = n.number ORDER BY b.number LIMIT 1) END, \
         coalesce(above.children, 1) FROM tree_nodes AS n \
         JOIN tree_contents AS c ON c.node = n.number \
         LEFT JOIN tree_nodes AS above ON above.number = n.parent WHERE n.number = $1"
    );
    let line = work.transaction.one(&sql, values![node, LINE_CHARACTERS], |row| {
        let next = get(row, 13)?;
        let position = match (number(row, 15)?, next) {
            (..=1, _) => NodePosition::Only,
            (_, Some(_)) => NodePosition::Before,
            (_, None) => NodePosition::Last,
        };
        Ok(WalkedLine { node: numbered_node(row)?.1, position, next, child: get(row, 14)? })
    });
    line.await
}

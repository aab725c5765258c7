//! Jump pointers: finds the ancestor at a depth, or a part of a path, in a few steps.
//!
//! Besides its parent, every node has a jump to a higher ancestor. The code that appends a node
//! sets it with [`place_below`], so every ancestor is a logarithmic number of steps away.

use super::transaction::TreeTransaction;
use rusqlite::Result;

/// The depth and the jump of a new node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodePlace {
    pub(super) depth: i64,
    pub(super) jump: i64,
}

/// The place of a new child. Jump lengths follow the skew binary number system (Myers): a child
/// jumps as far as two of its parent's jumps if both have the same length, else to its parent.
pub(super) fn place_below(transaction: &TreeTransaction<'_>, parent: i64) -> Result<NodePlace> {
    let sql = "SELECT p.depth, j.depth, k.depth, k.number FROM tree_nodes AS p \
               JOIN tree_nodes AS j ON j.number = p.jump JOIN tree_nodes AS k ON k.number = j.jump \
               WHERE p.number = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    statement.query_row([parent], |row| {
        let (near, middle, far): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let jump = if near - middle == middle - far { row.get(3)? } else { parent };
        Ok(NodePlace { depth: near + 1, jump })
    })
}

/// The number of ancestors of a node.
pub(super) fn depth_of(transaction: &TreeTransaction<'_>, node: i64) -> Result<i64> {
    let sql = "SELECT depth FROM tree_nodes WHERE number = ?1";
    transaction.connection.prepare_cached(sql)?.query_row([node], |row| row.get(0))
}

/// The nodes on the path from the root to `node` with depths from `first` to `last` (inclusive),
/// from the top down.
pub(super) fn path_part(
    transaction: &TreeTransaction<'_>,
    node: i64,
    first: i64,
    last: i64,
) -> Result<Vec<i64>> {
    let lowest = ancestor_at(transaction, node, last)?;
    let sql = "WITH RECURSIVE up (number, parent, depth) AS ( \
               SELECT number, parent, depth FROM tree_nodes WHERE number = ?1 \
               UNION ALL SELECT n.number, n.parent, n.depth FROM up \
               JOIN tree_nodes AS n ON n.number = up.parent WHERE ?2 < up.depth) \
               SELECT number FROM up";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let numbers = statement.query_map((lowest, first), |row| row.get(0))?;
    let mut numbers: Vec<i64> = numbers.collect::<Result<_>>()?;
    numbers.reverse();
    Ok(numbers)
}

/// The ancestor at this depth; the node itself if it is not deeper.
fn ancestor_at(transaction: &TreeTransaction<'_>, node: i64, depth: i64) -> Result<i64> {
    let sql = "SELECT n.depth, n.parent, n.jump, j.depth FROM tree_nodes AS n \
               JOIN tree_nodes AS j ON j.number = n.jump WHERE n.number = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let mut at = node;
    loop {
        let (here, parent, jump, jump_depth): (i64, Option<i64>, i64, i64) = statement
            .query_row([at], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        match parent {
            Some(parent) if depth < here => at = if jump_depth < depth { parent } else { jump },
            _ => return Ok(at),
        }
    }
}

//! Jump pointers: finds the ancestor at a depth, or a part of a path, in a few steps.
//!
//! Besides its parent, every node has a jump to a higher ancestor. The code that appends a node
//! sets it with [`place_below`], so every ancestor is a logarithmic number of steps away.

use super::work::TreeWork;
use crate::columns::number;
use crate::error::Result;
use crate::value::values;

/// The depth and the jump of a new node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodePlace {
    pub(super) depth: i64,
    pub(super) jump: i64,
}

/// The place of a new child. Jump lengths follow the skew binary number system (Myers): a child
/// jumps as far as two of its parent's jumps if both have the same length, else to its parent.
pub(super) async fn place_below(work: &TreeWork<'_>, parent: i64) -> Result<NodePlace> {
    let sql = "SELECT p.depth, j.depth, k.depth, k.number FROM tree_nodes AS p \
               JOIN tree_nodes AS j ON j.number = p.jump JOIN tree_nodes AS k ON k.number = j.jump \
               WHERE p.number = $1";
    let place = work.transaction.one(sql, values![parent], |row| {
        let (near, middle, far) = (number(row, 0)?, number(row, 1)?, number(row, 2)?);
        let jump = if near - middle == middle - far { number(row, 3)? } else { parent };
        Ok(NodePlace { depth: near + 1, jump })
    });
    place.await
}

/// The number of ancestors of a node.
pub(super) async fn depth_of(work: &TreeWork<'_>, node: i64) -> Result<i64> {
    let sql = "SELECT depth FROM tree_nodes WHERE number = $1";
    work.transaction.one(sql, values![node], |row| number(row, 0)).await
}

/// The nodes on the path from the root to `node` with depths from `first` to `last` (inclusive),
/// from the top down. The first query jumps to the lowest of them, the second one climbs.
pub(super) async fn path_part(
    work: &TreeWork<'_>,
    node: i64,
    first: i64,
    last: i64,
) -> Result<Vec<i64>> {
    let sql = "WITH RECURSIVE walk (number, parent, jump, depth) AS ( \
                   SELECT number, parent, jump, depth FROM tree_nodes WHERE number = $1 \
                   UNION ALL SELECT n.number, n.parent, n.jump, n.depth FROM walk AS w \
                   JOIN tree_nodes AS j ON j.number = w.jump \
                   JOIN tree_nodes AS n ON n.number = \
                       CASE WHEN j.depth < $2 THEN w.parent ELSE w.jump END \
                   WHERE $2 < w.depth AND w.parent IS NOT NULL) \
               SELECT number FROM walk ORDER BY depth LIMIT 1";
    let lowest = work.transaction.one(sql, values![node, last], |row| number(row, 0)).await?;
    let sql = "WITH RECURSIVE up (number, parent, depth) AS ( \
                   SELECT number, parent, depth FROM tree_nodes WHERE number = $1 \
                   UNION ALL SELECT n.number, n.parent, n.depth FROM up \
                   JOIN tree_nodes AS n ON n.number = up.parent WHERE $2 < up.depth) \
               SELECT number FROM up ORDER BY depth";
    work.transaction.all(sql, values![lowest, first], |row| number(row, 0)).await
}

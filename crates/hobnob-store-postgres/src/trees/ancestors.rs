//! Jump pointers: finds the ancestor at a depth, or a part of a path, in a few steps.
//!
//! Besides its parent, every node has a jump to a higher ancestor. The code that appends a node
//! sets it with [`KnownAncestors`], so every ancestor is a logarithmic number of steps away.

use super::work::TreeWork;
use crate::columns::number;
use crate::error::Result;
use crate::value::values;
use std::collections::HashMap;

/// The depth and the jump of a new node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodePlace {
    pub(super) depth: i64,
    pub(super) jump: i64,
}

/// The places of ancestors that were read or written, while a chain of nodes is appended.
#[derive(Debug, Default)]
pub(super) struct KnownAncestors(HashMap<i64, NodePlace>);

impl KnownAncestors {
    /// Reads those that the first child of `parent` needs.
    pub(super) async fn above(work: &TreeWork<'_>, parent: i64) -> Result<Self> {
        let sql = "WITH RECURSIVE up (number, depth, jump, steps) AS ( \
                       SELECT number, depth, jump, 0 FROM tree_nodes WHERE number = $1 \
                       UNION ALL SELECT n.number, n.depth, n.jump, up.steps + 1 FROM up \
                       JOIN tree_nodes AS n ON n.number = up.jump WHERE up.steps < 2) \
                   SELECT number, depth, jump FROM up";
        let found = work.transaction.all(sql, values![parent], |row| {
            Ok((number(row, 0)?, NodePlace { depth: number(row, 1)?, jump: number(row, 2)? }))
        });
        Ok(Self(found.await?.into_iter().collect()))
    }

    /// Adds a node that is about to be written.
    pub(super) fn insert(&mut self, node: i64, place: NodePlace) {
        self.0.insert(node, place);
    }

    /// The place of a new child. Jump lengths follow the skew binary number system (Myers): a child
    /// jumps as far as two of its parent's jumps if both have the same length, else to its parent.
    pub(super) async fn place_below(
        &mut self,
        work: &TreeWork<'_>,
        parent: i64,
    ) -> Result<NodePlace> {
        let near = self.place_of(work, parent).await?;
        let middle = self.place_of(work, near.jump).await?;
        let far = self.place_of(work, middle.jump).await?;
        let alike = near.depth - middle.depth == middle.depth - far.depth;
        let jump = if alike { middle.jump } else { parent };
        Ok(NodePlace { depth: near.depth + 1, jump })
    }

    async fn place_of(&mut self, work: &TreeWork<'_>, node: i64) -> Result<NodePlace> {
        if let Some(known) = self.0.get(&node) {
            return Ok(*known);
        }
        let sql = "SELECT depth, jump FROM tree_nodes WHERE number = $1";
        let place = work.transaction.one(sql, values![node], |row| {
            Ok(NodePlace { depth: number(row, 0)?, jump: number(row, 1)? })
        });
        let place = place.await?;
        self.0.insert(node, place);
        Ok(place)
    }
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

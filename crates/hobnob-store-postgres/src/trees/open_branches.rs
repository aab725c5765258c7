//! The open branches of a walk through a tree: the ancestors of its position that have siblings.
//!
//! A walk knows the innermost branches and the number of the others. It looks those up in batches
//! when it comes back to them, so no node costs a walk up a long path.

use super::work::TreeWork;
use crate::columns::{get, number};
use crate::error::Result;
use crate::value::values;
use hobnob_store::cursors::OutlineCursor;
use hobnob_store::trees::{LineBranches, NodePosition, SHOWN_BRANCHES};
use std::collections::VecDeque;

/// How many branches one lookup reads.
const BRANCHES_PER_LOOKUP: usize = 64;

/// An ancestor with siblings.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkedBranch {
    pub(super) number: i64,
    pub(super) depth: i64,
    /// The sibling after it.
    pub(super) next: Option<i64>,
}

/// The open branches at one position of a walk.
pub(super) struct OpenBranches {
    /// The known branches, outermost first.
    known: VecDeque<WalkedBranch>,
    /// The number of branches further out.
    hidden: u64,
    /// A node below all hidden branches, and not below any known one.
    edge: i64,
}

impl OpenBranches {
    /// At the root, which is in no branch.
    pub(super) fn at(root: i64) -> Self {
        Self { known: VecDeque::new(), hidden: 0, edge: root }
    }

    /// Restores the branches of a cursor; `None` if the cursor is not from this tree.
    pub(super) async fn resume(
        work: &TreeWork<'_>,
        tree: i64,
        cursor: &OutlineCursor,
    ) -> Result<Option<Self>> {
        let sql = "SELECT n.depth, (SELECT s.number FROM tree_nodes AS s \
                   WHERE s.parent = n.parent AND n.number < s.number ORDER BY s.number LIMIT 1) \
                   FROM tree_nodes AS n WHERE n.number = $1 AND n.tree = $2";
        let mut known = VecDeque::with_capacity(cursor.branches.len());
        let mut above = 0;
        for &branch in &cursor.branches {
            let found = work.transaction.first(sql, values![branch, tree], |row| {
                Ok(WalkedBranch { number: branch, depth: number(row, 0)?, next: get(row, 1)? })
            });
            match found.await? {
                Some(branch) if above < branch.depth => {
                    above = branch.depth;
                    known.push_back(branch);
                }
                _ => return Ok(None),
            }
        }
        let edge = cursor.branches.first().copied().unwrap_or(cursor.last);
        Ok(Some(Self { known, hidden: cursor.hidden, edge }))
    }

    /// The branches that a line shows.
    pub(super) async fn shown(&mut self, work: &TreeWork<'_>) -> Result<LineBranches> {
        if self.known.len() < SHOWN_BRANCHES {
            self.look_up(work).await?;
        }
        let further = self.known.len().saturating_sub(SHOWN_BRANCHES);
        let shown = self.known.range(further..).map(|branch| match branch.next {
            Some(_) => NodePosition::Before,
            None => NodePosition::Last,
        });
        let hidden = self.hidden.saturating_add(further as u64);
        Ok(LineBranches { hidden, shown: shown.collect() })
    }

    /// Enters a branch: the nodes that follow are inside it.
    pub(super) fn push(&mut self, branch: WalkedBranch) {
        self.known.push_back(branch);
    }

    /// Leaves branches up to the innermost one with a next sibling, and returns that sibling.
    pub(super) async fn leave(&mut self, work: &TreeWork<'_>) -> Result<Option<i64>> {
        loop {
            match self.known.pop_back() {
                Some(WalkedBranch { next: Some(next), .. }) => return Ok(Some(next)),
                Some(_) => {}
                None if self.hidden == 0 => return Ok(None),
                None => self.look_up(work).await?,
            }
        }
    }

    /// The cursor behind this node, which carries the branches to the next part.
    pub(super) fn cursor_behind(&self, last: i64) -> OutlineCursor {
        let further = self.known.len().saturating_sub(SHOWN_BRANCHES);
        OutlineCursor {
            last,
            hidden: self.hidden.saturating_add(further as u64),
            branches: self.known.range(further..).map(|branch| branch.number).collect(),
        }
    }

    /// Loads the nearest hidden branches.
    async fn look_up(&mut self, work: &TreeWork<'_>) -> Result<()> {
        if self.hidden == 0 {
            return Ok(());
        }
        let sql = "WITH RECURSIVE up (number, parent, depth) AS ( \
                   SELECT p.number, p.parent, p.depth FROM tree_nodes AS n \
                   JOIN tree_nodes AS p ON p.number = n.parent WHERE n.number = $1 \
                   UNION ALL SELECT n.number, n.parent, n.depth FROM up \
                   JOIN tree_nodes AS n ON n.number = up.parent) \
                   SELECT up.number, up.depth, (SELECT s.number FROM tree_nodes AS s \
                   WHERE s.parent = up.parent AND up.number < s.number ORDER BY s.number LIMIT 1) \
                   FROM up JOIN tree_nodes AS p ON p.number = up.parent WHERE 1 < p.children \
                   ORDER BY up.depth DESC LIMIT $2";
        let found = work.transaction.all(sql, values![self.edge, BRANCHES_PER_LOOKUP], |row| {
            Ok(WalkedBranch { number: number(row, 0)?, depth: number(row, 1)?, next: get(row, 2)? })
        });
        let found = found.await?;
        self.hidden = match found.len() {
            BRANCHES_PER_LOOKUP => self.hidden.saturating_sub(BRANCHES_PER_LOOKUP as u64),
            _ => 0,
        };
        for branch in found {
            self.edge = branch.number;
            self.known.push_front(branch);
        }
        Ok(())
    }
}

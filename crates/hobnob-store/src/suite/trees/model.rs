//! A reference model of a tree: a list of parents, and the expected result of every walk.

use crate::trees::{NodeId, NodePosition};

/// Nodes in order of insertion, each with the index of its parent.
pub(super) struct TreeModel {
    pub(super) nodes: Vec<(NodeId, Option<usize>)>,
}

impl TreeModel {
    pub(super) fn id(&self, index: usize) -> NodeId {
        self.nodes[index].0.clone()
    }

    pub(super) fn children(&self, of: usize) -> Vec<usize> {
        (0..self.nodes.len()).filter(|index| self.nodes[*index].1 == Some(of)).collect()
    }

    pub(super) fn path(&self, to: usize) -> Vec<usize> {
        let mut path: Vec<usize> =
            std::iter::successors(Some(to), |index| self.nodes[*index].1).collect();
        path.reverse();
        path
    }

    pub(super) fn leaves(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|index| self.children(*index).is_empty()).collect()
    }

    pub(super) fn position(&self, index: usize) -> NodePosition {
        let siblings = self.nodes[index].1.map(|parent| self.children(parent));
        match siblings {
            Some(siblings) if 1 < siblings.len() => match siblings.last() == Some(&index) {
                true => NodePosition::Last,
                false => NodePosition::Before,
            },
            _ => NodePosition::Only,
        }
    }

    /// All nodes in depth-first order, each before its children.
    pub(super) fn drawn(&self) -> Vec<usize> {
        let mut waiting = vec![0];
        let mut drawn = Vec::new();
        while let Some(index) = waiting.pop() {
            drawn.push(index);
            waiting.extend(self.children(index).into_iter().rev());
        }
        drawn
    }

    pub(super) fn ids(&self, indices: &[usize]) -> Vec<NodeId> {
        indices.iter().map(|index| self.id(*index)).collect()
    }
}

//! Walks through trees of every shape: paths, leaves, skeletons and outlines, page by page.

use super::model::TreeModel;
use super::owned::{OwnedTrees, TreesUnderTest, by_id, ids, page, shape_ids, text};
use crate::StoreFuture;
use crate::memory::{Page, PageRequest};
use crate::suite::case_result::{CaseResult, Failed, equal, hold};
use crate::trees::{
    LineBranches, NodePosition, NodeRef, OutlineLine, SHOWN_BRANCHES, StoredTree, TreeError,
};
use std::collections::BTreeSet;

/// The number of nodes of a random tree.
const NODES: usize = 120;
/// The depth of a deep tree, too deep for any recursion.
const DEPTH: usize = 30_000;
/// The number of nested branches.
const LEVELS: usize = 150;

/// Fetches all pages of a list.
async fn all<'a, T>(
    limit: usize,
    read: impl Fn(PageRequest) -> StoreFuture<'a, Result<Page<T>, TreeError>>,
) -> Result<Vec<T>, Failed> {
    let mut items = Vec::new();
    let mut after = None;
    loop {
        let part = read(PageRequest { after, limit }).await?;
        hold(part.items.len() <= limit, "no page is too long")?;
        items.extend(part.items);
        after = part.next;
        if after.is_none() {
            return Ok(items);
        }
    }
}

pub(super) async fn no_walk_differs_from_the_model(trees: TreesUnderTest) -> CaseResult {
    let mut dice = fastrand::Rng::with_seed(13);
    // From chains to brooms, by how far back a parent may be.
    for reach in [1, 3, 20, NODES] {
        let ada = OwnedTrees::new(trees.clone());
        let tree = ada.make(0, "").await?;
        let mut model = TreeModel { nodes: vec![(tree.root.clone(), None)] };
        while model.nodes.len() < NODES {
            let newest = model.nodes.len() - 1;
            let parent = newest - dice.usize(0..reach.min(newest + 1));
            let new = vec![text("user", "x"); dice.usize(1..4)];
            let made = ada.append(&tree, &model.id(parent), new).await?;
            let mut above = parent;
            for node in made {
                model.nodes.push((node.shape.id, Some(above)));
                above = model.nodes.len() - 1;
            }
        }
        let limit = dice.usize(1..40);
        check_paths(&ada, &tree, &model, limit).await?;
        check_lists(&ada, &tree, &model, limit).await?;
        check_outline(&ada, &tree, &model, limit).await?;
    }
    Ok(())
}

/// Which child of a branch continues the walk.
#[derive(Debug, Clone, Copy)]
enum GoesOn {
    First,
    Second,
    Either,
}

/// More nested branches than a cursor holds, and than a walk looks up at once.
pub(super) async fn branches_in_branches_are_drawn(trees: TreesUnderTest) -> CaseResult {
    let mut dice = fastrand::Rng::with_seed(7);
    for (goes_on, limit) in [
        (GoesOn::First, 1),
        (GoesOn::First, 150),
        (GoesOn::Second, 1),
        (GoesOn::Second, 40),
        (GoesOn::Either, 3),
        (GoesOn::Either, 1_000),
    ] {
        let ada = OwnedTrees::new(trees.clone());
        let tree = ada.make(0, "").await?;
        let mut model = TreeModel { nodes: vec![(tree.root.clone(), None)] };
        let mut at = 0;
        for _ in 0..LEVELS {
            let first = model.nodes.len();
            for _ in 0..2 {
                let made = ada.append(&tree, &model.id(at), vec![text("user", "x")]).await?;
                model.nodes.extend(made.into_iter().map(|node| (node.shape.id, Some(at))));
            }
            at = first
                + match goes_on {
                    GoesOn::First => 0,
                    GoesOn::Second => 1,
                    GoesOn::Either => dice.usize(0..2),
                };
        }
        check_outline(&ada, &tree, &model, limit).await?;
    }
    Ok(())
}

/// A cursor of another tree, or an invented one, is refused.
pub(super) async fn foreign_cursors_are_refused(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let (tree, other) = (ada.make(0, "one").await?, ada.make(0, "two").await?);
    for tree in [&tree, &other] {
        ada.append(tree, &tree.root, vec![text("user", "x"); 3]).await?;
        ada.append(tree, &tree.root, vec![text("user", "x"); 3]).await?;
    }
    let part = ada.trees.outline(ada.at(0), by_id(&other), page(2)).await?;
    let foreign = part.next.ok_or_else(|| Failed::because("there is more"))?;
    for cursor in [&foreign, "", "after-", "after-1", "after-1-0-", "after-zz-0", "before-1-0"] {
        let request = PageRequest { after: Some(cursor.to_owned()), limit: 2 };
        let refused = ada.trees.outline(ada.at(0), by_id(&tree), request).await;
        hold(matches!(refused, Err(TreeError::BadCursor)), "a foreign cursor is refused")?;
    }
    Ok(())
}

async fn check_paths(
    ada: &OwnedTrees,
    tree: &StoredTree,
    model: &TreeModel,
    limit: usize,
) -> CaseResult {
    for index in 0..model.nodes.len() {
        let node = NodeRef::Id(model.id(index));
        let expected = model.path(index);
        let path = all(limit, |page| ada.trees.path(ada.at(0), by_id(tree), node.clone(), page));
        let path = path.await?;
        equal(&ids(&path), &model.ids(&expected), "a path")?;
        let depths: Vec<u64> = path.iter().map(|node| node.shape.depth).collect();
        equal(&depths, &(0..expected.len() as u64).collect(), "depths of a path")?;
        let shape =
            all(limit, |page| ada.trees.path_shape(ada.at(0), by_id(tree), node.clone(), page));
        equal(&shape_ids(&shape.await?), &model.ids(&expected), "a path without contents")?;
        let children =
            all(limit, |page| ada.trees.children(ada.at(0), by_id(tree), node.clone(), page));
        let children = children.await?;
        equal(&ids(&children), &model.ids(&model.children(index)), "children")?;
        let counted = path.last().map(|node| node.shape.children);
        equal(&counted, &Some(children.len() as u64), "the count of children")?;
    }
    Ok(())
}

async fn check_lists(
    ada: &OwnedTrees,
    tree: &StoredTree,
    model: &TreeModel,
    limit: usize,
) -> CaseResult {
    let leaves = all(limit, |page| ada.trees.leaves(ada.at(0), by_id(tree), page)).await?;
    equal(&shape_ids(&leaves), &model.ids(&model.leaves()), "leaves")?;
    let skeleton = all(limit, |page| ada.trees.skeleton(ada.at(0), by_id(tree), page)).await?;
    let everything: Vec<usize> = (0..model.nodes.len()).collect();
    equal(&shape_ids(&skeleton), &model.ids(&everything), "the skeleton")?;
    let mut seen = BTreeSet::new();
    for shape in skeleton {
        hold(shape.parent.is_none_or(|parent| seen.contains(&parent)), "parents come first")?;
        seen.insert(shape.id);
    }
    let stored = ada.get(0, tree).await?;
    equal(&stored.nodes, &(model.nodes.len() as u64), "the count of nodes")
}

async fn check_outline(
    ada: &OwnedTrees,
    tree: &StoredTree,
    model: &TreeModel,
    limit: usize,
) -> CaseResult {
    let drawn = model.drawn();
    let mut lines: Vec<OutlineLine> = Vec::new();
    let mut after = None;
    loop {
        let request = PageRequest { after, limit };
        let part = ada.trees.outline(ada.at(0), by_id(tree), request).await?;
        lines.extend(part.lines);
        after = part.next;
        if after.is_none() {
            break;
        }
    }
    let found: Vec<_> = lines.iter().map(|line| line.node.shape.id.clone()).collect();
    equal(&found, &model.ids(&drawn), "the order of drawing")?;
    let positions: Vec<_> = lines.iter().map(|line| line.position).collect();
    let expected: Vec<_> = drawn.iter().map(|index| model.position(*index)).collect();
    equal(&positions, &expected, "positions among siblings")?;
    let found: Vec<_> = lines.into_iter().map(|line| line.branches).collect();
    let expected: Vec<_> = drawn.iter().map(|index| branches(model, *index)).collect();
    equal(&found, &expected, "the branches around each line")
}

fn branches(model: &TreeModel, of: usize) -> LineBranches {
    let path = model.path(of);
    let above = path[..path.len() - 1].iter().map(|index| model.position(*index));
    let above: Vec<_> = above.filter(|position| *position != NodePosition::Only).collect();
    let hidden = above.len().saturating_sub(SHOWN_BRANCHES);
    LineBranches { hidden: hidden as u64, shown: above[hidden..].to_vec() }
}

pub(super) async fn a_deep_tree_is_walked(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "deep").await?;
    let made = ada.append(&tree, &tree.root, vec![text("user", "x"); DEPTH]).await?;
    let leaf = made.last().ok_or_else(|| Failed::because("nothing was made"))?;
    let node = NodeRef::Id(leaf.shape.id.clone());
    let path =
        all(10_000, |page| ada.trees.path_shape(ada.at(0), by_id(&tree), node.clone(), page));
    equal(&path.await?.len(), &(DEPTH + 1), "the path")?;
    let leaves = ada.trees.leaves(ada.at(0), by_id(&tree), page(9)).await?;
    equal(&shape_ids(&leaves.items), &vec![leaf.shape.id.clone()], "the only leaf")?;
    let mut lines = 0;
    let mut after = None;
    loop {
        let request = PageRequest { after, limit: 10_000 };
        let part = ada.trees.outline(ada.at(0), by_id(&tree), request).await?;
        lines += part.lines.len();
        after = part.next;
        if after.is_none() {
            break;
        }
    }
    equal(&lines, &(DEPTH + 1), "the outline")?;
    ada.release(0, &tree, "ada", 1).await?;
    equal(&ada.trees.remove_gone(super::owned::time(40), 9).await?, &1, "it goes as a whole")
}

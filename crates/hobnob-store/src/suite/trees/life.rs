//! The life cycle of a tree: claimed, released, scheduled, archived, claimed again, gone.

use super::owned::{OwnedTrees, TreesUnderTest, by_id, page, refused, text, time};
use crate::suite::case_result::{CaseResult, Failed, equal};
use crate::trees::{Claimant, NodeRef, StoredTree, TreeClaim, TreeError, TreeState, TreeStateKind};

fn counts(tree: &StoredTree) -> Vec<(&str, u64)> {
    tree.claims.iter().map(|TreeClaim { claimant, count }| (claimant.as_str(), *count)).collect()
}

pub(super) async fn claims_are_counted(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    equal(&counts(&ada.claim(0, &tree, "ada", 2).await?), &vec![("ada", 3)], "one name")?;
    let both = ada.claim(0, &tree, "bob", 1).await?;
    equal(&counts(&both), &vec![("ada", 3), ("bob", 1)], "two names")?;
    refused(
        ada.release(0, &tree, "ada", 4).await,
        &format!("tree {} has 3 claims of `ada`, not 4", tree.id),
    )?;
    refused(
        ada.release(0, &tree, "cem", 1).await,
        &format!("tree {} has 0 claims of `cem`, not 1", tree.id),
    )?;
    let less = ada.release(0, &tree, "ada", 2).await?;
    equal(&counts(&less), &vec![("ada", 1), ("bob", 1)], "less")?;
    let one = ada.release(0, &tree, "ada", 1).await?;
    equal(&counts(&one), &vec![("bob", 1)], "one name less")?;
    equal(&one.state, &TreeState::Active, "still claimed")?;
    equal(&ada.get(0, &tree).await?, &one, "what is stored")
}

pub(super) async fn the_last_release_schedules_a_tree(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    let released = ada.release(2, &tree, "ada", 1).await?;
    equal(&released.state, &TreeState::Scheduled { archived_at: time(9) }, "its state")?;
    equal(&released.claims, &vec![], "its claims")?;
    equal(&ada.get(2, &tree).await?, &released, "what is stored")?;
    equal(&ada.listed(2, TreeStateKind::Active).await?, &vec![], "no active ones")?;
    equal(&ada.listed(2, TreeStateKind::Scheduled).await?, &vec!["main".to_owned()], "scheduled")
}

pub(super) async fn time_archives_a_tree_and_removes_it(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    ada.make(0, "other").await?;
    ada.release(0, &tree, "ada", 1).await?;
    let (scheduled, archived) =
        (TreeState::Scheduled { archived_at: time(7) }, TreeState::Archived { gone_at: time(37) });
    for (day, state, lists) in [
        (0, Some(scheduled), (1, 0)),
        (6, Some(scheduled), (1, 0)),
        (7, Some(archived), (0, 1)),
        (36, Some(archived), (0, 1)),
        (37, None, (0, 0)),
        (400, None, (0, 0)),
    ] {
        let when = format!("on day {day}");
        let found = match ada.get(day, &tree).await {
            Ok(tree) => Some(tree.state),
            Err(TreeError::NotFound(_)) => None,
            Err(other) => return Err(other.into()),
        };
        equal(&found, &state, &when)?;
        let listed = (
            ada.listed(day, TreeStateKind::Scheduled).await?.len(),
            ada.listed(day, TreeStateKind::Archived).await?.len(),
        );
        equal(&listed, &lists, &when)?;
        let active = ada.listed(day, TreeStateKind::Active).await?;
        equal(&active, &vec!["other".to_owned()], &when)?;
    }
    Ok(())
}

pub(super) async fn a_claim_brings_a_tree_back(trees: TreesUnderTest) -> CaseResult {
    for day in [3, 20] {
        let ada = OwnedTrees::new(trees.clone()).of(&format!("ada{day}"));
        let tree = ada.make(0, "main").await?;
        let made = ada.append(&tree, &tree.root, vec![text("user", "a")]).await?;
        ada.release(0, &tree, "ada", 1).await?;
        let back = ada.claim(day, &tree, "bob", 1).await?;
        equal(&back.state, &TreeState::Active, "its state")?;
        equal(&counts(&back), &vec![("bob", 1)], "its claims")?;
        equal(&ada.get(400, &tree).await?, &back, "it stays")?;
        let which = NodeRef::Id(made[0].shape.id.clone());
        let node = ada.trees.node(ada.at(400), by_id(&tree), which).await?;
        equal(&node, &made[0], "with its nodes")?;
    }
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    ada.release(0, &tree, "ada", 1).await?;
    let words = format!("tree not found: {}", tree.id);
    refused(ada.claim(37, &tree, "bob", 1).await, &words)
}

pub(super) async fn what_is_not_active_takes_no_changes(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    ada.release(0, &tree, "ada", 1).await?;
    for (day, state) in [(0, "scheduled"), (8, "archived")] {
        let words = format!("tree {} is {state}: claim it first, then change it", tree.id);
        let (at, which) = (ada.at(day), by_id(&tree));
        let nodes = vec![text("user", "a")];
        let (trees, root) = (&ada.trees, NodeRef::Root);
        refused(trees.append_nodes(at.clone(), which.clone(), root, nodes).await, &words)?;
        refused(trees.set_metadata(at.clone(), which.clone(), None).await, &words)?;
        let skeleton = trees.skeleton(at, which, page(9)).await?;
        equal(&skeleton.items.len(), &1, "it can still be read")?;
    }
    Ok(())
}

pub(super) async fn a_state_can_be_set(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    let set = |day, state| ada.trees.set_state(ada.at(day), by_id(&tree), state);
    let archived = set(0, TreeStateKind::Archived).await?;
    equal(&archived.state, &TreeState::Archived { gone_at: time(30) }, "archived at once")?;
    equal(&archived.claims, &vec![], "claimed by nobody")?;
    let scheduled = set(1, TreeStateKind::Scheduled).await?;
    equal(&scheduled.state, &TreeState::Scheduled { archived_at: time(8) }, "for seven days")?;
    let active = set(2, TreeStateKind::Active).await?;
    equal(&(active.state, counts(&active)), &(TreeState::Active, vec![]), "without a claim")?;
    let claimed = ada.claim(2, &tree, "bob", 1).await?;
    equal(&claimed.claims[0].claimant, &Claimant::new("bob"), "claimed again")
}

pub(super) async fn what_is_gone_is_removed_and_frees_its_name(
    trees: TreesUnderTest,
) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let bob = ada.of("bob");
    for owned in [&ada, &bob] {
        let tree = owned.make(0, "main").await?;
        owned.append(&tree, &tree.root, vec![text("user", "a"); 1_500]).await?;
        owned.release(0, &tree, "ada", 1).await?;
    }
    equal(&ada.trees.remove_gone(time(36), 9).await?, &0, "nothing is gone yet")?;
    let again = ada.make(37, "main").await?;
    equal(&ada.trees.remove_gone(time(37), 9).await?, &1, "bob's, ada's went with the new one")?;
    equal(&ada.trees.remove_gone(time(37), 9).await?, &0, "and only once")?;
    let found = ada.trees.tree(ada.at(37), by_id(&again)).await;
    found.map(drop).map_err(Failed::from)
}

//! Cases of trees as records: creation, names, lists, lookup and ownership.

use super::owned::{OwnedTrees, TreesUnderTest, by_id, names, new_tree, page, refused, time};
use crate::memory::PageRequest;
use crate::suite::case_result::{CaseResult, Failed, equal, hold};
use crate::trees::{
    Claimant, NewTree, NodeContent, NodeRef, TreeClaim, TreeId, TreeName, TreeRef, TreeState,
    TreeStateKind,
};

pub(super) async fn a_new_tree_has_its_root_and_one_claim(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let metadata = Some(r#"{"a":1}"#.to_owned());
    let new = NewTree { metadata: metadata.clone(), ..new_tree("main") };
    let tree = ada.trees.create_tree(ada.at(3), new).await?;
    hold(TreeId::parse(tree.id.as_str()).is_some(), "an id has its shape")?;
    equal(&tree.metadata, &metadata, "its metadata")?;
    equal(&tree.state, &TreeState::Active, "its state")?;
    equal(&tree.nodes, &1, "its nodes")?;
    let claim = TreeClaim { claimant: Claimant::new("ada"), count: 1 };
    equal(&tree.claims, &vec![claim], "its claims")?;
    equal(&(tree.created, tree.updated), &(time(3), time(3)), "its times")?;
    let root = ada.trees.node(ada.at(3), by_id(&tree), NodeRef::Root).await?;
    equal(&root.shape.id, &tree.root, "the root's id")?;
    equal(&root.shape.parent, &None, "the root's parent")?;
    let said = NodeContent::Text { role: "system".into(), text: "be kind".into() };
    equal(&root.content, &said, "what the root says")?;
    equal(&ada.get(3, &tree).await?, &tree, "the tree by its id")?;
    let named = TreeRef::parse("main");
    let named = named.ok_or_else(|| Failed::because("main is a name"))?;
    equal(&ada.trees.tree(ada.at(3), named).await?, &tree, "the tree by its name")
}

pub(super) async fn names_are_unique_for_their_owner(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let first = ada.make(0, "main").await?;
    refused(
        ada.make(0, "main").await,
        "there is a tree named `main` already (active): take another name, or claim that one",
    )?;
    ada.release(0, &first, "ada", 1).await?;
    refused(
        ada.make(0, "main").await,
        "there is a tree named `main` already (scheduled): take another name, or claim that one",
    )?;
    ada.make(0, "Main").await?;
    ada.make(0, "").await?;
    ada.make(0, "").await?;
    ada.of("bob").make(0, "main").await?;
    hold(TreeName::parse(first.id.as_str()).is_err(), "no name looks like an id")?;
    for wrong in ["", " a", "a\n", &"x".repeat(201)] {
        hold(TreeName::parse(wrong).is_err(), wrong)?;
    }
    Ok(())
}

pub(super) async fn nobody_reaches_the_trees_of_others(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let (bob, tree) = (ada.of("bob"), ada.make(0, "main").await?);
    let words = format!("tree not found: {}", tree.id);
    refused(bob.get(0, &tree).await, &words)?;
    refused(bob.claim(0, &tree, "bob", 1).await, &words)?;
    refused(bob.release(0, &tree, "ada", 1).await, &words)?;
    refused(bob.append(&tree, &tree.root, Vec::new()).await, &words)?;
    let (at, which, root) = (bob.at(0), by_id(&tree), NodeRef::Root);
    refused(bob.trees.node(at.clone(), which.clone(), root.clone()).await, &words)?;
    refused(bob.trees.path(at.clone(), which.clone(), root.clone(), page(9)).await, &words)?;
    refused(bob.trees.children(at.clone(), which.clone(), root, page(9)).await, &words)?;
    refused(bob.trees.skeleton(at.clone(), which.clone(), page(9)).await, &words)?;
    refused(bob.trees.outline(at.clone(), which.clone(), page(9)).await, &words)?;
    refused(bob.trees.leaves(at.clone(), which.clone(), page(9)).await, &words)?;
    refused(bob.trees.handles(at.clone(), which.clone(), None, page(9)).await, &words)?;
    refused(bob.trees.node_ids(at.clone(), which, "".into(), 9).await, &words)?;
    equal(&bob.listed(0, TreeStateKind::Active).await?, &vec![], "bob's trees")?;
    equal(&bob.trees.tree_words(at.clone(), "".into(), 9).await?, &vec![], "bob's words")?;
    let found = bob.trees.search_nodes(at, vec!["kind".into()], 9).await?;
    hold(found.nodes.is_empty() && found.complete, "bob finds nothing")?;
    // A node is found only in its own tree.
    let other = ada.make(0, "other").await?;
    let node = NodeRef::Id(tree.root.clone());
    let words = format!("node not found: {} in tree {}", tree.root, other.id);
    refused(ada.trees.node(ada.at(0), by_id(&other), node).await, &words)
}

pub(super) async fn lists_go_on_where_the_page_ended(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    for name in ["a", "b", "c", "d", "e"] {
        ada.make(0, name).await?;
        ada.of("bob").make(0, name).await?;
    }
    let mut found = Vec::new();
    let mut next = page(2);
    loop {
        let part = ada.trees.trees(ada.at(0), TreeStateKind::Active, next).await?;
        hold(part.items.len() <= 2, "no page is too long")?;
        found.extend(names(&part));
        match part.next {
            Some(after) => next = PageRequest { after: Some(after), limit: 2 },
            None => break,
        }
    }
    equal(&found, &["e", "d", "c", "b", "a"].map(String::from).to_vec(), "newest first")?;
    let wrong = PageRequest { after: Some("elsewhere".into()), limit: 2 };
    let words = "this cursor is not from this list: list again without it";
    refused(ada.trees.trees(ada.at(0), TreeStateKind::Active, wrong).await, words)
}

pub(super) async fn metadata_is_put_in_place_of_what_was_there(
    trees: TreesUnderTest,
) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    for metadata in [Some(r#"{"b":2}"#.to_owned()), None] {
        let changed = ada.trees.set_metadata(ada.at(2), by_id(&tree), metadata.clone()).await?;
        equal(&(&changed.metadata, changed.updated), &(&metadata, time(2)), "what came back")?;
        equal(&ada.get(2, &tree).await?, &changed, "what is stored")?;
    }
    Ok(())
}

pub(super) async fn names_and_ids_are_found_by_prefix(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let main = ada.make(0, "main").await?;
    let maker = ada.make(0, "maker").await?;
    let words = |prefix: &str, limit| ada.trees.tree_words(ada.at(0), prefix.into(), limit);
    equal(&words("ma", 9).await?, &["maker", "main"].map(String::from).to_vec(), "names")?;
    equal(&words("ma", 1).await?, &vec!["maker".to_owned()], "as many as asked for")?;
    let all = ["maker", "main", maker.id.as_str(), main.id.as_str()].map(String::from);
    equal(&words("", 9).await?, &all.to_vec(), "names first, then ids")?;
    equal(&words(main.id.as_str(), 9).await?, &vec![main.id.to_string()], "an id")?;
    equal(&words("m%", 9).await?, &vec![], "no wildcards")?;
    let prefix = main.root.as_str()[..8].to_owned();
    let ids = ada.trees.node_ids(ada.at(0), by_id(&main), prefix, 9).await?;
    equal(&ids, &vec![main.root.clone()], "ids of nodes")?;
    let none = ada.trees.node_ids(ada.at(0), by_id(&main), "x".into(), 9).await?;
    equal(&none, &vec![], "no other ids")
}

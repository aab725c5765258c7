//! Cases of nodes: appended, read back, and found by their words.

use super::owned::{OwnedTrees, TreesUnderTest, by_id, external, ids, page, refused, text};
use crate::memory::PageRequest;
use crate::suite::case_result::{CaseResult, equal, hold};
use crate::trees::{ExternalHandle, NewNode, NodeContent, NodeId, NodeKind, NodeRef};

pub(super) async fn what_is_appended_is_read_again(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    let handle = ExternalHandle {
        source: "file".into(),
        identifier: "/a b/ü\0".into(),
        metadata: Some(r#"{"size":3}"#.into()),
    };
    let new = vec![
        text("user", "Grüße 👋🏽\nline\0two"),
        NewNode { metadata: Some(r#"{"n":1}"#.into()), ..text("assistant", "") },
        NewNode { content: NodeContent::External(handle), metadata: Some("{}".into()) },
    ];
    let made = ada.append(&tree, &tree.root, new.clone()).await?;
    let mut parent = tree.root.clone();
    for (index, (node, new)) in made.iter().zip(&new).enumerate() {
        equal(&(&node.content, &node.metadata), &(&new.content, &new.metadata), "what it holds")?;
        equal(&node.shape.parent, &Some(parent), "a chain")?;
        equal(&node.shape.depth, &(index as u64 + 1), "its depth")?;
        parent = node.shape.id.clone();
        let which = NodeRef::Id(parent.clone());
        equal(&ada.trees.node(ada.at(0), by_id(&tree), which).await?, node, "the same again")?;
    }
    equal(&ada.get(0, &tree).await?.nodes, &4, "all are counted")?;
    let again = ada.append(&tree, &tree.root, vec![external("web", "x")]).await?;
    equal(&again[0].shape.kind, &NodeKind::External, "its kind")?;
    let children = ada.trees.children(ada.at(0), by_id(&tree), NodeRef::Root, page(9)).await?;
    let expected = vec![made[0].shape.id.clone(), again[0].shape.id.clone()];
    equal(&ids(&children.items), &expected, "children in their order")?;
    let leaf = NodeRef::Id(made[2].shape.id.clone());
    let on_path = ada.trees.handles(ada.at(0), by_id(&tree), Some(leaf), page(9)).await?;
    equal(&on_path.items, &vec![made[2].clone()], "handles of a path")?;
    let all = ada.trees.handles(ada.at(0), by_id(&tree), None, page(9)).await?;
    equal(&all.items, &vec![made[2].clone(), again[0].clone()], "all handles")
}

pub(super) async fn nodes_are_appended_whole_or_not_at_all(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    let nobody = NodeId::given("node_nobody");
    let words = format!("node not found: node_nobody in tree {}", tree.id);
    refused(ada.append(&tree, &nobody, vec![text("user", "a")]).await, &words)?;
    equal(&ada.append(&tree, &tree.root, Vec::new()).await?, &vec![], "nothing")?;
    equal(&ada.get(0, &tree).await?, &tree, "nothing has changed")
}

pub(super) async fn pages_end_early_where_texts_are_long(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    let long = "x".repeat(400_000);
    let made = ada.append(&tree, &tree.root, vec![text("user", &long); 7]).await?;
    let leaf = NodeRef::Id(made[6].shape.id.clone());
    let mut found = Vec::new();
    let mut next = page(1_000);
    let mut parts = 0;
    loop {
        let part = ada.trees.path(ada.at(0), by_id(&tree), leaf.clone(), next).await?;
        parts += 1;
        hold(part.items.len() < 5, "a page of long texts is short")?;
        found.extend(ids(&part.items));
        match part.next {
            Some(after) => next = PageRequest { after: Some(after), limit: 1_000 },
            None => break,
        }
    }
    hold(2 < parts, "there are several pages")?;
    let expected: Vec<NodeId> = std::iter::once(tree.root.clone()).chain(ids(&made)).collect();
    equal(&found, &expected, "nothing is missing or there twice")
}

pub(super) async fn words_are_found_in_any_case(trees: TreesUnderTest) -> CaseResult {
    let ada = OwnedTrees::new(trees);
    let tree = ada.make(0, "main").await?;
    let said = ["Le CAFÉ est fermé", "a cafe is open", "nothing of the kind"];
    let made = ada.append(&tree, &tree.root, said.map(|said| text("user", said)).to_vec()).await?;
    ada.append(&tree, &tree.root, vec![external("cafe", "open")]).await?;
    let search = |words: &[&str], limit| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        ada.trees.search_nodes(ada.at(0), words, limit)
    };
    let found = search(&["café"], 9).await?;
    let nodes: Vec<_> = found.nodes.iter().map(|found| found.node.clone()).collect();
    equal(&nodes, &vec![made[1].clone(), made[0].clone()], "newest first")?;
    hold(found.complete, "nothing is missing")?;
    equal(&found.nodes[0].tree, &tree.id, "where it is")?;
    equal(&found.nodes[0].name, &tree.name, "what that is called")?;
    let found = search(&["CAFE", "open"], 9).await?;
    equal(&found.nodes.len(), &1, "all words")?;
    let found = search(&["cafe"], 1).await?;
    equal(&(found.nodes.len(), found.complete), &(1, false), "as many as asked for")?;
    equal(&search(&["tea"], 9).await?.nodes, &vec![], "nothing fits")
}

//! Creates trees and appends nodes. Runs inside a write transaction.
//!
//! A node is written once and never changed; only its number of children grows.

use super::ancestors::{NodePlace, place_below};
use super::life::remove_gone_of;
use super::rows::{find_node, load_tree};
use super::work::{FoundTree, TreeWork, Worked};
use crate::columns::{number, word};
use crate::error::{Result, TransactionFailure};
use crate::value::values;
use hobnob_store::changes::TreeListing;
use hobnob_store::trees::{
    NewNode, NewTree, NodeContent, NodeId, NodeRef, NodeShape, StoredTree, TreeError, TreeId,
    TreeNode, TreeRef, TreeState,
};

/// Creates a tree with its root and its first claim.
pub(crate) async fn create(work: &TreeWork<'_>, new: NewTree) -> Worked<StoredTree> {
    // Trees that are gone free their names.
    remove_gone_of(work).await?;
    if let Some(name) = &new.name {
        match work.find(&TreeRef::Name(name.clone())).await {
            Err(TransactionFailure::Port(TreeError::NotFound(_))) => {}
            Err(other) => return Err(other),
            Ok(found) => {
                let state = found.state.kind();
                return Err(TreeError::NameTaken { name: name.clone(), state }.into());
            }
        }
    }
    let id = TreeId::random()?;
    let sql = "INSERT INTO trees (id, owner, name, nodes, created, updated, metadata) \
               VALUES ($1, $2, $3, 1, $4, $4, $5) RETURNING number";
    let name = new.name.as_ref().map(|name| name.as_str());
    let row = values![id.as_str(), work.owner(), name, work.now(), &new.metadata];
    let tree = work.transaction.one(sql, row, |row| number(row, 0)).await?;
    let root = NewNode { content: new.root, metadata: None };
    insert(work, tree, None, &root).await?;
    let sql = "INSERT INTO tree_claims (tree, claimant, count) VALUES ($1, $2, 1)";
    work.transaction.execute(sql, values![tree, new.claimant.as_str()]).await?;
    work.record_change(tree, TreeListing::Changed).await?;
    let created = FoundTree { number: tree, state: TreeState::Active };
    Ok(load_tree(work, created).await?)
}

/// Appends nodes to a tree, each below the one before it.
pub(crate) async fn append(
    work: &TreeWork<'_>,
    tree: &TreeRef,
    parent: &NodeRef,
    nodes: Vec<NewNode>,
) -> Worked<Vec<TreeNode>> {
    let found = work.find_active(tree).await?;
    let mut above = find_node(work, found.number, tree, parent).await?;
    let sql = "SELECT id FROM tree_nodes WHERE number = $1";
    let id = |row: &_| word(row, 0, |raw| Some(NodeId::given(raw)));
    let mut above_id = work.transaction.one(sql, values![above], id).await?;
    let count = nodes.len();
    let mut appended = Vec::with_capacity(count);
    for (index, new) in nodes.into_iter().enumerate() {
        let (place, below, id) = insert(work, found.number, Some(above), &new).await?;
        let kind = new.content.kind();
        // Each node but the last has the next one as its child.
        let children = u64::from(index + 1 < count);
        let parent = Some(std::mem::replace(&mut above_id, id.clone()));
        let shape = NodeShape { id, parent, depth: place.depth.unsigned_abs(), children, kind };
        let NewNode { content, metadata } = new;
        appended.push(TreeNode { shape, created: work.now(), content, metadata });
        above = below;
    }
    if appended.is_empty() {
        return Ok(appended);
    }
    let sql = "UPDATE trees SET nodes = nodes + $2 WHERE number = $1";
    work.transaction.execute(sql, values![found.number, count]).await?;
    work.record_change(found.number, TreeListing::Same).await?;
    Ok(appended)
}

/// Writes one node; returns its place, its number and its id.
async fn insert(
    work: &TreeWork<'_>,
    tree: i64,
    parent: Option<i64>,
    new: &NewNode,
) -> Result<(NodePlace, i64, NodeId)> {
    let id = NodeId::random()?;
    let place = match parent {
        Some(parent) => place_below(work, parent).await?,
        None => NodePlace { depth: 0, jump: 0 },
    };
    let sql = "INSERT INTO tree_nodes (id, tree, parent, jump, depth, children, kind) \
               VALUES ($1, $2, $3, $4, $5, 0, $6) RETURNING number";
    let kind = new.content.kind().as_str();
    let row = values![id.as_str(), tree, parent, place.jump, place.depth, kind];
    let node = work.transaction.one(sql, row, |row| number(row, 0)).await?;
    match parent {
        Some(parent) => {
            let sql = "UPDATE tree_nodes SET children = children + 1 WHERE number = $1";
            work.transaction.execute(sql, values![parent]).await?;
        }
        // A root's jump is itself.
        None => {
            let sql = "UPDATE tree_nodes SET jump = number WHERE number = $1";
            work.transaction.execute(sql, values![node]).await?;
        }
    }
    insert_content(work, node, new).await?;
    Ok((place, node, id))
}

async fn insert_content(work: &TreeWork<'_>, node: i64, new: &NewNode) -> Result<()> {
    let sql = "INSERT INTO tree_contents (node, owner, created, role, source, identifier, \
               metadata, handle_metadata, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let (none, metadata) = (None::<&str>, &new.metadata);
    let row = match &new.content {
        NodeContent::Text { role, text } => {
            values![node, work.owner(), work.now(), role, none, none, metadata, none, text].to_vec()
        }
        NodeContent::External(handle) => values![
            node,
            work.owner(),
            work.now(),
            none,
            &handle.source,
            &handle.identifier,
            metadata,
            &handle.metadata,
            "",
        ]
        .to_vec(),
    };
    work.transaction.execute(sql, &row).await?;
    Ok(())
}

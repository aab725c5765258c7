//! Creates trees and appends nodes. Runs inside a write transaction.
//!
//! A node is written once and never changed; only its number of children grows.

use super::ancestors::{NodePlace, place_below};
use super::life::remove_gone_of;
use super::rows::{find_node, load_tree};
use super::transaction::{NumberedTree, TreeTransaction};
use crate::convert::WorkError;
use crate::convert::no_name;
use hobnob_store::changes::TreeListing;
use hobnob_store::trees::{
    NewNode, NewTree, NodeContent, NodeId, NodeRef, NodeShape, StoredTree, TreeError, TreeId,
    TreeNode, TreeRef, TreeState,
};
use rusqlite::Result;

/// Creates a tree with its root and its first claim.
pub(crate) fn create(
    transaction: &TreeTransaction<'_>,
    new: NewTree,
) -> Result<StoredTree, WorkError<TreeError>> {
    // Trees that are gone free their names.
    remove_gone_of(transaction)?;
    if let Some(name) = &new.name {
        match transaction.find(&TreeRef::Name(name.clone())) {
            Err(WorkError::Port(TreeError::NotFound(_))) => {}
            Err(other) => return Err(other),
            Ok(found) => {
                let state = found.state.kind();
                return Err(TreeError::NameTaken { name: name.clone(), state }.into());
            }
        }
    }
    let id = TreeId::random().map_err(no_name)?;
    let sql = "INSERT INTO trees (id, owner, name, nodes, created, updated, metadata) \
               VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5)";
    let name = new.name.as_ref().map(|name| name.as_str());
    let row = (id.as_str(), transaction.owner(), name, transaction.now().millis(), &new.metadata);
    transaction.connection.prepare_cached(sql)?.execute(row)?;
    let number = transaction.connection.last_insert_rowid();
    let root = NewNode { content: new.root, metadata: None };
    insert(transaction, number, None, &root)?;
    let sql = "INSERT INTO tree_claims (tree, claimant, count) VALUES (?1, ?2, 1)";
    transaction.connection.prepare_cached(sql)?.execute((number, new.claimant.as_str()))?;
    transaction.record_change(number, TreeListing::Changed)?;
    Ok(load_tree(transaction, NumberedTree { number, state: TreeState::Active })?)
}

/// Appends nodes to a tree, each below the one before it.
pub(crate) fn append(
    transaction: &TreeTransaction<'_>,
    tree: &TreeRef,
    parent: &NodeRef,
    nodes: Vec<NewNode>,
) -> Result<Vec<TreeNode>, WorkError<TreeError>> {
    let NumberedTree { number, .. } = transaction.find_active(tree)?;
    let mut above = find_node(transaction, number, tree, parent)?;
    let mut above_id = node_id(transaction, above)?;
    let count = i64::try_from(nodes.len()).unwrap_or(i64::MAX);
    let mut appended = Vec::with_capacity(nodes.len());
    for (index, new) in nodes.into_iter().enumerate() {
        let (place, below, id) = insert(transaction, number, Some(above), &new)?;
        let kind = new.content.kind();
        // Each node but the last has the next one as its child.
        let children = u64::from(i64::try_from(index + 1).unwrap_or(i64::MAX) < count);
        let parent = Some(std::mem::replace(&mut above_id, id.clone()));
        let shape = NodeShape { id, parent, depth: place.depth.unsigned_abs(), children, kind };
        let NewNode { content, metadata } = new;
        appended.push(TreeNode { shape, created: transaction.now(), content, metadata });
        above = below;
    }
    if appended.is_empty() {
        return Ok(appended);
    }
    let sql = "UPDATE trees SET nodes = nodes + ?2 WHERE number = ?1";
    transaction.connection.prepare_cached(sql)?.execute((number, count))?;
    transaction.record_change(number, TreeListing::Same)?;
    Ok(appended)
}

fn node_id(transaction: &TreeTransaction<'_>, number: i64) -> Result<NodeId> {
    let sql = "SELECT id FROM tree_nodes WHERE number = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let id: String = statement.query_row([number], |row| row.get(0))?;
    Ok(NodeId::given(&id))
}

/// Writes one node; returns its place, its number and its id.
fn insert(
    transaction: &TreeTransaction<'_>,
    tree: i64,
    parent: Option<i64>,
    new: &NewNode,
) -> Result<(NodePlace, i64, NodeId)> {
    let connection = transaction.connection;
    let id = NodeId::random().map_err(no_name)?;
    let place = match parent {
        Some(parent) => place_below(transaction, parent)?,
        None => NodePlace { depth: 0, jump: 0 },
    };
    let sql = "INSERT INTO tree_nodes (id, tree, parent, jump, depth, children, kind) \
               VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)";
    let kind = new.content.kind().as_str();
    let row = (id.as_str(), tree, parent, place.jump, place.depth, kind);
    connection.prepare_cached(sql)?.execute(row)?;
    let number = connection.last_insert_rowid();
    match parent {
        Some(parent) => {
            let sql = "UPDATE tree_nodes SET children = children + 1 WHERE number = ?1";
            connection.prepare_cached(sql)?.execute([parent])?;
        }
        // A root's jump is itself.
        None => {
            let sql = "UPDATE tree_nodes SET jump = number WHERE number = ?1";
            connection.prepare_cached(sql)?.execute([number])?;
        }
    }
    insert_content(transaction, number, new)?;
    Ok((place, number, id))
}

fn insert_content(transaction: &TreeTransaction<'_>, number: i64, new: &NewNode) -> Result<()> {
    let sql = "INSERT INTO tree_contents \
               (node, created, role, source, identifier, metadata, handle_metadata, content) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let (now, metadata) = (transaction.now().millis(), &new.metadata);
    let (none, empty) = (None::<&str>, "");
    match &new.content {
        NodeContent::Text { role, text } => {
            statement.execute((number, now, role, none, none, metadata, none, text))?
        }
        NodeContent::External(handle) => statement.execute((
            number,
            now,
            none,
            &handle.source,
            &handle.identifier,
            metadata,
            &handle.metadata,
            empty,
        ))?,
    };
    Ok(())
}

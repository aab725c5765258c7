//! Creates trees and appends nodes. Runs inside a write transaction.
//!
//! A node is written once and never changed; only its number of children grows.

use super::ancestors::{KnownAncestors, NodePlace};
use super::life::remove_gone_of;
use super::rows::{find_node, load_tree};
use super::work::{FoundTree, TreeWork, Worked};
use crate::columns::{number, word};
use crate::error::{Result, TransactionFailure};
use crate::value::{SqlValue, values};
use hobnob_store::changes::TreeListing;
use hobnob_store::trees::{
    ExternalHandle, NewNode, NewTree, NodeContent, NodeId, NodeRef, NodeShape, StoredTree,
    TreeError, TreeId, TreeNode, TreeRef, TreeState,
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
    insert_chain(work, tree, None, std::slice::from_ref(&root)).await?;
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
    let above = find_node(work, found.number, tree, parent).await?;
    if nodes.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "UPDATE tree_nodes SET children = children + 1 WHERE number = $1 RETURNING id";
    let id = |row: &_| word(row, 0, |raw| Some(NodeId::given(raw)));
    let mut above_id = work.transaction.one(sql, values![above], id).await?;
    let inserted = insert_chain(work, found.number, Some(above), &nodes).await?;
    let count = nodes.len();
    let mut appended = Vec::with_capacity(count);
    for (index, (new, node)) in nodes.into_iter().zip(inserted).enumerate() {
        let kind = new.content.kind();
        // Each node but the last has the next one as its child.
        let children = u64::from(index + 1 < count);
        let parent = Some(std::mem::replace(&mut above_id, node.id.clone()));
        let (id, depth) = (node.id, node.depth.unsigned_abs());
        let shape = NodeShape { id, parent, depth, children, kind };
        let NewNode { content, metadata } = new;
        appended.push(TreeNode { shape, created: work.now(), content, metadata });
    }
    let sql = "UPDATE trees SET nodes = nodes + $2 WHERE number = $1";
    work.transaction.execute(sql, values![found.number, count]).await?;
    work.record_change(found.number, TreeListing::Same).await?;
    Ok(appended)
}

/// A node that was written.
struct InsertedNode {
    id: NodeId,
    depth: i64,
}

/// Writes nodes, each below the one before it and the first one below `parent`, in a number of
/// statements that does not grow with theirs.
async fn insert_chain(
    work: &TreeWork<'_>,
    tree: i64,
    parent: Option<i64>,
    nodes: &[NewNode],
) -> Result<Vec<InsertedNode>> {
    let sql = "SELECT nextval(pg_get_serial_sequence('tree_nodes', 'number')) \
               FROM generate_series(1, $1)";
    let mut numbers = work.transaction.all(sql, values![nodes.len()], |row| number(row, 0)).await?;
    numbers.sort_unstable();
    let mut ancestors = match parent {
        Some(parent) => KnownAncestors::above(work, parent).await?,
        None => KnownAncestors::default(),
    };
    let (mut above, mut inserted) = (parent, Vec::with_capacity(nodes.len()));
    let (mut parents, mut jumps) = (Vec::new(), Vec::new());
    for number in &numbers {
        let place = match above {
            Some(above) => ancestors.place_below(work, above).await?,
            // A root's jump is itself.
            None => NodePlace { depth: 0, jump: *number },
        };
        ancestors.insert(*number, place);
        inserted.push(InsertedNode { id: NodeId::random()?, depth: place.depth });
        // No node has the number 0.
        parents.push(above.unwrap_or_default());
        jumps.push(place.jump);
        above = Some(*number);
    }
    let sql = "INSERT INTO tree_nodes (number, id, tree, parent, jump, depth, children, kind) \
               OVERRIDING SYSTEM VALUE SELECT u.number, u.id, $1, nullif(u.parent, 0), u.jump, \
               u.depth, CASE WHEN u.number = $2 THEN 0 ELSE 1 END, u.kind \
               FROM unnest($3, $4, $5, $6, $7, $8) AS u (number, id, parent, jump, depth, kind)";
    let row = [
        tree.into(),
        above.unwrap_or_default().into(),
        numbers.as_slice().into(),
        SqlValue::texts(inserted.iter().map(|node| node.id.as_str())),
        parents.into(),
        jumps.into(),
        inserted.iter().map(|node| node.depth).collect::<Vec<i64>>().into(),
        SqlValue::texts(nodes.iter().map(|new| new.content.kind().as_str())),
    ];
    work.transaction.execute(sql, &row).await?;
    insert_contents(work, &numbers, nodes).await?;
    Ok(inserted)
}

async fn insert_contents(work: &TreeWork<'_>, numbers: &[i64], nodes: &[NewNode]) -> Result<()> {
    let sql = "INSERT INTO tree_contents (node, owner, created, role, source, identifier, \
               metadata, handle_metadata, content) SELECT u.node, $1, $2, u.role, u.source, \
               u.identifier, u.metadata, u.handle_metadata, u.content \
               FROM unnest($3, $4, $5, $6, $7, $8, $9) AS u \
               (node, role, source, identifier, metadata, handle_metadata, content)";
    let texts = |part: for<'n> fn(&'n NodeContent) -> Option<&'n str>| {
        SqlValue::optional_texts(nodes.iter().map(|new| part(&new.content)))
    };
    let handle = |part: for<'n> fn(&'n ExternalHandle) -> Option<&'n str>| {
        SqlValue::optional_texts(nodes.iter().map(|new| match &new.content {
            NodeContent::Text { .. } => None,
            NodeContent::External(handle) => part(handle),
        }))
    };
    let row = [
        work.owner().into(),
        work.now().into(),
        numbers.into(),
        texts(|content| match content {
            NodeContent::Text { role, .. } => Some(role),
            NodeContent::External(_) => None,
        }),
        handle(|handle| Some(&handle.source)),
        handle(|handle| Some(&handle.identifier)),
        SqlValue::optional_texts(nodes.iter().map(|new| new.metadata.as_deref())),
        handle(|handle| handle.metadata.as_deref()),
        texts(|content| match content {
            NodeContent::Text { text, .. } => Some(text),
            NodeContent::External(_) => Some(""),
        }),
    ];
    work.transaction.execute(sql, &row).await?;
    Ok(())
}

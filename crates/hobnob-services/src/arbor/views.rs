//! The wire form of trees and nodes. Absent values are left out; lists are always lists.
//!
//! The order of the fields is the order on the wire.

use super::addresses::{node_uri, tree_uri};
use crate::presentation::Presentation;
use crate::shown_page::ShownPage;
use crate::time_text::time_text;
use hobnob_store::memory::Page;
use hobnob_store::trees::{
    ExternalHandle, FoundNode, FoundNodes, NodeContent, NodeId, NodeShape, StoredTree, TreeName,
    TreeNode, TreeRef, TreeState,
};
use serde::Serialize;
use serde_json::value::RawValue;

/// A tree without its nodes.
#[derive(Debug, Serialize)]
pub(super) struct ShownTree<'a> {
    tree_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone_at: Option<String>,
    root_node_id: &'a str,
    nodes: u64,
    claims: Vec<ShownClaim<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a RawValue>,
    created_at: String,
    updated_at: String,
    uri: String,
}

#[derive(Debug, Serialize)]
struct ShownClaim<'a> {
    owner_id: &'a str,
    count: u64,
}

impl<'a> ShownTree<'a> {
    pub(super) fn of(presentation: &Presentation, tree: &'a StoredTree) -> Self {
        let (archived_at, gone_at) = match tree.state {
            TreeState::Active => (None, None),
            TreeState::Scheduled { archived_at } => (Some(time_text(archived_at)), None),
            TreeState::Archived { gone_at } => (None, Some(time_text(gone_at))),
        };
        let claims = tree.claims.iter();
        let claims = claims
            .map(|claim| ShownClaim { owner_id: claim.claimant.as_str(), count: claim.count });
        Self {
            tree_id: tree.id.as_str(),
            name: tree.name.as_ref().map(TreeName::as_str),
            state: tree.state.kind().as_str(),
            archived_at,
            gone_at,
            root_node_id: tree.root.as_str(),
            nodes: tree.nodes,
            claims: claims.collect(),
            metadata: raw(tree.metadata.as_deref()),
            created_at: time_text(tree.created),
            updated_at: time_text(tree.updated),
            uri: tree_uri(presentation, address_of(tree).as_str()),
        }
    }
}

/// How URIs name a tree: by its name, or by its id if it has none.
pub(super) fn address_of(tree: &StoredTree) -> TreeRef {
    match &tree.name {
        Some(name) => TreeRef::Name(name.clone()),
        None => TreeRef::Id(tree.id.clone()),
    }
}

/// A node's place in its tree, without its contents.
#[derive(Debug, Serialize)]
pub(super) struct ShownShape<'a> {
    node_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<&'a str>,
    depth: u64,
    children: u64,
    kind: &'static str,
}

impl<'a> ShownShape<'a> {
    pub(super) fn of(shape: &'a NodeShape) -> Self {
        Self {
            node_id: shape.id.as_str(),
            parent_id: shape.parent.as_ref().map(NodeId::as_str),
            depth: shape.depth,
            children: shape.children,
            kind: shape.kind.as_str(),
        }
    }
}

/// The answer to a tool that added a node.
#[derive(Debug, Serialize)]
pub(super) struct CreatedNode<'a> {
    tree_id: &'a str,
    node_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<&'a str>,
    depth: u64,
    uri: String,
}

impl<'a> CreatedNode<'a> {
    pub(super) fn of(presentation: &Presentation, tree: &'a TreeRef, node: &'a TreeNode) -> Self {
        Self {
            tree_id: tree.as_str(),
            node_id: node.shape.id.as_str(),
            parent_id: node.shape.parent.as_ref().map(NodeId::as_str),
            depth: node.shape.depth,
            uri: node_uri(presentation, tree.as_str(), node.shape.id.as_str()),
        }
    }
}

/// A node with its place and its contents.
#[derive(Debug, Serialize)]
pub(super) struct ShownNode<'a> {
    node_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<&'a str>,
    depth: u64,
    children: u64,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<ShownHandle<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a RawValue>,
    created_at: String,
}

impl<'a> ShownNode<'a> {
    pub(super) fn of(node: &'a TreeNode) -> Self {
        let (role, content, handle) = match &node.content {
            NodeContent::Text { role, text } => (Some(role.as_str()), Some(text.as_str()), None),
            NodeContent::External(handle) => (None, None, Some(ShownHandle::of(handle))),
        };
        Self {
            node_id: node.shape.id.as_str(),
            parent_id: node.shape.parent.as_ref().map(NodeId::as_str),
            depth: node.shape.depth,
            children: node.shape.children,
            kind: node.shape.kind.as_str(),
            role,
            content,
            handle,
            metadata: raw(node.metadata.as_deref()),
            created_at: time_text(node.created),
        }
    }
}

/// A reference to something that is kept elsewhere.
#[derive(Debug, Serialize)]
pub(super) struct ShownHandle<'a> {
    source: &'a str,
    identifier: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a RawValue>,
}

impl<'a> ShownHandle<'a> {
    fn of(handle: &'a ExternalHandle) -> Self {
        Self {
            source: &handle.source,
            identifier: &handle.identifier,
            metadata: raw(handle.metadata.as_deref()),
        }
    }
}

/// The contents of a node and nothing else: a message, or a handle.
#[derive(Debug, Serialize)]
pub(super) struct NodeMessage<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<ShownHandle<'a>>,
}

impl<'a> NodeMessage<'a> {
    pub(super) fn of(node: &'a TreeNode) -> Self {
        let ShownNode { role, content, handle, .. } = ShownNode::of(node);
        Self { role, content, handle }
    }
}

/// A page of nodes with their contents.
pub(super) fn node_page(page: &Page<TreeNode>) -> ShownPage<'_, ShownNode<'_>> {
    ShownPage::of("nodes", page, ShownNode::of)
}

/// A page of nodes without their contents.
pub(super) fn shape_page(page: &Page<NodeShape>) -> ShownPage<'_, ShownShape<'_>> {
    ShownPage::of("nodes", page, ShownShape::of)
}

/// The nodes that a search found.
#[derive(Debug, Serialize)]
pub(super) struct SearchHits<'a> {
    nodes: Vec<SearchHit<'a>>,
    count: usize,
    truncated: bool,
}

#[derive(Debug, Serialize)]
struct SearchHit<'a> {
    tree_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree_name: Option<&'a str>,
    node: ShownNode<'a>,
}

impl<'a> SearchHits<'a> {
    pub(super) fn of(found: &'a FoundNodes) -> Self {
        let hit = |found: &'a FoundNode| SearchHit {
            tree_id: found.tree.as_str(),
            tree_name: found.name.as_ref().map(TreeName::as_str),
            node: ShownNode::of(&found.node),
        };
        let nodes: Vec<SearchHit<'a>> = found.nodes.iter().map(hit).collect();
        Self { count: nodes.len(), nodes, truncated: !found.complete }
    }
}

/// Metadata as it was written. Text that is no JSON, from another program, is left out.
fn raw(metadata: Option<&str>) -> Option<&RawValue> {
    metadata.and_then(|text| serde_json::from_str(text).ok())
}

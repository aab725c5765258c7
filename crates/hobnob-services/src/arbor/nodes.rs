//! The tools for single nodes: add, read, list neighbours, search.
//!
//! What must stay true: a node is on disk before its caller gets the answer, and never changes.

use super::service::{PresentedTrees, TreeCall, page};
use super::views::{CreatedNode, SearchHits, ShownNode, node_page};
use crate::presentation::ToolResult;
use hobnob_mcp_toolbox::ToolError;
use hobnob_store::memory::{Page, PageRequest};
use hobnob_store::trees::{
    ExternalHandle, NewNode, NodeContent, NodeRef, TreeError, TreeNode, TreeRef,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Nodes on a page if the caller sets no limit.
pub(super) const DEFAULT_NODES: u32 = 50;
/// Most words in a search.
const MAX_WORDS: usize = 20;
/// Longest search query, in bytes.
const MAX_QUERY: usize = 2_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateText {
    /// Id or name of the tree
    tree_id: String,
    /// Id of the node it follows; the root if not given
    parent: Option<String>,
    /// What is said, in any language and over several lines
    content: String,
    /// What you want to note about the node
    metadata: Option<Map<String, Value>>,
    /// Who says it: user, assistant, system, tool or another word; user if not given
    role: Option<String>,
}

pub(super) async fn create_text(arguments: CreateText, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let role = arguments.role.unwrap_or_else(|| "user".into());
    let new = NewNode {
        content: NodeContent::Text {
            role: presented.word("role", role)?,
            text: presented.text(arguments.content)?,
        },
        metadata: presented.metadata("metadata", arguments.metadata)?,
    };
    append(&arguments.tree_id, arguments.parent.as_deref(), new, &call).await
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct Handle {
    /// Who keeps it: a scheme, or the name of a service
    source: String,
    /// What it is called there
    identifier: String,
    /// What else is needed to find it
    metadata: Option<Map<String, Value>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateExternal {
    /// Id or name of the tree
    tree_id: String,
    /// Id of the node it follows; the root if not given
    parent: Option<String>,
    /// Where to find what the node stands for
    handle: Handle,
    /// What you want to note about the node
    metadata: Option<Map<String, Value>>,
}

pub(super) async fn create_external(arguments: CreateExternal, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let handle = ExternalHandle {
        source: presented.word("handle.source", arguments.handle.source)?,
        identifier: presented.identifier(arguments.handle.identifier)?,
        metadata: presented.metadata("handle.metadata", arguments.handle.metadata)?,
    };
    let new = NewNode {
        content: NodeContent::External(handle),
        metadata: presented.metadata("metadata", arguments.metadata)?,
    };
    append(&arguments.tree_id, arguments.parent.as_deref(), new, &call).await
}

async fn append(tree: &str, parent: Option<&str>, new: NewNode, call: &TreeCall) -> ToolResult {
    let presented = call.state();
    let (tree, parent) = (presented.tree(tree)?, presented.node(parent)?);
    let access = PresentedTrees::access(call);
    let made = presented.trees().append_nodes(access, tree.clone(), parent, vec![new]).await;
    let made = made.map_err(|error| presented.refused(error))?;
    match made.first() {
        Some(node) => {
            presented.presentation.reply(&CreatedNode::of(&presented.presentation, &tree, node))
        }
        None => Err(presented.invalid("no node was added")),
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "One node.")]
pub(super) struct OneNode {
    /// Id or name of the tree
    tree_id: String,
    /// Id of the node, or `root`
    node_id: String,
}

pub(super) async fn get(arguments: OneNode, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let tree = presented.tree(&arguments.tree_id)?;
    let node = presented.node(Some(&arguments.node_id))?;
    let found = presented.trees().node(PresentedTrees::access(&call), tree, node).await;
    presented.presentation.reply(&ShownNode::of(&found.map_err(|error| presented.refused(error))?))
}

#[derive(Debug, Serialize)]
struct ParentNode<'a> {
    /// `None` for the root, which becomes `null`.
    parent: Option<ShownNode<'a>>,
}

pub(super) async fn parent(arguments: OneNode, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let (tree, access) = (presented.tree(&arguments.tree_id)?, PresentedTrees::access(&call));
    let node = presented.node(Some(&arguments.node_id))?;
    let node = presented.trees().node(access.clone(), tree.clone(), node).await;
    let node = node.map_err(|error| presented.refused(error))?;
    let above = match node.shape.parent {
        None => None,
        Some(id) => {
            let above = presented.trees().node(access, tree, NodeRef::Id(id)).await;
            Some(above.map_err(|error| presented.refused(error))?)
        }
    };
    presented.presentation.reply(&ParentNode { parent: above.as_ref().map(ShownNode::of) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeList {
    /// Id or name of the tree
    tree_id: String,
    /// Id of the node, or `root`
    node_id: String,
    /// How many at most; 50 if not given
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
}

impl NodeList {
    pub(super) fn read(
        self,
        presented: &PresentedTrees,
    ) -> Result<(TreeRef, NodeRef, PageRequest), ToolError> {
        let tree = presented.tree(&self.tree_id)?;
        let node = presented.node(Some(&self.node_id))?;
        Ok((tree, node, page(self.limit, DEFAULT_NODES, self.cursor)))
    }
}

pub(super) async fn children(arguments: NodeList, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let (tree, node, page) = arguments.read(presented)?;
    let access = PresentedTrees::access(&call);
    node_reply(presented, presented.trees().children(access, tree, node, page).await)
}

/// The reply of every tool that lists nodes: one page.
pub(super) fn node_reply(
    presented: &PresentedTrees,
    found: Result<Page<TreeNode>, TreeError>,
) -> ToolResult {
    presented.presentation.reply(&node_page(&found.map_err(|error| presented.refused(error))?))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// Words that a text must have, all of them, in any case
    query: String,
    /// How many nodes at most; 50 if not given
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn search(arguments: Search, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let words: Vec<String> = arguments.query.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() || MAX_WORDS < words.len() || MAX_QUERY < arguments.query.len() {
        let message = format!("query: it must have 1 to {MAX_WORDS} words, {MAX_QUERY} bytes");
        return Err(presented.invalid(message));
    }
    let limit = page(arguments.limit, DEFAULT_NODES, None).limit;
    let access = PresentedTrees::access(&call);
    let found = presented.trees().search_nodes(access, words, limit).await;
    let found = found.map_err(|error| presented.presentation.store_failed(&error))?;
    presented.presentation.reply(&SearchHits::of(&found))
}

//! The tools that follow a conversation from the root to a node, and list its nodes, their
//! contents, or their external handles.
//!
//! All of them answer in pages, from the root down.

use super::nodes::{DEFAULT_NODES, NodeList, node_reply};
use super::service::{PresentedTrees, TreeCall, page};
use super::trees::{DEFAULT_SHAPES, shape_reply};
use crate::presentation::ToolResult;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PathShapes {
    /// Id or name of the tree
    tree_id: String,
    /// Id of the node, or `root`
    node_id: String,
    /// How many nodes at most; 200 if not given
    #[schemars(range(min = 1, max = 2_000))]
    limit: Option<u32>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
}

pub(super) async fn path_shapes(arguments: PathShapes, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let tree = presented.tree(&arguments.tree_id)?;
    let node = presented.node(Some(&arguments.node_id))?;
    let page = page(arguments.limit, DEFAULT_SHAPES, arguments.cursor);
    let access = PresentedTrees::access(&call);
    shape_reply(presented, presented.trees().path_shape(access, tree, node, page).await)
}

pub(super) async fn path(arguments: NodeList, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let (tree, node, page) = arguments.read(presented)?;
    let access = PresentedTrees::access(&call);
    node_reply(presented, presented.trees().path(access, tree, node, page).await)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Handles {
    /// Id or name of the tree
    tree_id: String,
    /// Id of the node whose path is looked at; the whole tree if not given
    node_id: Option<String>,
    /// How many at most; 50 if not given
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
}

pub(super) async fn handles(arguments: Handles, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let tree = presented.tree(&arguments.tree_id)?;
    let node = arguments.node_id.map(|id| presented.node(Some(&id))).transpose()?;
    let page = page(arguments.limit, DEFAULT_NODES, arguments.cursor);
    let access = PresentedTrees::access(&call);
    node_reply(presented, presented.trees().handles(access, tree, node, page).await)
}

//! The tools for whole trees: create, show, claim, release, draw.
//!
//! Every tool accepts a tree's id or its name.

use super::drawing::draw;
use super::service::{PresentedTrees, TreeCall, page};
use super::views::{ShownTree, shape_page};
use crate::presentation::ToolResult;
use crate::shown_page::ShownPage;
use hobnob_mcp_toolbox::{ToolError, ToolReply};
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_store::memory::{Page, PageRequest};
use hobnob_store::trees::{
    Claimant, NewTree, NodeContent, NodeShape, StoredTree, TreeError, TreeRef, TreeStateKind,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};
use std::num::NonZeroU32;

/// Trees on a page if the caller sets no limit.
const DEFAULT_TREES: u32 = 50;
/// Nodes without contents on a page if the caller sets no limit.
pub(super) const DEFAULT_SHAPES: u32 = 200;
/// Lines of a drawing if the caller sets no limit.
const DEFAULT_LINES: u32 = 200;
/// Columns of a drawing if the caller sets no width.
const DEFAULT_WIDTH: u32 = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateTree {
    /// What you want to note about the tree
    metadata: Option<Map<String, Value>>,
    /// Who claims the tree; your client's name if not given
    owner_id: Option<String>,
    /// A name that none of your trees has, to be used in place of the id
    name: Option<String>,
    /// What the root node says; nothing if not given
    content: Option<String>,
    /// Who says that: `system` if not given
    role: Option<String>,
}

pub(super) async fn create(arguments: CreateTree, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let role = arguments.role.unwrap_or_else(|| "system".into());
    let new = NewTree {
        name: presented.tree_name(arguments.name.as_deref())?,
        metadata: presented.metadata("metadata", arguments.metadata)?,
        root: NodeContent::Text {
            role: presented.word("role", role)?,
            text: presented.text(arguments.content.unwrap_or_default())?,
        },
        claimant: presented.claimant(arguments.owner_id.as_deref(), &call)?,
    };
    let made = presented.trees().create_tree(PresentedTrees::access(&call), new).await;
    tree_reply(presented, made)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "One tree.")]
pub(super) struct OneTree {
    /// Id or name of the tree
    tree_id: String,
}

pub(super) async fn get(arguments: OneTree, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let tree = presented.tree(&arguments.tree_id)?;
    tree_reply(presented, presented.trees().tree(PresentedTrees::access(&call), tree).await)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "A part of a list.")]
pub(super) struct ListTrees {
    /// How many at most; 50 if not given
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
}

pub(super) async fn list_active(arguments: ListTrees, call: TreeCall) -> ToolResult {
    list(TreeStateKind::Active, arguments, call).await
}

pub(super) async fn list_scheduled(arguments: ListTrees, call: TreeCall) -> ToolResult {
    list(TreeStateKind::Scheduled, arguments, call).await
}

pub(super) async fn list_archived(arguments: ListTrees, call: TreeCall) -> ToolResult {
    list(TreeStateKind::Archived, arguments, call).await
}

async fn list(state: TreeStateKind, arguments: ListTrees, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let page = page(arguments.limit, DEFAULT_TREES, arguments.cursor);
    let trees = presented.trees().trees(PresentedTrees::access(&call), state, page).await;
    let trees = trees.map_err(|error| presented.refused(error))?;
    let show = |tree| ShownTree::of(&presented.presentation, tree);
    presented.presentation.reply(&ShownPage::of("trees", &trees, show))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimTree {
    /// Id or name of the tree
    tree_id: String,
    /// Who claims or releases it; your client's name if not given
    owner_id: Option<String>,
    /// How many claims; 1 if not given
    #[schemars(range(min = 1, max = 1_000_000))]
    count: Option<u32>,
}

impl ClaimTree {
    fn read(&self, call: &TreeCall) -> Result<(TreeRef, Claimant, NonZeroU32), ToolError> {
        let presented = call.state();
        let tree = presented.tree(&self.tree_id)?;
        let claimant = presented.claimant(self.owner_id.as_deref(), call)?;
        let count = self.count.and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN);
        Ok((tree, claimant, count))
    }
}

pub(super) async fn claim(arguments: ClaimTree, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let (tree, claimant, count) = arguments.read(&call)?;
    let access = PresentedTrees::access(&call);
    tree_reply(presented, presented.trees().claim_tree(access, tree, claimant, count).await)
}

pub(super) async fn release(arguments: ClaimTree, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let (tree, claimant, count) = arguments.read(&call)?;
    let access = PresentedTrees::access(&call);
    tree_reply(presented, presented.trees().release_tree(access, tree, claimant, count).await)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UpdateMetadata {
    /// Id or name of the tree
    tree_id: String,
    /// What to note about it, in place of what was noted; nothing if not given
    metadata: Option<Map<String, Value>>,
}

pub(super) async fn update_metadata(arguments: UpdateMetadata, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let tree = presented.tree(&arguments.tree_id)?;
    let metadata = presented.metadata("metadata", arguments.metadata)?;
    let access = PresentedTrees::access(&call);
    tree_reply(presented, presented.trees().set_metadata(access, tree, metadata).await)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TreeShapes {
    /// Id or name of the tree
    tree_id: String,
    /// How many nodes at most; 200 if not given
    #[schemars(range(min = 1, max = 2_000))]
    limit: Option<u32>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
}

impl TreeShapes {
    fn read(self, presented: &PresentedTrees) -> Result<(TreeRef, PageRequest), ToolError> {
        let tree = presented.tree(&self.tree_id)?;
        Ok((tree, page(self.limit, DEFAULT_SHAPES, self.cursor)))
    }
}

pub(super) async fn skeleton(arguments: TreeShapes, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let (tree, page) = arguments.read(presented)?;
    let access = PresentedTrees::access(&call);
    shape_reply(presented, presented.trees().skeleton(access, tree, page).await)
}

pub(super) async fn leaves(arguments: TreeShapes, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let (tree, page) = arguments.read(presented)?;
    let access = PresentedTrees::access(&call);
    shape_reply(presented, presented.trees().leaves(access, tree, page).await)
}

/// The reply of every tool that lists nodes without their contents: one page.
pub(super) fn shape_reply(
    presented: &PresentedTrees,
    found: Result<Page<NodeShape>, TreeError>,
) -> ToolResult {
    presented.presentation.reply(&shape_page(&found.map_err(|error| presented.refused(error))?))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RenderTree {
    /// Id or name of the tree
    tree_id: String,
    /// How many lines at most; 200 if not given
    #[schemars(range(min = 1, max = 2_000))]
    limit: Option<u32>,
    /// How many columns a line has; 100 if not given
    #[schemars(range(min = 40, max = 1_000))]
    width: Option<u32>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
}

#[derive(Debug, Serialize)]
struct Rendered<'a> {
    tree_id: &'a str,
    text: &'a str,
    lines: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<&'a str>,
}

/// The result carries the drawing twice: as its text, and in its structured content.
pub(super) async fn render(arguments: RenderTree, call: TreeCall) -> ToolResult {
    let presented = call.state();
    let tree = presented.tree(&arguments.tree_id)?;
    let page = page(arguments.limit, DEFAULT_LINES, arguments.cursor);
    let access = PresentedTrees::access(&call);
    let outline = presented.trees().outline(access, tree.clone(), page).await;
    let outline = outline.map_err(|error| presented.refused(error))?;
    let width = usize::try_from(arguments.width.unwrap_or(DEFAULT_WIDTH)).unwrap_or(usize::MAX);
    let text = draw(&outline, width);
    let rendered = Rendered {
        tree_id: tree.as_str(),
        text: &text,
        lines: outline.lines.len(),
        truncated: outline.next.is_some(),
        next_cursor: outline.next.as_deref(),
    };
    let data = to_raw_value(&rendered).map_err(|error| {
        tracing::error!(%error, "a drawing cannot be written as JSON");
        presented.invalid("the drawing cannot be written")
    })?;
    let more = match &outline.next {
        Some(cursor) => format!("… there is more: call again with cursor {cursor}\n"),
        None => String::new(),
    };
    let result = CallToolResult::text(format!("{text}{more}"));
    Ok(ToolReply::Full(Box::new(CallToolResult { structured_content: Some(data), ..result })))
}

fn tree_reply(presented: &PresentedTrees, tree: Result<StoredTree, TreeError>) -> ToolResult {
    let tree = tree.map_err(|error| presented.refused(error))?;
    presented.presentation.reply(&ShownTree::of(&presented.presentation, &tree))
}

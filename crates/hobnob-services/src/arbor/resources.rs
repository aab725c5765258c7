//! Trees and nodes as resources, and the completion of their names.
//!
//! The root of every active tree is listed; whole trees and all other nodes have templates. Their
//! URIs are those that `addresses` makes for change notifications.

use super::addresses::{node_template, node_uri, tree_template};
use super::service::{PresentedTrees, TreeCall};
use super::views::{NodeMessage, ShownShape, ShownTree, shape_page};
use crate::presentation::{JSON, Presentation};
use crate::shown_page::ShownPage;
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_toolbox::{CompletionRequest, KitBuilder, ResourceSpec, ToolError};
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_store::memory::PageRequest;
use hobnob_store::trees::{NodeId, NodeRef, TreeError, TreeRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Nodes that the resource of a tree lists.
const MAX_NODES: usize = 500;
/// Suggestions at once: one more than a client is shown, so that it learns of more.
const MAX_SUGGESTED: usize = 101;

type Contents = Result<ResourceContents, ToolError>;

/// Adds all resources to the kit, with the roots of these trees among them.
pub(super) fn with_resources(
    kit: KitBuilder<PresentedTrees>,
    presentation: &Presentation,
    trees: &[TreeRef],
) -> KitBuilder<PresentedTrees> {
    let json = |name: &str, about: &str| ResourceSpec::new(name).description(about).mime_type(JSON);
    let (tree, node) = (tree_template(presentation), node_template(presentation));
    let about_tree = json("A tree", "A tree with its claims and the shape of its nodes");
    let about_node = json("A node", "What a node says; `root` is the root of every tree");
    let mut kit = kit
        .template(tree.as_str(), about_tree, read_tree)
        .template(node.as_str(), about_node, read_node)
        .complete(tree, "tree", tree_words)
        .complete(node.as_str(), "tree", tree_words)
        .complete(node, "node", node_words);
    for tree in trees {
        let spec = ResourceSpec::new(root_name(tree)).mime_type(JSON);
        kit = kit.resource(root_uri(presentation, tree), spec, root_reader(tree.clone()));
    }
    kit
}

/// The URI of a tree's root node.
pub(super) fn root_uri(presentation: &Presentation, tree: &TreeRef) -> String {
    node_uri(presentation, tree.as_str(), NodeRef::ROOT)
}

/// The name of a tree's root in the list: `Main Tree Root` for the tree `main`.
fn root_name(tree: &TreeRef) -> String {
    let TreeRef::Name(name) = tree else { return format!("{tree} Tree Root") };
    let mut letters = name.as_str().chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{} Tree Root", letters.as_str())
}

fn root_reader(
    tree: TreeRef,
) -> impl Fn(TreeCall) -> BoxFuture<'static, Contents> + Send + Sync + 'static {
    move |call| {
        let tree = tree.clone();
        Box::pin(async move { node_contents(tree, NodeRef::Root, &call).await })
    }
}

#[derive(Deserialize, JsonSchema)]
struct ByTree {
    /// Id or name of the tree
    tree: String,
}

#[derive(Deserialize, JsonSchema)]
struct ByNode {
    /// Id or name of the tree
    tree: String,
    /// Id of the node, or `root`
    node: String,
}

#[derive(Debug, Serialize)]
struct TreeWithNodes<'a> {
    tree: ShownTree<'a>,
    skeleton: ShownPage<'a, ShownShape<'a>>,
}

async fn read_tree(wanted: ByTree, call: TreeCall) -> Contents {
    let presented = call.state();
    let access = PresentedTrees::access(&call);
    let which = TreeRef::parse(&wanted.tree);
    let which = which.ok_or_else(|| ToolError::no_resource(call.name()))?;
    let missing = |error| missing(error, &call);
    let tree = presented.trees().tree(access.clone(), which.clone()).await.map_err(missing)?;
    let page = PageRequest { after: None, limit: MAX_NODES };
    let nodes = presented.trees().skeleton(access, which, page).await.map_err(missing)?;
    let whole = TreeWithNodes {
        tree: ShownTree::of(&presented.presentation, &tree),
        skeleton: shape_page(&nodes),
    };
    presented.presentation.contents(call.name(), &whole)
}

async fn read_node(wanted: ByNode, call: TreeCall) -> Contents {
    let tree = TreeRef::parse(&wanted.tree);
    let tree = tree.ok_or_else(|| ToolError::no_resource(call.name()))?;
    node_contents(tree, NodeRef::parse(&wanted.node), &call).await
}

async fn node_contents(tree: TreeRef, node: NodeRef, call: &TreeCall) -> Contents {
    let presented = call.state();
    let found = presented.trees().node(PresentedTrees::access(call), tree, node).await;
    let found = found.map_err(|error| missing(error, call))?;
    presented.presentation.contents(call.name(), &NodeMessage::of(&found))
}

/// A missing tree or node is an unknown resource.
fn missing(error: TreeError, call: &TreeCall) -> ToolError {
    match error {
        TreeError::NotFound(_) | TreeError::NodeNotFound { .. } => {
            ToolError::no_resource(call.name())
        }
        error => call.state().refused(error),
    }
}

async fn tree_words(typed: CompletionRequest, call: TreeCall) -> Result<Vec<String>, ToolError> {
    let presented = call.state();
    let access = PresentedTrees::access(&call);
    let words = presented.trees().tree_words(access, typed.value, MAX_SUGGESTED).await;
    words.map_err(|error| presented.presentation.store_failed(&error))
}

/// Without a valid tree the only suggestion is the root, which every tree has.
async fn node_words(typed: CompletionRequest, call: TreeCall) -> Result<Vec<String>, ToolError> {
    let presented = call.state();
    let mut words = typed.matching([NodeRef::ROOT]);
    let tree = typed.arguments.get("tree").and_then(|tree| TreeRef::parse(tree));
    let Some(tree) = tree else { return Ok(words) };
    let access = PresentedTrees::access(&call);
    match presented.trees().node_ids(access, tree, typed.value, MAX_SUGGESTED).await {
        Ok(ids) => words.extend(ids.iter().map(NodeId::to_string)),
        Err(TreeError::NotFound(_)) => words.clear(),
        Err(error) => return Err(presented.refused(error)),
    }
    Ok(words)
}

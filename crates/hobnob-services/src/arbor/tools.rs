//! The table of the tree tools: names, descriptions, annotations, handlers.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::service::PresentedTrees;
use super::{context, nodes, trees};
use crate::tool_effect::{ToolEffect, tool_spec};
use hobnob_mcp_toolbox::{KitBuilder, ToolSpec};

/// Adds all tools of the service to the kit.
pub(super) fn with_tools(kit: KitBuilder<PresentedTrees>) -> KitBuilder<PresentedTrees> {
    with_paths(with_nodes(with_claims(with_trees(kit))))
}

fn reads(title: &str, description: &str) -> ToolSpec {
    tool_spec(ToolEffect::Reads, title, description)
}

fn adds(title: &str, description: &str) -> ToolSpec {
    tool_spec(ToolEffect::Adds, title, description)
}

fn with_trees(kit: KitBuilder<PresentedTrees>) -> KitBuilder<PresentedTrees> {
    kit.tool(
        "tree_create",
        adds(
            "Create a tree",
            "Create a conversation tree with its root node; it has one claim, and stays for as \
             long as it has any",
        ),
        trees::create,
    )
    .tool(
        "tree_get",
        reads("Get a tree", "Get a tree without its nodes: state, claims, metadata, root"),
        trees::get,
    )
    .tool(
        "tree_list",
        reads("List trees", "List active trees, newest first, a page at a time"),
        trees::list_active,
    )
    .tool(
        "tree_update_metadata",
        tool_spec(
            ToolEffect::Sets,
            "Update a tree's metadata",
            "Put other metadata in the place of what an active tree has",
        ),
        trees::update_metadata,
    )
    .tool(
        "tree_skeleton",
        reads(
            "Skeleton of a tree",
            "List all nodes of a tree without what they say, parents before their children",
        ),
        trees::skeleton,
    )
    .tool(
        "tree_render",
        reads("Render a tree", "Draw a tree as text, one line for each node, a part at a time"),
        trees::render,
    )
}

fn with_claims(kit: KitBuilder<PresentedTrees>) -> KitBuilder<PresentedTrees> {
    kit.tool(
        "tree_claim",
        adds(
            "Claim a tree",
            "Add claims to a tree, so that it stays; a tree that was scheduled for deletion or \
             archived is active again",
        ),
        trees::claim,
    )
    .tool(
        "tree_release",
        adds(
            "Release a tree",
            "Take claims of a tree back; without any it is scheduled for deletion, archived after \
             7 days and gone 30 days later",
        ),
        trees::release,
    )
    .tool(
        "tree_list_scheduled",
        reads("Trees to be deleted", "List trees that are scheduled for deletion, newest first"),
        trees::list_scheduled,
    )
    .tool(
        "tree_list_archived",
        reads("Archived trees", "List trees that are archived and soon gone, newest first"),
        trees::list_archived,
    )
}

fn with_nodes(kit: KitBuilder<PresentedTrees>) -> KitBuilder<PresentedTrees> {
    kit.tool(
        "node_create_text",
        adds("Add a text", "Add a text node to an active tree, below another node"),
        nodes::create_text,
    )
    .tool(
        "node_create_external",
        adds(
            "Add a handle",
            "Add a node to an active tree that stands for something kept elsewhere",
        ),
        nodes::create_external,
    )
    .tool("node_get", reads("Get a node", "Get a node with what it says"), nodes::get)
    .tool(
        "node_get_children",
        reads("Children of a node", "List what follows a node directly, in the order it came"),
        nodes::children,
    )
    .tool(
        "node_get_parent",
        reads("Parent of a node", "Get the node that a node follows; null for the root"),
        nodes::parent,
    )
    .tool(
        "node_get_path",
        reads("Path of a node", "List the nodes from the root to a node, without what they say"),
        context::path_shapes,
    )
    .tool(
        "node_search",
        reads("Search nodes", "Find text nodes of all trees by their words, newest first"),
        nodes::search,
    )
}

fn with_paths(kit: KitBuilder<PresentedTrees>) -> KitBuilder<PresentedTrees> {
    kit.tool(
        "context_list_leaves",
        reads("Leaves of a tree", "List the nodes that nothing follows: the ends of conversations"),
        trees::leaves,
    )
    .tool(
        "context_get_path",
        reads(
            "Conversation up to a node",
            "List the nodes from the root to a node with what they say: one conversation",
        ),
        context::path,
    )
    .tool(
        "context_get_handles",
        reads(
            "Handles up to a node",
            "List the external nodes from the root to a node, or of the whole tree",
        ),
        context::handles,
    )
}

//! The table of the chat tools: names, descriptions, annotations, handlers.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::service::PresentedChats;
use super::{chat, sessions};
use crate::tool_effect::{ToolEffect, tool_spec};
use hobnob_mcp_toolbox::{KitBuilder, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;

/// Adds all tools of the service to the kit.
pub(super) fn with_tools(kit: KitBuilder<PresentedChats>) -> KitBuilder<PresentedChats> {
    kit.tool(
        "create",
        tool_spec(
            ToolEffect::Adds,
            "Create a session",
            "Create a session: a chat with a model whose history is a path in a tree",
        ),
        sessions::create,
    )
    .tool(
        "get",
        tool_spec(
            ToolEffect::Reads,
            "Get a session",
            "Get a session: its model, its system prompt, its tree and its head",
        ),
        sessions::get,
    )
    .tool(
        "list",
        tool_spec(ToolEffect::Reads, "List sessions", "List sessions by name, a page at a time"),
        sessions::list,
    )
    .tool(
        "delete",
        tool_spec(
            ToolEffect::Removes,
            "Delete a session",
            "Delete a session; its tree is scheduled for deletion unless somebody else claims it",
        ),
        sessions::delete,
    )
    .tool("chat", chat_spec(), chat::chat)
    .tool(
        "set_head",
        tool_spec(
            ToolEffect::Sets,
            "Set the head",
            "Let a session go on at another node of its tree: go back, or begin a branch",
        ),
        sessions::set_head,
    )
    .tool(
        "registry",
        tool_spec(
            ToolEffect::Reads,
            "Known models",
            "List the configured providers and the models that are known of them",
        ),
        sessions::registry,
    )
}

/// The specification of `chat`, which asks a provider elsewhere and may cost money.
fn chat_spec() -> ToolSpec {
    let annotations = ToolAnnotations {
        read_only_hint: Some(false),
        destructive_hint: Some(false),
        idempotent_hint: Some(false),
        open_world_hint: Some(true),
        ..ToolAnnotations::default()
    };
    let description = "Say something to the model of a session; its answer streams as it comes, \
                       and the session goes on behind it";
    ToolSpec::new(description).title("Chat").annotations(annotations)
}

//! The table of the file tools: names, descriptions, annotations, handlers.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::service::{PresentedFiles, ShownTools};
use super::{change, look, read, search_reply};
use crate::tool_effect::{ToolEffect, tool_spec};
use hobnob_mcp_toolbox::KitBuilder;

/// Adds the tools that the current grants allow.
pub(super) fn with_tools(
    kit: KitBuilder<PresentedFiles>,
    shown: ShownTools,
) -> KitBuilder<PresentedFiles> {
    match shown {
        ShownTools::Nothing => kit,
        ShownTools::Reading => with_reading(kit),
        ShownTools::All => with_changes(with_reading(kit)),
    }
}

fn with_reading(kit: KitBuilder<PresentedFiles>) -> KitBuilder<PresentedFiles> {
    kit.tool(
        "search",
        tool_spec(
            ToolEffect::Reads,
            "Search files",
            "Find files and folders by name, glob, kind, size or time, and lines by regular \
             expression, in the granted folders. Honours .gitignore and .ignore",
        ),
        search_reply::search,
    )
    .tool(
        "stat",
        tool_spec(
            ToolEffect::Reads,
            "File facts",
            "Kind, size, time and access of a file or folder",
        ),
        look::stat,
    )
    .tool(
        "read",
        tool_spec(
            ToolEffect::Reads,
            "Read a file",
            "Read a file, or a window of its lines or bytes; what is no text is given as a blob",
        ),
        read::read,
    )
    .tool(
        "list",
        tool_spec(
            ToolEffect::Reads,
            "List a folder",
            "List the entries of a folder, or without a path the folders that are granted",
        ),
        look::list,
    )
    .tool(
        "tree",
        tool_spec(ToolEffect::Reads, "Show a tree", "Show a folder and what is in it as a tree"),
        look::tree,
    )
}

fn with_changes(kit: KitBuilder<PresentedFiles>) -> KitBuilder<PresentedFiles> {
    kit.tool(
        "write",
        tool_spec(
            ToolEffect::Removes,
            "Write a file",
            "Create a file or replace all of it, atomically; the folder must exist",
        ),
        change::write,
    )
    .tool(
        "edit",
        tool_spec(
            ToolEffect::Changes,
            "Edit a file",
            "Replace exact parts of a text file, all or none; shows the difference, with dry_run \
             only that",
        ),
        change::edit,
    )
    .tool(
        "move",
        tool_spec(ToolEffect::Changes, "Move a file", "Move or rename a file or folder"),
        change::rename,
    )
    .tool(
        "mkdir",
        tool_spec(ToolEffect::Sets, "Make a folder", "Make a folder, and those above it if needed"),
        change::make_folder,
    )
    .tool(
        "delete",
        tool_spec(
            ToolEffect::Changes,
            "Delete a file",
            "Move a file or folder to the trash of its granted folder, or remove it for good",
        ),
        change::delete,
    )
}

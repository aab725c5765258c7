//! The table of the file tools: names, descriptions, annotations, handlers.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::service::{PresentedFiles, ShownTools};
use super::{change, look, read, search_reply};
use hobnob_mcp_toolbox::{KitBuilder, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;

/// The effect of a tool on the files, from which its annotations follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileEffect {
    /// It changes nothing on disk.
    Reads,
    /// It adds something; nothing is lost.
    Adds,
    /// Existing data may be lost, and a second identical call fails or changes more.
    Changes,
    /// Existing data may be lost, and a second identical call changes nothing more.
    Replaces,
}

fn spec(effect: FileEffect, title: &str, description: &str) -> ToolSpec {
    let loses = matches!(effect, FileEffect::Changes | FileEffect::Replaces);
    let annotations = ToolAnnotations {
        read_only_hint: Some(effect == FileEffect::Reads),
        destructive_hint: Some(loses),
        idempotent_hint: Some(effect != FileEffect::Changes),
        open_world_hint: Some(false),
        ..ToolAnnotations::default()
    };
    ToolSpec::new(description).title(title).annotations(annotations)
}

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
        spec(
            FileEffect::Reads,
            "Search files",
            "Find files and folders by name, glob, kind, size or time, and lines by regular \
             expression, in the granted folders. Honours .gitignore and .ignore",
        ),
        search_reply::search,
    )
    .tool(
        "stat",
        spec(FileEffect::Reads, "File facts", "Kind, size, time and access of a file or folder"),
        look::stat,
    )
    .tool(
        "read",
        spec(
            FileEffect::Reads,
            "Read a file",
            "Read a file, or a window of its lines or bytes; what is no text is given as a blob",
        ),
        read::read,
    )
    .tool(
        "list",
        spec(
            FileEffect::Reads,
            "List a folder",
            "List the entries of a folder, or without a path the folders that are granted",
        ),
        look::list,
    )
    .tool(
        "tree",
        spec(FileEffect::Reads, "Show a tree", "Show a folder and what is in it as a tree"),
        look::tree,
    )
}

fn with_changes(kit: KitBuilder<PresentedFiles>) -> KitBuilder<PresentedFiles> {
    kit.tool(
        "write",
        spec(
            FileEffect::Replaces,
            "Write a file",
            "Create a file or replace all of it, atomically; the folder must exist",
        ),
        change::write,
    )
    .tool(
        "edit",
        spec(
            FileEffect::Changes,
            "Edit a file",
            "Replace exact parts of a text file, all or none; shows the difference, with dry_run \
             only that",
        ),
        change::edit,
    )
    .tool(
        "move",
        spec(FileEffect::Changes, "Move a file", "Move or rename a file or folder"),
        change::rename,
    )
    .tool(
        "mkdir",
        spec(FileEffect::Adds, "Make a folder", "Make a folder, and those above it if needed"),
        change::make_folder,
    )
    .tool(
        "delete",
        spec(
            FileEffect::Changes,
            "Delete a file",
            "Move a file or folder to the trash of its granted folder, or remove it for good",
        ),
        change::delete,
    )
}

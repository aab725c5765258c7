//! The effect of a tool on stored data, which clients read from its annotations.
//!
//! The tool tables of tasks, trees and chats use it.

use hobnob_mcp_toolbox::ToolSpec;
use hobnob_mcp_types::tools::ToolAnnotations;

/// The effect of a tool on stored data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolEffect {
    /// It only reads stored data.
    Reads,
    /// Each call adds something new.
    Adds,
    /// A second identical call changes nothing more.
    Sets,
    /// It removes something that is stored.
    Removes,
}

/// The specification of a tool that works only on Hobnob's own data.
pub(crate) fn tool_spec(effect: ToolEffect, title: &str, description: &str) -> ToolSpec {
    let annotations = ToolAnnotations {
        read_only_hint: Some(effect == ToolEffect::Reads),
        destructive_hint: Some(effect == ToolEffect::Removes),
        idempotent_hint: Some(effect != ToolEffect::Adds),
        open_world_hint: Some(false),
        ..ToolAnnotations::default()
    };
    ToolSpec::new(description).title(title).annotations(annotations)
}

//! What a tool does to what is stored, as clients read it from its annotations.
//!
//! The tables of the tools of tasks and trees use it.

use hobnob_mcp_toolbox::ToolSpec;
use hobnob_mcp_types::tools::ToolAnnotations;

/// What a tool does to what is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolEffect {
    /// It changes nothing that is stored.
    Reads,
    /// Something else each time.
    Adds,
    /// The same again changes nothing more.
    Sets,
    /// Something is gone afterwards.
    Removes,
}

/// What the list says of a tool that works on our own data.
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

//! The effect of a tool, which clients read from its annotations.
//!
//! The tool tables of services use it. Those of memory have hints of their own.

use hobnob_mcp_toolbox::ToolSpec;
use hobnob_mcp_types::tools::ToolAnnotations;

/// The effect of a tool on data and on the machine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolEffect {
    /// It only reads, and changes nothing.
    Reads,
    /// Each call adds something new.
    Adds,
    /// Nothing is lost, and a second identical call changes nothing more.
    Sets,
    /// Existing data may be lost, and a second identical call fails or changes more.
    Changes,
    /// It replaces, removes or ends something; a second identical call changes nothing more.
    Removes,
    /// It runs a program, which can have any effect.
    Runs,
}

/// The specification of a tool with the hints of its effect.
pub(crate) fn tool_spec(effect: ToolEffect, title: &str, description: &str) -> ToolSpec {
    use ToolEffect::{Adds, Changes, Reads, Removes, Runs};
    let annotations = ToolAnnotations {
        read_only_hint: Some(effect == Reads),
        destructive_hint: Some(matches!(effect, Changes | Removes | Runs)),
        idempotent_hint: Some(!matches!(effect, Adds | Changes | Runs)),
        open_world_hint: Some(effect == Runs),
        ..ToolAnnotations::default()
    };
    ToolSpec::new(description).title(title).annotations(annotations)
}

//! The table of the tools of tasks: names, texts, annotations, handlers.
//!
//! Names and texts are part of the wire; profiles and tests compare them.

use super::service::PresentedTasks;
use super::{change, claims, look};
use crate::handler::with;
use hobnob_mcp_server::toolbox::{Kit, KitError, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;

/// What a tool does to the tasks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It changes nothing that is stored.
    Reads,
    /// Something else each time.
    Adds,
    /// The same again changes nothing more.
    Sets,
    /// Something is gone afterwards.
    Removes,
}

fn spec(name: &str, effect: Effect, title: &str, description: &str) -> ToolSpec {
    let annotations = ToolAnnotations {
        read_only_hint: Some(effect == Effect::Reads),
        destructive_hint: Some(effect == Effect::Removes),
        idempotent_hint: Some(effect != Effect::Adds),
        open_world_hint: Some(false),
        ..ToolAnnotations::default()
    };
    ToolSpec::new(name, description).title(title).annotations(annotations)
}

/// The kit with all tools in it.
pub(super) fn with_tools(kit: Kit, presented: &PresentedTasks) -> Result<Kit, KitError> {
    let kit = with_changes(kit, presented)?;
    with_claims(with_looks(kit, presented)?, presented)
}

fn with_changes(kit: Kit, presented: &PresentedTasks) -> Result<Kit, KitError> {
    kit.tool(
        spec("create", Effect::Adds, "Create a task", "Create a new task"),
        with(presented, change::create),
    )?
    .tool(
        spec(
            "update",
            Effect::Sets,
            "Update a task",
            "Change a task: its status, words, priority, parent or result. A blocked task cannot \
             be started or completed; a claimed one only its worker can move",
        ),
        with(presented, change::update),
    )?
    .tool(
        spec(
            "delete",
            Effect::Removes,
            "Delete a task",
            "Delete a task that no other task is a part of or waits for",
        ),
        with(presented, change::delete),
    )?
    .tool(
        spec(
            "add_blocker",
            Effect::Sets,
            "Add a blocker",
            "Make a task wait for another; what would be a cycle is refused",
        ),
        with(presented, change::add_blocker),
    )?
    .tool(
        spec(
            "remove_blocker",
            Effect::Sets,
            "Remove a blocker",
            "Make a task no longer wait for another",
        ),
        with(presented, change::remove_blocker),
    )
}

fn with_looks(kit: Kit, presented: &PresentedTasks) -> Result<Kit, KitError> {
    kit.tool(
        spec(
            "list",
            Effect::Reads,
            "List tasks",
            "List tasks, oldest first, a page at a time; long texts are cut",
        ),
        with(presented, look::list),
    )?
    .tool(
        spec("get", Effect::Reads, "Get a task", "Get a task in full"),
        with(presented, look::get),
    )?
    .tool(
        spec("blockers", Effect::Reads, "Blockers of a task", "List what a task waits for"),
        with(presented, look::blockers),
    )?
    .tool(
        spec("children", Effect::Reads, "Parts of a task", "List what a task consists of"),
        with(presented, look::children),
    )?
    .tool(
        spec(
            "ready",
            Effect::Reads,
            "Ready tasks",
            "List what can be begun now: pending, not blocked, not claimed; most important first",
        ),
        with(presented, look::ready),
    )?
    .tool(
        spec(
            "history",
            Effect::Reads,
            "History of a task",
            "List what happened to a task, when and by whom, oldest first",
        ),
        with(presented, look::history),
    )
}

fn with_claims(kit: Kit, presented: &PresentedTasks) -> Result<Kit, KitError> {
    kit.tool(
        spec(
            "claim",
            Effect::Adds,
            "Claim a task",
            "Take a task that is ready and start it; no two workers ever get the same. When the \
             lease ends the task is free again: renew it while you work",
        ),
        with(presented, claims::claim),
    )?
    .tool(
        spec(
            "renew",
            Effect::Adds,
            "Renew a claim",
            "Keep a task that you have claimed for longer",
        ),
        with(presented, claims::renew),
    )?
    .tool(
        spec(
            "release",
            Effect::Sets,
            "Release a claim",
            "Give a task that you have claimed back, to be begun anew by somebody else",
        ),
        with(presented, claims::release),
    )
}
